package fastpath

import (
	"testing"

	"github.com/99designs/gqlgen/graphql"
)

// BenchmarkExecution is GraphQL's share of a page of 20 comments with texts of
// 300 bytes: from a query whose document is cached to the response's data,
// without HTTP and without the store. With -cpu 1 time is processor time.
//
// On the fast path the number of allocations does not grow with the page. What is
// left are contexts, arguments and collected fields of the four fields above the
// comments, one slice for the elements of the list, and two or three buffers for the
// JSON, which is escaped once and copied once into the response.
func BenchmarkExecution(b *testing.B) {
	const query = `{product(id:"42"){comments(first:20){nodes{commentId rating language title text author createdAt}pageInfo{hasNextPage endCursor}}}}`
	s := &shop{comments: page(20)}
	for _, c := range []struct {
		name       string
		extensions []graphql.HandlerExtension
	}{{"gqlgen", nil}, {"fastpath", []graphql.HandlerExtension{Extension{}}}} {
		b.Run(c.name, func(b *testing.B) {
			e := executionOf(s, c.extensions...)
			b.ReportAllocs()
			for b.Loop() {
				if r := e.run(b, query, nil); r.Errors != nil {
					b.Fatal(r.Errors)
				}
			}
		})
	}
}
