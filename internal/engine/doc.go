// Package engine runs the embedded engine: dynoxide, a native server with
// DynamoDB's API on an SQLite file, as a supervised child process.
//
// Processes that use the same data directory share one engine. Whoever holds
// the lock owns the engine; the others follow it, and one of them takes over
// when the owner ends:
//
//	            got the lock
//	Open ──┬──────────────────────► owner: runs the child, restarts it when
//	       │                        it dies, stops it in Close
//	       │ lock is held              ▲
//	       └────► follower: uses the   │ owner ended, even by kill -9:
//	              owner's endpoint ────┘ start the child on the same port
//
// The endpoint never changes while an Engine is open. Between two owners, and
// while a child restarts, nobody answers for some 10 to 100 milliseconds: keep
// the SDK's retries on. The owner asks every second whether the child answers, and
// replaces one that hangs.
//
// A confined engine runs in a network of its own and is reached through a socket
// that only we may open: see package keeper.
//
// Files in the data directory, all for us alone:
//
//	comments.db   SQLite, with comments.db-wal and comments.db-shm beside it
//	engine.lock   locked by the owner; holds the port that was used last
//	engine.json   {"port":N,"pid":N} of the running child, for followers, and
//	              "confined" if it is
//	engine.sock   the way to an engine that is confined
package engine
