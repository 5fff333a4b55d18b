// Command product-comments serves the comments of a shop's products over
// GraphQL, on DynamoDB alone.
//
// The way of a request: internal/command reads the flags and opens the store,
// internal/httpapi serves HTTP, graph executes GraphQL, resolvers answer its
// fields, store plans, reads and writes.
package main

import (
	"os"

	"product-comments/internal/command"
)

func main() { os.Exit(command.Main()) }
