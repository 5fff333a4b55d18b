package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/store"
	"product-comments/store/attributes"
	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/moderation"
	"product-comments/store/plan"
)

// A comment loses a value to a change of definitions only if the change is forced,
// whether the comment is published or not, and shows what the definitions say by then
// when it comes to be published.
func TestChangesOfDefinitionsCountWhatIsNotPublished(t *testing.T) {
	t.Parallel()
	s := storeWith(t, store.Options{PlaceAge: -1, MetaAge: time.Nanosecond, Moderation: moderation.Options{Mode: moderation.Pre}})
	project(t, s)
	defs := s.Attributes()
	size := attributes.Definition{Key: "size", Type: attributes.Choice, Options: []attributes.Option{{Value: "S"}, {Value: "M"}}}
	fit := attributes.Definition{Key: "fit", Type: attributes.Number}
	create := func(product string, given ...attributes.Input) string {
		t.Helper()
		c, err := s.Create(t.Context(), store.NewComment{ProductID: product, Rating: 5, Language: "en", Owner: "alice", Attributes: given})
		if err != nil || c.State != item.Pending {
			t.Fatalf("%+v, %v", c, err)
		}
		return c.ID
	}
	wantConflict := func(what string, err error, count string) {
		t.Helper()
		if errs.CodeOf(err) != errs.Conflict || !strings.Contains(err.Error(), count) {
			t.Errorf("%s: %v, want a conflict with %s", what, err, count)
		}
	}
	small := attributes.Input{Key: "size", Value: "S"}
	both := []attributes.Definition{size, fit}
	of := attributes.Scope{Product: "42"}
	define(t, s, "42", both)
	define(t, s, "other", both)
	create("other", small)
	pending := create("42", small)
	create("42", attributes.Input{Key: "fit", Value: "4"})
	if _, err := defs.Define(t.Context(), attributes.Change{Scope: attributes.Scope{Product: "none"}, Definitions: both}); err != nil {
		t.Fatal(err)
	}
	if lost, err := defs.Define(t.Context(), attributes.Change{Scope: attributes.Scope{Product: "none"}}); err != nil || lost != nil {
		t.Errorf("a product without comments: %v, %v", lost, err)
	}
	_, err := defs.Define(t.Context(), attributes.Change{Scope: of, Definitions: []attributes.Definition{fit}})
	wantConflict("a pending comment", err, `"size" of 1 comments`)
	decide(t, s, create("42", small), moderation.Reject)
	decide(t, s, create("42", small), moderation.Withdraw)
	decide(t, s, create("42", small), moderation.Approve)
	gone := create("42", small)
	remove(t, s, gone)
	_, err = defs.Define(t.Context(), attributes.Change{Scope: of, Definitions: []attributes.Definition{fit}})
	wantConflict("comments of all states", err, `"size" of 4 comments`)
	if d, err := defs.Now(t.Context(), "42"); err != nil || d.Of("size") == nil {
		t.Errorf("refused, it has %+v, %v", d.List(), err)
	}
	// To a text no value is lost; the comment that is approved then is found by it.
	asText := attributes.Definition{Key: "size", Type: attributes.Text, Shown: true}
	if lost, err := defs.Define(t.Context(), attributes.Change{Scope: of, Definitions: []attributes.Definition{asText, fit}}); err != nil || lost != nil {
		t.Fatal(lost, err)
	}
	filled := make(chan error, 1)
	go func() { filled <- s.Columns().Fill(t.Context(), "42") }()
	decide(t, s, pending, moderation.Approve)
	for done := false; !done; {
		select {
		case err := <-filled:
			if done = true; err != nil {
				t.Fatal(err)
			}
		default:
		}
		project(t, s)
	}
	f := filterOf("42", "", 0)
	if f.Attributes, err = s.AttributeFilters(t.Context(), "42", "attributes", []plan.AttributeFilter{{Key: "size", Equals: []string{"S"}}}); err != nil {
		t.Fatal(err)
	}
	page, err := s.Page(t.Context(), f, store.Window{Limit: 10})
	if err != nil || !slices.ContainsFunc(page.Items, func(c store.Comment) bool { return c.ID == pending }) {
		t.Errorf("%+v, %v: the comment that was approved is missing", page.Items, err)
	}
	lost, err := defs.Define(t.Context(), attributes.Change{Scope: of, Force: true})
	if want := []attributes.Unconverted{{Key: "fit", Count: 1, Counted: true}, {Key: "size", Count: 4, Counted: true}}; err != nil || !slices.Equal(lost, want) {
		t.Errorf("forced it took %v, %v, want %v", lost, err, want)
	}

	// Of a group all of its products count, and no others.
	shoes, boots := attributes.Scope{Group: "shoes"}, attributes.Scope{Group: "boots"}
	for group, list := range map[attributes.Scope][]attributes.Definition{shoes: both, boots: {asText}} {
		if _, err := defs.Define(t.Context(), attributes.Change{Scope: group, Definitions: list}); err != nil {
			t.Fatal(err)
		}
	}
	assign := func(product, group string, force bool) error {
		return defs.Assign(t.Context(), attributes.Assignment{Product: product, Group: group, Force: force})
	}
	for _, product := range []string{"1", "2"} {
		must(t, assign(product, "shoes", false))
		create(product, small)
	}
	decide(t, s, create("2", small), moderation.Approve)
	_, err = defs.Define(t.Context(), attributes.Change{Scope: shoes, Definitions: []attributes.Definition{fit}})
	wantConflict("a group", err, `"size" of 3 comments`)
	wantConflict("taken out of its group", assign("1", "", false), `"size" of 1 comments`)
	if group, err := defs.GroupOf(t.Context(), "1"); err != nil || group != "shoes" {
		t.Errorf("refused, it is in %q, %v", group, err)
	}
	if err := assign("1", "boots", false); err != nil { // where size is a text
		t.Error(err)
	}
	wantConflict("one published, one pending", assign("2", "", false), `"size" of 2 comments`)
	if err := assign("2", "", true); err != nil {
		t.Error(err)
	}
}
