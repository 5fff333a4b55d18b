// Package fastpath writes comments' plain fields without gqlgen's wrappers.
//
// gqlgen runs every field on its own, with a context, a description and a panic
// handler, and every element of a list in a goroutine. Fields that do I/O need
// that. A plain field does not: it reads a struct that is at hand, has no
// resolver and no directive. For a page of comments the wrappers of plain fields
// cost more than all the rest.
//
// How a page of comments is written:
//
//  1. InterceptField sees what the resolver of a field returned, for example the list
//     of edges, before gqlgen goes through it.
//  2. The selection set below that field is compiled, once for all elements of
//     the list. If it has a field that is not plain, gqlgen does the rest.
//  3. The compiled selection writes the JSON of each object straight into one
//     buffer, which gqlgen then takes as the field's value.
//
// What a client sees is gqlgen's own answer, to the byte, errors and their paths
// included; a test compares them. Another test fails if a field that is written
// here gets a resolver or a directive in the schema, since neither would run.
package fastpath
