// Package gate limits the load that all requests together may cause.
//
// It has four parts: the identification of clients (client.go, origins.go), the budget of a client
// per minute (limiter.go), the number of concurrent requests, with a short queue and a share for
// each client (room.go), and the memory for all of them (memory.go). The package knows HTTP but
// not GraphQL; its callers pass a request's cost.
package gate
