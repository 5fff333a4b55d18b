// Package guard bounds what a GraphQL document may hold, before anything expensive
// looks at it: validation compares fields with fields and follows every spread of a
// fragment, so what is short to write can be long to check.
//
// It looks at every node of the parsed document once, whatever the document says,
// and at nothing else: no schema, no variables. What a query may cost to run is
// package graph's matter.
package guard

// Limits bound a document. Zero allows nothing.
type Limits struct {
	Operations  int // definitions of operations
	Fragments   int // definitions of fragments
	Spreads     int // of fragments, wherever they stand
	Fields      int // of all operations, each fragment counted wherever it is spread
	Depth       int // levels of fields, likewise
	Nesting     int // levels of braces, those of inline fragments included
	Occurrences int // of one response name in one selection set, inline fragments included
	Aliases     int // fields whose name in the answer is not their own
	Directives  int // wherever they stand
	OnOne       int // directives of one field, fragment, operation or variable
	Variables   int // of one operation
	Arguments   int // of one field or directive, and members of one input object
	List        int // values of one list
	Values      int // levels of lists and input objects in each other
	Name        int // bytes of a name
	String      int // bytes of a string
}

// Default allows what front ends send: pages put together from dozens of
// fragments, each with __typename and id in every selection set, and the
// introspection queries of all tools.
var Default = Limits{
	Operations: 20, Fragments: 100, Spreads: 300, Fields: 5000, Depth: 16, Nesting: 40, Occurrences: 50, Aliases: 100,
	Directives: 100, OnOne: 5, Variables: 100, Arguments: 50, List: 1000, Values: 10, Name: 200, String: 128 << 10,
}
