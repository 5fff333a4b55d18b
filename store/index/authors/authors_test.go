package authors_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/index/authors"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// newStore returns a table in memory, and its client.
func newStore(t *testing.T) (*store.Store, *double.Client) {
	t.Helper()
	api := double.New(double.Options{}).Client("test")
	s := store.New(api, "comments", store.Options{PlaceAge: -1, MetaAge: time.Nanosecond})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	testkit.Value(storetest.ProjectOnce(t.Context(), api, s.Projector()))(t)
	return s, api
}

// people are whose comments are mixed up if keys are.
var people = []string{"alice", "alic", "alice#", "alice/COMMENT#"}

// instants are few, so that comments have the same, and borders lie at them.
func instant(r *rand.Rand) time.Time {
	return time.Date(2026, 6, 30, 12, 0, r.IntN(6), r.IntN(2), time.UTC)
}

// Every window of what someone wrote, in every state and between all borders, is that of
// a list in memory.
func TestPagesEqualTheModel(t *testing.T) {
	s, api := newStore(t)
	r := testkit.Random(t)
	var all []store.Comment
	for i := range 120 {
		at := instant(r)
		all = append(all, store.Comment{
			ID: fmt.Sprintf("c%d#%d", i%7, i), ProductID: fmt.Sprint("p", i%3), Rating: 1 + i%5, Language: "en", CreatedAt: at, UpdatedAt: at, Version: 1,
			Owner: people[r.IntN(len(people))], State: item.State(r.IntN(int(item.States))),
		})
	}
	testkit.Value(s.Import(t.Context(), all))(t)
	for i := range all[:20] { // changes its state, or is deleted
		if all[i].State == item.Withdrawn || all[i].State == item.Rejected {
			testkit.Value(s.Delete(t.Context(), all[i].ID, nil))(t)
			all[i].Owner = ""
			continue
		}
		after := testkit.Value(s.Decide(t.Context(), store.Ruling{ID: all[i].ID, Verb: 1, Reason: "rude"}))(t)
		all[i].State = after.State
	}
	slices.SortFunc(all, func(a, b store.Comment) int { return strings.Compare(b.Position().SortKey(), a.Position().SortKey()) })
	a := authors.New(table.New(api, "comments", table.Options{}))
	place := func() *key.Position {
		if r.IntN(3) == 0 {
			return nil
		}
		at := all[r.IntN(len(all))].Position() // perhaps another's
		return &at
	}
	border := func() (at time.Time) {
		if r.IntN(2) == 0 {
			at = instant(r)
		}
		return at
	}
	shown, full := 0, 0
	for range 1500 {
		f := authors.Filter{Author: people[r.IntN(len(people))], From: border(), Before: border()}
		if n := item.State(r.IntN(int(item.States) + 1)); n < item.States {
			f.State = &n
		}
		w := store.Window{Limit: r.IntN(9), Backward: r.IntN(2) == 0, After: place(), Before: place()}
		var inside []string
		for _, c := range all {
			at := c.Position().SortKey()
			if c.Owner == f.Author && (f.State == nil || c.State == *f.State) && (f.From.IsZero() || !c.CreatedAt.Before(f.From)) && (f.Before.IsZero() || c.CreatedAt.Before(f.Before)) &&
				(w.After == nil || at < w.After.SortKey()) && (w.Before == nil || at > w.Before.SortKey()) {
				inside = append(inside, c.ID)
			}
		}
		want := list.Page[string]{Items: inside, HasNext: w.Before != nil, HasPrevious: w.After != nil}
		if cut := len(inside) - w.Limit; cut > 0 && w.Backward {
			want.Items, want.HasPrevious = inside[cut:], true
		} else if cut > 0 {
			want.Items, want.HasNext = inside[:w.Limit], true
		}
		page := testkit.Value(a.Page(t.Context(), f, w))(t)
		var got []string
		for _, at := range page.Items {
			got = append(got, at.CommentID)
		}
		if !slices.Equal(got, want.Items) || page.HasNext != want.HasNext || page.HasPrevious != want.HasPrevious {
			t.Fatalf("%q in %+v: got %q, %t, %t, want %+v", f.Scope(), w, got, page.HasNext, page.HasPrevious, want)
		}
		if shown += len(got); len(inside) > w.Limit {
			full++
		}
	}
	testkit.Check(t, shown >= 100 && full >= 50, "%d comments were shown, on %d full pages: the windows are of no use", shown, full)
}
