// Package child runs a server as a child process, and ties its life to this process.
//
// The life of a child:
//
//	Start ──► Ready answers ──► running ──► Stop: SIGTERM, then SIGKILL
//	  │                           │
//	  └─ ended early: error       └─ ended by itself: Done closes, Err says why
//	     with its last output
//
// On Linux the kernel kills the child when this process dies in any way, even by
// kill -9. On every Unix the child has a
// separate process group: Ctrl-C in a terminal does not reach it, so it can serve
// the remaining requests until Stop.
package child
