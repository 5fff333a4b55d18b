// Command product-comments serves product reviews over GraphQL, on DynamoDB alone.
//
// A request passes internal/server/httpapi (HTTP), graph (execution), resolvers (fields) and store
// (plans, reads and writes). internal/command parses the flags and opens the store.
package main

import (
	"os"

	"product-comments/internal/command"
)

func main() { os.Exit(command.Main()) }
