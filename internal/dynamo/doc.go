// Package dynamo is what calls of Amazon DynamoDB mean, without a place where items are kept: it
// parses and evaluates expressions, checks requests and items, and counts sizes and capacity units,
// as AWS documents. The embedded engine (internal/embedded) and the double of the simulation
// (store/simulation/double) share it.
//
// Of values and expressions it has what the store writes: no lists, sets, functions of values or
// paths into documents. It refuses the rest, so that a test fails which needs it.
//
// The files, from the outside in:
//
//	batch page transact write definition record   calls
//	bind capacity errors                         what they have in common
//	lexer parser expression condition path update key_condition   expressions
//	value number size key copy                   attribute values
package dynamo
