// Package projector brings indexes up to date with records of the table's stream,
// exactly once in effect. It knows an index by the interface of package index alone, and
// there may be any number of them.
//
//	records of a shard ──▶ Change ──▶ divided into buckets of products
//	                                        │
//	      each bucket: fit changes while a transaction has room,
//	                  ask each Index what they write, see Flush,
//	                  write all of it together with the bucket's checkpoints
//
// Products are divided into buckets by a hash, and each bucket has a checkpoint of its
// own for each shard. So the buckets of one process never touch the same items
// and are projected side by side, each with the changes of all shards at once.
// Whatever else changes the same items, first of all another process that
// projects the same records, is noticed by the conditions of the transaction:
// one of the two fails, reads the checkpoints again, and passes over what was
// done.
package projector
