// Package stream consumes a table's DynamoDB stream: it finds the shards, reads them and assigns
// their records to lanes by buckets of products. Each lane calls the projector, which updates the
// indexes.
//
//	shard ─▶ reader ┐        ┌ lane 0 ─▶ projector.Step
//	shard ─▶ reader ┼ assign ┼ lane 1 ─▶ projector.Step
//	shard ─▶ reader ┘        └ …
//
// A table may have any number of consumers. Each reads all records. Checkpoints move in the
// transactions that write derived data, so each record counts once. A second consumer does not
// increase the speed; it takes over at once when the first one ends.
//
// The package also makes rebuilds, which must wait until all shards were projected. All methods
// that call the store return an Unavailable error if the store does not answer. Calls of the stream
// return the error of the Streams client.
package stream
