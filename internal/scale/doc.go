// Command scale simulates what DynamoDB's limits mean for this design at loads
// that no test machine can produce: units a second of a partition, 10 GB of a
// partition, and splits for heat. It reads and writes no table.
//
//	config ─▶ scenarios ─▶ world ─▶ tables
//	          size          indexes of partitions, each with two token buckets;
//	          views         loads that ask for units at places of the key space;
//	          campaign      a step is a second
//	          leaderboard
//	          projector
//	          money
//
// The tables go to standard output as Markdown. With --write they also replace
// the marked sections of a file; docs/scale.md is made that way, and a test
// compares it with what the program prints.
package main
