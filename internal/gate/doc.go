// Package gate bounds what all requests together may cost.
//
// It has four parts: the identification of clients (client.go, origins.go), the budget of
// a client for a minute (limiter.go), the number of requests that run at once, with a
// short queue and a share for each client (room.go), and the memory for all of them
// (memory.go). The package knows HTTP but not GraphQL; its callers pass a request's cost.
package gate
