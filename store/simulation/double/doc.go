// Package double is Amazon DynamoDB with its streams, in memory, for tests: a
// [DB] that several simulated processes reach through a [Client] each. It
// follows AWS's documented behaviour also where the engines that one can
// install do not: indexes and eventually consistent reads lag, records arrive
// late, shards close and have children, records are trimmed after a day, items
// expire, and calls are refused, lost, repeated or answered in part (package faults).
//
// It is made for testing/synctest: time is time.Now and time.Sleep, so virtual
// in a bubble; it has no goroutines of its own. What is random in a call follows
// from the seed, the process, the call and how often that call was made before,
// not from the order in which goroutines happen to run.
//
// The files, from the outside in:
//
//	db client call faults random errors   processes, their calls and what befalls these
//	item_calls read write create          the calls, which package dynamo checks and decides
//	table view lag ttl stream shard stream_calls   what they work on
package double
