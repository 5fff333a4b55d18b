package model_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"product-comments/graph/model"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key/list"
	"product-comments/store/read/plan"
)

// A comment that was deleted while its page was read has no votes and no edits, and
// takes no page away; what could not be read is an error.
func TestWhatCouldNotBeLoaded(t *testing.T) {
	for code, want := range map[errs.Code]bool{errs.NotFound: true, errs.Unavailable: false} {
		page := store.Page{Page: list.Page[*store.Comment]{Items: []*store.Comment{{ID: "c", CreatedAt: time.Unix(7, 0), EditElsewhere: true}}}}
		c := model.NewCommentConnection(page, plan.Filter{}, nil)
		c.Load(0, nil, errs.Errorf(code, "no"))
		node := c.Nodes()[0]
		n, err := node.HelpfulCount()
		testkit.Check(t, (err == nil) == want && n == 0, "%s: %d, %v", code, n, err)
		n, err = node.UnhelpfulCount()
		testkit.Check(t, (err == nil) == want && n == 0, "%s: %d, %v", code, n, err)
		n, err = node.Version()
		testkit.Check(t, (err == nil) == want && n == 1, "%s: version %d, %v", code, n, err)
		at, err := node.UpdatedAt()
		testkit.Check(t, (err == nil) == want && at.Equal(time.Unix(7, 0)), "%s: %s, %v", code, at, err)
	}
}

// An optional member that lists load has a method with the error of loading it: otherwise it
// would be null without one.
func TestOptionalsThatAreLoaded(t *testing.T) {
	for _, o := range item.Optionals {
		m, has := reflect.TypeFor[model.Comment]().MethodByName(strings.ToUpper(o.Name[:1]) + o.Name[1:])
		has = has && m.Type.NumOut() == 2
		loaded := item.NeedsOf([]string{o.Name}).Of(new(item.Comment))
		testkit.Check(t, has == loaded, "%s: has such a method: %t, is loaded: %t", o.Name, has, loaded)
	}
}
