package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/storetest"
)

// Lists whose conditions are checked comment by comment have all comments that fulfil them, in
// order, from both ends, on pages of any length. No page reads more than 500 comments, and a page
// that ends early leads on.
func TestSiftedLists(t *testing.T) {
	s := moderated(t, moderation.Options{})
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var all []store.Comment
	for i := range 1100 {
		c := store.Comment{ID: fmt.Sprintf("c%04d", i), ProductID: fmt.Sprint("p", i%7), Rating: 1 + i%5, Language: "en", Owner: "alice",
			CreatedAt: at.Add(time.Duration(i) * time.Minute), State: item.Pending, Title: []string{"Café", "Bag", "Shoe"}[i%3]}
		if i%400 == 7 {
			c.Text = "A needle"
		}
		if i >= 1095 {
			c.Text = "The tail"
		}
		if i%300 == 8 {
			c.Photos = []store.Photo{{ID: storetest.PhotoID(i), Width: 1, Height: 1}}
		}
		all = append(all, c)
	}
	importAll(t, s, all)
	read := 0
	counting := storeOn(t, storetest.Before(storetest.Client(t), func(_ context.Context, in *dynamodb.BatchGetItemInput) {
		read += len(in.RequestItems[s.Table()].Keys)
	}), s.Table())
	stopped := 0
	for _, c := range []struct {
		conditions item.Conditions
		created    key.Times
		limit      int
	}{
		{item.Conditions{}, key.Times{}, 100},
		{item.Conditions{Words: "needle"}, key.Times{}, 2},
		{item.Conditions{Words: "needle"}, key.TimesOf(at.Add(7*time.Minute), at.Add(807*time.Minute)), 20},
		{item.Conditions{Words: "cafe needle"}, key.Times{}, 1},
		{item.Conditions{Words: "nothing"}, key.Times{}, 20},
		{item.Conditions{Words: "tail"}, key.Times{}, 2},
		{item.Conditions{WithPhotos: true}, key.Times{}, 3},
		{item.Conditions{ProductID: "p3", Ratings: 0b10001}, key.Times{}, 7},
		{item.Conditions{Words: "cafe"}, key.TimesOf(at.Add(500*time.Minute), time.Time{}), 100},
		{item.Conditions{Ratings: 1}, key.TimesOf(time.Time{}, at.Add(3*time.Minute)), 20},
	} {
		var want []string
		for i := range all {
			if c.conditions.Has(&all[i]) && c.created.Has(all[i].CreatedAt) {
				want = append(want, all[i].ID)
			}
		}
		pending := item.Pending
		inQueue := store.Queue{State: pending, Created: c.created, Conditions: c.conditions}
		authored := store.AuthoredFilter{Author: "alice", State: &pending, From: c.created.From, Before: c.created.Before, Conditions: c.conditions}
		for name, page := range map[string]func(store.Window) (list.Page[store.Placed], error){
			"queue": func(w store.Window) (list.Page[store.Placed], error) { return counting.Queue(t.Context(), inQueue, w) },
			"authored": func(w store.Window) (list.Page[store.Placed], error) {
				return counting.Authored(t.Context(), authored, w)
			},
		} {
			for _, backward := range []bool{false, true} {
				var got []string
				w := store.Window{Limit: c.limit, Backward: backward}
				for more := true; more; {
					read = 0
					p := testkit.Value(page(w))(t)
					testkit.Need(t, read <= 500 && len(p.Items) <= c.limit, "%s, %+v: a page of %d read %d comments", name, c, len(p.Items), read)
					var ids []string
					for _, it := range p.Items {
						ids = append(ids, it.Comment.ID)
					}
					end, edge := p.End, len(p.Items)-1
					if more = p.HasNext; backward {
						more, end, edge = p.HasPrevious, p.Start, 0
						got = append(ids, got...)
					} else {
						got = append(got, ids...)
					}
					if more && len(ids) < c.limit {
						testkit.Need(t, end != nil && read == 500, "%s, %+v: a page ends early after %d", name, c, read)
						stopped++
					}
					if end == nil && more {
						end = &p.Items[edge].At
					}
					if w.After = end; backward {
						w.After, w.Before = nil, end
					}
				}
				if name == "authored" {
					slices.Reverse(got)
				}
				testkit.Check(t, slices.Equal(got, want), "%s, %+v, backward %t: got %s, want %s", name, c, backward, strings.Join(got, " "), strings.Join(want, " "))
			}
		}
	}
	testkit.Check(t, stopped >= 10, "%d pages ended early: the test is of no use", stopped)
}
