// Command scale works out what DynamoDB's limits mean for this design at loads
// that no test machine can produce: units a second of a partition, 10 GB of a
// partition. It reads and writes no table.
//
//	assumed ─▶ reads, money              quotients and sums
//	       ├─▶ projector                 how many comments a transaction holds
//	       └─▶ campaign                  where writes go ─▶ world: partitions,
//	                                     as they are
//
// The tables go to standard output as Markdown. A test compares docs/benchmarks.md
// with them, and writes them there with -rewrite. Nothing is drawn at random.
package main
