// Package dynamo implements the semantics of DynamoDB's calls without storage: it parses and
// evaluates expressions, checks requests and items, and computes sizes and capacity units as AWS
// documents them. The embedded engine (internal/engine/embedded) and the double of the simulation
// (store/simulation/double) add the storage.
//
// The package supports only the values and expressions that the store uses. It has no lists, no sets,
// no functions of values and no paths into documents. It refuses all others with an error, so a
// test that needs one of them fails.
//
// The files, from the outside in:
//
//	batch page transact write definition record   calls
//	bind capacity errors                         parts that calls share
//	lexer parser expression condition path update key_condition   expressions
//	value number size key copy                   attribute values
package dynamo
