// Package gate bounds what many requests together may cost, before and besides what
// one request may.
//
// Four ideas, each with its files: who asks (client.go, origins.go),
// how much each client may ask for in a minute (limiter.go), how much runs at once
// with a short queue in front and a part for each client (room.go), and how
// much memory all of it may take (memory.go). The package knows HTTP but no GraphQL; what a request costs
// it is told.
package gate
