package store_test

import (
	"encoding/json"
	"testing"
	"time"

	"product-comments/store"
	"product-comments/store/attributes"
	"product-comments/store/plan"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
)

// What has come to be shown is not looked for in lists before all comments carry it there.
func TestShownOnceAllCarryIt(t *testing.T) {
	client := double.New(double.Options{}).Client("test")
	s := store.New(client, "comments", store.Options{PlaceAge: -1, MetaAge: time.Nanosecond})
	must(t, s.EnsureTable(t.Context(), true))
	keep := func() {
		t.Helper()
		if _, err := storetest.ProjectOnce(t.Context(), client, s.Projector()); err != nil {
			t.Fatal(err)
		}
	}
	keep()
	fit := attributes.Definition{Key: "fit", Type: attributes.Number}
	define(t, s, "42", []attributes.Definition{fit})
	importAll(t, s, model{{ID: "1", ProductID: "42", Rating: 5, Language: "en", CreatedAt: time.Unix(1, 0), Attributes: json.RawMessage(`{"fit":3}`)}})
	keep()
	fit.Shown = true
	if _, err := s.Attributes().Define(t.Context(), attributes.Change{Scope: attributes.Scope{Product: "42"}, Definitions: []attributes.Definition{fit}}); err != nil {
		t.Fatal(err)
	}
	three := "3"
	given, err := s.AttributeFilters(t.Context(), "42", "attributes", []plan.AttributeFilter{{Key: "fit", Min: &three}})
	must(t, err)
	for _, order := range []plan.Order{{}, {Field: plan.ByRating}, {Field: plan.ByAttribute, Attribute: "fit"}} {
		page, err := s.Page(t.Context(), plan.Filter{ProductID: "42", Order: order, Attributes: given}, store.Window{Limit: 5})
		if err != nil || len(page.Items) != 1 {
			t.Errorf("%s: %d comments, %v\n%s", order, len(page.Items), err, page.Plan)
		}
	}
}
