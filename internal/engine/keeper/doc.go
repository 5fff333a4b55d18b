// Package keeper shuts the embedded engine in, so that nobody but us reaches it.
// The engine listens on TCP, asks nobody who he is, and lets every web page read
// its answers. On Linux it therefore runs in a network of its own, which nothing
// leads into but a socket in the data directory, that its owner alone may open:
//
//	we ──────── a connection, please ────────► engine.sock ──► keeper
//	 ▲                                                           │ connects,
//	 │                                                           │ hands over
//	 └────────── the connection itself ◄─────────────────────────┘
//	 └══ requests ══════════════════════════════► engine on 127.0.0.1 in there
//
// The keeper is our own program, started once more in new namespaces (a user's
// too, so that it needs no rights). It starts the engine, and hands connections
// over; requests do not pass through it, so they cost nothing more than before.
package keeper

import "os"

// Argument is the first one of a program that is started as a keeper.
const Argument = "keep-the-engine"

// Denied is the exit status of a keeper that the system does not allow its network.
const Denied = 77

// Main makes the process a keeper if it was started as one, and does not return
// then. A program that opens a confined engine calls it before anything else.
func Main() {
	if len(os.Args) > 1 && os.Args[1] == Argument {
		os.Exit(keep(os.Args[2:]))
	}
}

// Socket is the name of the socket in the data directory.
const Socket = "engine.sock"
