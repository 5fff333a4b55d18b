// Package model holds the Go side of the schema's types. gqlgen finds them by
// their names (autobind in gqlgen.yml) and generates only the rest, which is in
// generated.go. Methods are fields. None does I/O, so gqlgen runs them without a
// goroutine for each; fields that do I/O are in package resolvers.
package model
