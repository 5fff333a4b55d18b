package model_test

import (
	"testing"

	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/list"
	"product-comments/store/plan"
)

// A comment that was deleted while its page was read has no votes, and takes no page
// away; a count that could not be read is an error.
func TestCountsThatCouldNotBeLoaded(t *testing.T) {
	for code, want := range map[errs.Code]bool{errs.NotFound: true, errs.Unavailable: false} {
		page := store.Page{Page: list.Page[store.Comment]{Items: []store.Comment{{ID: "c"}}}}
		c := model.NewCommentConnection(page, plan.Filter{}, nil)
		c.Load(0, nil, errs.Errorf(code, "no"))
		node := c.Nodes()[0]
		if n, err := node.HelpfulCount(); (err == nil) != want || n != 0 {
			t.Errorf("%s: %d, %v", code, n, err)
		}
		if n, err := node.UnhelpfulCount(); (err == nil) != want || n != 0 {
			t.Errorf("%s: %d, %v", code, n, err)
		}
	}
}
