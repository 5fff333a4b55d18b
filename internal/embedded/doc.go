// Package embedded is the embedded engine: DynamoDB's calls, with streams, on one SQLite file. Package
// dynamo knows what the calls mean, this package where items are kept.
//
//	calls ──▶ dynamo checks ──┬─ reads ──▶ pool of connections ──▶ comments.db
//	                          └─ writes ─▶ queue ─▶ writer ──────▶ (WAL)
//
// Any number of processes may open one file; none owns it. SQLite's WAL mode lets all of them read
// while one writes. Writes of one process that wait at the same time share a transaction, see
// [writer]; between processes, transactions take turns. A write that waits for its turn too long is
// throttled, as DynamoDB calls that: nothing was done, and the caller tries again.
//
// An item, its rows in indexes and its record in the stream change in one transaction. A call that
// was answered survives the end of any process, also kill -9: what it wrote is in the operating
// system's hands. After a power failure, or a crash of the system, the last transactions may be
// missing, all those after some point in time, because `PRAGMA synchronous` is NORMAL: SQLite waits
// for the disk at checkpoints only. The file is not damaged. FULL would wait with every transaction,
// which takes some milliseconds on most disks; a shop that cannot lose seconds of comments uses
// DynamoDB.
//
// Files in the data directory, which is private to its user: comments.db, while it is open with
// comments.db-wal and comments.db-shm.
package embedded
