// Package item is what a comment is, and how it is stored: the domain type with
// its rules, and the translation between it and an item of the table or of an
// index. One table of fields, in fields.go, says which attribute holds what and
// whether the indexes carry it; everything that depends on that follows from it.
package item
