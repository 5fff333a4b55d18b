// Package model holds the Go side of the schema's types. Their methods are the
// fields; none of them does I/O, so that the executor needs no goroutine for
// them.
package model
