package resolvers_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"product-comments/internal/apitest"
	"product-comments/internal/testkit"
	"product-comments/store/item"
)

// wantKeys fails unless a request reads so many keys, in one batch or a few.
func (s *service) wantKeys(t *testing.T, what, query string, keys int) {
	t.Helper()
	sum := 0
	batches := s.Batches.Fewest(func() {
		a := s.Post(t, query, nil)
		testkit.Need(t, len(a.Errors) == 0, "%s: %+v", what, a.Errors)
	})
	for _, n := range batches {
		sum += n
	}
	testkit.Check(t, sum == keys && len(batches) <= 1+keys/5, "%s: batches of %v, want %d keys", what, batches, keys)
}

// Reads of sibling fields are put into batches, usually into one.
func TestLoaders(t *testing.T) {
	s := serve(t)
	list := apitest.Comments(120)
	for i := range list {
		list[i].ProductID = fmt.Sprint(i % 3)
		if i%2 == 0 {
			list[i].Text = strings.Repeat("long", item.InlineText)
		}
	}
	s.Fill(t, list...)
	var ids []string
	for i := range 100 {
		ids = append(ids, fmt.Sprintf("%q", base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "Comment:c%03d", i))))
	}
	s.wantKeys(t, "nodes", `{nodes(ids:[`+strings.Join(ids, ",")+`]){id}}`, 100)
	s.wantKeys(t, "comments", `{a:comment(id:"c001"){id product{id}} b:comment(id:"c001"){text} c:comment(id:"c002"){id}}`, 2)
	const pages = `{products(ids:["0","1","2"]){comments(first:10){%s}}}`
	s.wantKeys(t, "long texts", fmt.Sprintf(pages, "nodes{text}"), 15)
	s.wantKeys(t, "long texts through fragments", fmt.Sprintf(pages, "edges{node{...F}}")+`
		fragment F on Comment{...on Node{...on Comment{t:text}}}`, 15)
	s.wantKeys(t, "no texts", fmt.Sprintf(pages, "nodes{title} edges{node{text @skip(if:true)}}"), 0)
	a := s.Post(t, `{product(id:"0"){comments(first:2){nodes{commentId text}}}}`, nil)
	for i := range 2 {
		id, text := a.At(t, "product", "comments", "nodes", i, "commentId").(string),
			a.At(t, "product", "comments", "nodes", i, "text").(string)
		for _, c := range list {
			testkit.Check(t, c.ID != id || c.Text == text, "%s: %d of %d bytes", id, len(text), len(c.Text))
		}
	}
}
