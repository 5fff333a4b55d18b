package resolvers_test

import (
	"fmt"
	"strings"
	"testing"

	"product-comments/internal/apitest"
	"product-comments/internal/testkit"
)

// page queries product 42's comments and returns ids, cursors and page info.
func (s *service) page(t *testing.T, arguments string) (ids []string, cursors []string, info map[string]any) {
	t.Helper()
	if arguments != "" {
		arguments = "(" + arguments + ")"
	}
	a := s.Post(t, `{product(id:"42"){comments`+arguments+`{edges{cursor node{commentId}} nodes{commentId}
		pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}}`, nil)
	testkit.Need(t, len(a.Errors) == 0, "%s: %+v", arguments, a.Errors)
	for i, e := range a.At(t, "product", "comments", "edges").([]any) {
		edge := e.(map[string]any)
		id := edge["node"].(map[string]any)["commentId"].(string)
		ids, cursors = append(ids, id), append(cursors, edge["cursor"].(string))
		node := a.At(t, "product", "comments", "nodes", i, "commentId")
		testkit.Check(t, node == id, "%s: edge %d is %s, node %v", arguments, i, id, node)
	}
	info = a.At(t, "product", "comments", "pageInfo").(map[string]any)
	n := len(cursors)
	testkit.Check(t, n == 0 || info["startCursor"] == cursors[0] && info["endCursor"] == cursors[n-1], "%s: page info %v does not match the edges", arguments, info)
	return ids, cursors, info
}

func TestConnection(t *testing.T) {
	s := serve(t)
	s.Fill(t, apitest.Comments(45)...)
	wantPage := func(arguments, first, last string, n int, next, previous bool) []string {
		t.Helper()
		ids, cursors, info := s.page(t, arguments)
		testkit.Check(t, len(ids) == n && (n == 0 || ids[0] == first && ids[n-1] == last) && info["hasNextPage"] == next && info["hasPreviousPage"] == previous, "%s: %v, %v", arguments, ids, info)
		return cursors
	}
	c := wantPage("", "c044", "c025", 20, true, false)
	// first: 0 is legal, and still reports whether there is more.
	_, _, info := s.page(t, "first:0")
	testkit.Check(t, info["startCursor"] == nil && info["endCursor"] == nil && info["hasNextPage"] == true, "first 0: %v", info)
	// The order is the same in both directions.
	wantPage(fmt.Sprintf("first:10,after:%q", c[19]), "c024", "c015", 10, true, true)
	wantPage(fmt.Sprintf("last:5,before:%q", c[19]), "c030", "c026", 5, true, true)
	wantPage("last:5", "c004", "c000", 5, false, true)
	wantPage("last:100", "c044", "c000", 45, false, false)
	wantPage("first:45", "c044", "c000", 45, false, false)
	wantPage("first:44", "c044", "c001", 44, true, false)
	wantPage(fmt.Sprintf("last:3,before:%q", c[2]), "c044", "c043", 2, true, false)
	wantPage(fmt.Sprintf("first:100,after:%q,before:%q", c[4], c[8]), "c039", "c037", 3, true, true)
	wantPage(fmt.Sprintf("last:2,after:%q,before:%q", c[4], c[8]), "c038", "c037", 2, true, true)
	wantPage(fmt.Sprintf("first:5,after:%q,before:%q", c[8], c[4]), "", "", 0, true, true)
	// The same request over the same data gives the same cursors, byte for byte.
	for range 3 {
		again := wantPage("", "c044", "c025", 20, true, false)
		testkit.Check(t, strings.Join(again, " ") == strings.Join(c, " "), "cursors changed")
	}
	// After its comment is deleted, a cursor still names the same place.
	testkit.Value(s.Store.Delete(t.Context(), "c025", nil))(t)
	wantPage(fmt.Sprintf("first:2,after:%q", c[19]), "c024", "c023", 2, true, true)
	wantPage(fmt.Sprintf("last:2,before:%q", c[19]), "c027", "c026", 2, true, true)
	// Null and every rating are no filter.
	for _, none := range []string{"ratings:null", "ratings:[]", "ratings:[5,4,3,2,1]", "language:null,first:null"} {
		ids, _, _ := s.page(t, none)
		testkit.Check(t, len(ids) == 20 && ids[0] == "c044", "%s: %v", none, ids)
	}
	ids, _, _ := s.page(t, `ratings:[5,1,1],language:"EN",first:4`)
	testkit.Check(t, strings.Join(ids, " ") == "c044 c040 c039 c035", "ratings 1 and 5: %v", ids)
	ids, _, info = s.page(t, `language:"pt"`)
	testkit.Check(t, len(ids) == 0 && info["hasNextPage"] == false && info["startCursor"] == nil, "an empty list: %v, %v", ids, info)
	// A product without comments resolves.
	s.Want(t, `{product(id:"none"){productId comments{nodes{id}}}}`, `{"product":{"productId":"none","comments":{"nodes":[]}}}`)
}
