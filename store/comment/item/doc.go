// Package item defines the comment, with its validation, and converts between comments and
// items of the table or of an index. One table of fields, in fields.go, says which attribute
// contains which field and whether indexes carry it; everything else follows from it. All methods
// that call the store return an Unavailable error if the store does not answer.
package item
