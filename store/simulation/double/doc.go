// Package double simulates Amazon DynamoDB and its streams in memory, for tests. Several simulated
// processes share a [DB], each through its own [Client].
//
// The package follows AWS's documentation even where installable engines differ. Indexes and
// eventually consistent reads lag. Records arrive late. Shards close and have children. Records are
// trimmed after a day. Items expire. Calls are refused, lost, repeated or answered in part (package
// faults).
//
// It is made for testing/synctest. It uses time.Now and time.Sleep, which are virtual in a bubble, and
// it starts no goroutines. The random numbers of a call depend on the seed, the process, the call and
// the number of equal calls before it. They do not depend on the scheduling of goroutines.
//
// The files, from the outside in:
//
//	db client call faults random errors   processes, their calls and faults
//	item_calls read write create          calls, checked and evaluated by package dynamo
//	table view lag ttl stream shard stream_calls   the state
package double
