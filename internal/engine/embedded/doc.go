// Package embedded is the embedded engine: DynamoDB's calls, with streams, on one SQLite file.
// Package dynamo implements the semantics of the calls, this package the storage.
//
//	calls ──▶ dynamo checks ──┬─ reads ──▶ pool of connections ──▶ comments.db
//	                          └─ writes ─▶ queue ─▶ writer ──────▶ (WAL)
//
// Any number of processes may open one file, with equal rights. SQLite's WAL mode lets all of them
// read while one writes. Concurrent writes of one process share a transaction, see [writer].
// Transactions of different processes wait for each other. A write that waits too long fails with
// DynamoDB's throttling error: it has no effect, and the caller retries.
//
// One transaction changes an item, its rows in indexes and its record in the stream. An answered
// call survives the end of any process, even kill -9, because the operating system has its data.
// After a power failure or a crash of the system, the file is intact, but transactions since the
// last checkpoint may be missing. The reason is `PRAGMA synchronous = NORMAL`: SQLite waits for the
// disk at checkpoints only. FULL would wait in every transaction, some milliseconds on most disks. A
// shop that cannot lose seconds of comments uses DynamoDB.
//
// The data directory is private to its user. It contains comments.db and, while a process has the
// file open, comments.db-wal and comments.db-shm.
package embedded
