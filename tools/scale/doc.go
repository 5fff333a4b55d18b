// Command scale works out what DynamoDB's limits mean for this design at loads
// that no test machine can produce: units a second of a partition, 10 GB of a
// partition, and splits for heat. It reads and writes no table.
//
//	assumed ─▶ size, reads, money      quotients and sums
//	       ├─▶ projector                 how many comments a transaction holds
//	       └─▶ campaign, leaderboard     where writes go ─▶ world: partitions,
//	                                     as they are and split for heat
//
// The tables go to standard output as Markdown. With --write they also replace
// the marked sections of a file; docs/scale.md is made that way, and a test
// compares it with what the program prints. Nothing is drawn at random.
package main
