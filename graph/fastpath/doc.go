// Package fastpath writes comments' plain fields without gqlgen's wrappers.
//
// gqlgen runs every field with a context, a description and a panic handler, and every element
// of a list in a goroutine. Fields with I/O need that. A plain field reads a struct in memory,
// and has no resolver, no argument and no directive. For a page of comments the wrappers of plain
// fields cost as much as everything else. tools/generate finds the plain fields of the types that
// pages of comments consist of, and writes generated.go.
//
// How a page of comments is written:
//
//  1. InterceptField receives the result of a field's resolver, such as the list of edges,
//     before gqlgen executes the fields below.
//  2. The field's selection set is compiled, once for all elements of the list. If it selects a
//     field that is not plain, gqlgen executes it instead.
//  3. The compiled selection writes the JSON of all objects into one buffer, which gqlgen uses
//     as the field's value.
//
// The answer equals gqlgen's to the byte, including errors and their paths; a test compares
// them.
package fastpath
