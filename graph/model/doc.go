// Package model has the Go types of the schema. gqlgen finds them by name (autobind in gqlgen.yml)
// and generates only the rest, in generated.go. Methods are fields. They do no I/O, so gqlgen runs
// them without goroutines; fields with I/O are in package resolvers.
package model
