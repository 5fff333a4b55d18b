// Package stream consumes a table's DynamoDB stream: it finds the shards, reads
// them, assigns their records to lanes, one for each bucket of products, and lets
// the projector bring up to date what is derived from comments.
//
//	shard ─▶ reader ┐        ┌ lane of bucket 0 ─▶ projector.Step
//	shard ─▶ reader ┼ assign ┼ lane of bucket 1 ─▶ projector.Step
//	shard ─▶ reader ┘        └ …
//
// There may be any number of consumers of a table. Each reads everything, and
// the checkpoints, which move together with what is derived, see to it that a
// record counts once. A second consumer makes nothing faster; it takes over at
// once when the first one ends.
//
// A rebuild is made here, too, since it waits until all shards were projected.
package stream
