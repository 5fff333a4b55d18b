// Package child runs a server as a child process whose life is tied to ours.
//
// A child is started, waited for until it answers, watched, and stopped:
//
//	Start ──► Ready answers ──► running ──► Stop: SIGTERM, then SIGKILL
//	  │                           │
//	  └─ ended early: error       └─ ended by itself: Done closes, Err says why
//	     with its last output
//
// On Linux the kernel kills the child when this process dies in any way, so
// that not even kill -9 leaves a server behind. On every Unix the child has a
// process group of its own: Ctrl-C in a terminal reaches us alone, and we stop
// the child after the requests that still need it.
package child
