// Package engine runs the embedded engine as a child process: dynoxide, a native
// server with DynamoDB's API on an SQLite file, or AWS's DynamoDB Local.
//
// Processes that use the same data directory share one engine. The process that
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
// The endpoint is fixed while an Engine is open. While ownership changes or the child
// restarts, connections fail for 10 to 100 milliseconds, so the SDK's retries must be
// enabled. A child is restarted only after it has ended: an engine that does not answer may
// be busy.
//
// The engine has no authentication, and lets every web page read its answers. On Linux it
// listens at a random address in 127.0.0.0/8, which pages cannot guess. Other users of the
// machine can find it; docs/deploy.md describes the consequences.
//
// Files in the data directory, which is private to its user:
//
//	comments.db   SQLite, with comments.db-wal and comments.db-shm
//	engine.lock   locked by the owner
//	engine.json   {"address":"HOST:PORT","pid":N} of the child, for followers and
//	              the next owner; without a pid if none runs
package engine
