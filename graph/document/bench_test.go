package document_test

import (
	"fmt"
	"testing"

	"product-comments/graph/document"
	"product-comments/internal/testkit"
)

// page is what a front end sends for a page of comments.
const page = `query Page($id:ID!,$first:Int=20,$after:String){product(id:$id){id ...Head comments(first:$first,after:$after){edges{cursor node{id ...Card}} pageInfo{hasNextPage endCursor}}}}
fragment Head on Product{id productId stats{totalCount averageRating}}
fragment Card on Comment{id rating title text author language createdAt product{id productId}}`

// BenchmarkRead is the reading of a page's document: of one that is kept, and of one that
// was never sent.
func BenchmarkRead(b *testing.B) {
	read := func(b *testing.B, r *document.Reader, text string) {
		_, problems := r.Read(b.Context(), text)
		testkit.Need(b, len(problems) == 0, "%v", problems)
	}
	b.Run("kept", func(b *testing.B) {
		r := reader()
		b.ReportAllocs()
		for b.Loop() {
			read(b, r, page)
		}
	})
	b.Run("new", func(b *testing.B) {
		r, n := reader(), 0
		b.ReportAllocs()
		for b.Loop() {
			n++
			read(b, r, page+fmt.Sprintf("# %d", n))
		}
	})
}
