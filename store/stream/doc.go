// Package stream keeps the statistics of a table up to date: it consumes the
// table's DynamoDB stream, shard by shard, and hands the records to
// [product-comments/store.Store.Project].
//
// There may be any number of consumers of a table. Each reads everything, and
// the checkpoints, which move together with the statistics, see to it that a
// record counts once. A second consumer makes nothing faster; it takes over at
// once when the first one ends.
package stream
