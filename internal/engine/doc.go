// Package engine runs the embedded engine as a child process: dynoxide, a native
// server with DynamoDB's API on an SQLite file, or AWS's DynamoDB Local.
//
// Processes that use the same data folder share one engine. The process that
// holds the lock owns the engine; the others follow it, and one of them takes
// over when the owner ends:
//
//	            got the lock
//	Open ──┬──────────────────────► owner: runs the child, starts it again
//	       │                        when it ends, stops it in Close
//	       │ lock is held              ▲
//	       └────► follower: uses the   │ owner ended, even by kill -9:
//	              owner's address ─────┘ start the child at the same address
//
// The endpoint never changes while an Engine is open. Between two owners, and
// while a child is started again, nothing answers for some 10 to 100 milliseconds:
// keep the SDK's retries on. Only the end of the child starts another one: an
// engine that is slow to answer is at work.
//
// The engine has no password, and every web page may read its answers. On Linux it
// listens at an address of 127.0.0.0/8 drawn at random, which pages cannot guess.
// Other users of the machine can find it: docs/deploy.md says what they could do.
//
// Files in the data folder, which is private to its user:
//
//	comments.db   SQLite, with comments.db-wal and comments.db-shm
//	engine.lock   locked by the owner
//	engine.json   {"address":"HOST:PORT","pid":N} of the child, for followers and
//	              the next owner; without a pid if none runs
package engine
