// Package projector updates indexes with records of the table's stream. Each record takes effect
// exactly once. The projector knows only the interfaces of package index, and projects any number
// of indexes.
//
//	records of a shard ──▶ Change ──▶ divided into buckets of products
//	                                        │
//	      each bucket: fit changes into a transaction,
//	                  get their writes from the engine (index.Engine.Flush),
//	                  write them together with the bucket's checkpoints
//
// A hash divides products into buckets, and each bucket has a checkpoint for each shard. So the
// buckets of one process never write the same items and are projected in parallel, each with the
// changes of all shards together. Another process may project the same records. The conditions of
// the transactions detect this: one of the two transactions fails, and its process reads the
// checkpoints again and skips the changes that took effect.
//
// All methods that call the store return an Unavailable error if the store does not answer.
package projector
