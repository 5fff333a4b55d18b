package attributeorder_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/read/plan"
)

// trips returns how many round trips a page may take: one for each range of the list
// that it is read from.
func trips(w store.Window, page *store.Page) int {
	begins, ends := 0, page.Position(len(page.Items)-1).Range
	if w.After != nil {
		begins = w.After.Range
	}
	if w.Backward {
		begins, ends = page.Position(0).Range, 1
		if w.Before != nil {
			ends = w.Before.Range
		}
	}
	switch { // whether others follow may be for the next stretch to say
	case w.Backward && !page.HasPrevious:
		begins = 0
	case !w.Backward && !page.HasNext:
		ends = 1
	}
	return 1 + ends - begins
}

// A moderator's table, with whatever column as its order, reads a page in at most two
// round trips: one among the
// values or among those without one, two where the values end. No page takes more than
// three queries.
func TestAPageOfATableIsTwoRoundTrips(t *testing.T) {
	w := newWorld(t)
	w.define(attributes.Definition{Key: "fit", Type: attributes.Number}, attributes.Definition{Key: "size", Type: attributes.Text})
	w.fill()
	var comments []store.Comment
	for i := range 300 {
		c := store.Comment{ID: fmt.Sprintf("%03d", i), ProductID: "42", Rating: 1, Language: "en", CreatedAt: time.Unix(int64(i), 0)}
		switch i % 5 {
		case 0, 1:
			c.Attributes = json.RawMessage(`{"fit":` + strconv.Itoa(i%7) + `}`)
		case 2:
			c.Attributes = json.RawMessage(`{"size":"L"}`)
		}
		comments = append(comments, c)
	}
	for i := range comments[:60] { // the oldest all have another value
		if comments[i].Attributes == nil {
			comments[i].Attributes = json.RawMessage(`{"size":"M"}`)
		}
	}
	testkit.Value(w.s.Import(t.Context(), comments))(w)
	for range 5 {
		w.project()
	}
	for _, o := range []plan.Order{{Field: plan.ByAttribute, Attribute: "fit"}, {Field: plan.ByAttribute, Attribute: "fit", Ascending: true}, {Field: plan.ByHelpful}} {
		for _, backward := range []bool{false, true} {
			window := store.Window{Limit: 50, Backward: backward}
			for n := 0; ; n++ {
				page := testkit.Value(w.s.Page(t.Context(), plan.Filter{ProductID: "42", Order: o}, window))(w)
				if most := trips(window, &page); page.Cost.RoundTrips > most || page.Cost.Queries > 3 {
					t.Errorf("page %d %v, backward %t, takes %d queries in %d round trips, at most 3 in %d", n, o, backward, page.Cost.Queries, page.Cost.RoundTrips, most)
				}
				if backward && !page.HasPrevious || !backward && !page.HasNext {
					break
				}
				first, last := page.Position(0), page.Position(len(page.Items)-1)
				if backward {
					window.Before = &first
				} else {
					window.After = &last
				}
			}
		}
	}
}
