package model_test

import (
	"testing"
	"time"

	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/list"
	"product-comments/store/plan"
)

// A comment that was deleted while its page was read has no votes and no edits, and
// takes no page away; what could not be read is an error.
func TestWhatCouldNotBeLoaded(t *testing.T) {
	for code, want := range map[errs.Code]bool{errs.NotFound: true, errs.Unavailable: false} {
		page := store.Page{Page: list.Page[store.Comment]{Items: []store.Comment{{ID: "c", CreatedAt: time.Unix(7, 0), EditElsewhere: true}}}}
		c := model.NewCommentConnection(page, plan.Filter{}, nil)
		c.Load(0, nil, errs.Errorf(code, "no"))
		node := c.Nodes()[0]
		if n, err := node.HelpfulCount(); (err == nil) != want || n != 0 {
			t.Errorf("%s: %d, %v", code, n, err)
		}
		if n, err := node.UnhelpfulCount(); (err == nil) != want || n != 0 {
			t.Errorf("%s: %d, %v", code, n, err)
		}
		if n, err := node.Version(); (err == nil) != want || n != 1 {
			t.Errorf("%s: version %d, %v", code, n, err)
		}
		if at, err := node.UpdatedAt(); (err == nil) != want || !at.Equal(time.Unix(7, 0)) {
			t.Errorf("%s: %s, %v", code, at, err)
		}
	}
}
