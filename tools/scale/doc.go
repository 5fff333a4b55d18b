// Command scale computes the effect of DynamoDB's limits, such as units a second of a
// partition, on this design at loads that no test machine can produce. It reads and writes no
// table.
//
//	assumed ─▶ reads, money              quotients and sums
//	       ├─▶ projector                 how many comments a transaction holds
//	       └─▶ campaign                  where writes go ─▶ world: partitions,
//	                                     as they are
//
// The tables go to standard output as Markdown. A test compares docs/benchmarks.md
// with them, and writes them there with -rewrite. Nothing is drawn at random.
package main
