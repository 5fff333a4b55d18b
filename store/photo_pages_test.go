package store_test

import (
	"slices"
	"testing"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/moderation"
	"product-comments/store/key"
	"product-comments/store/read/plan"
	"product-comments/store/storetest"
)

// Windows of photos are those of a list in memory, in both directions and through every cursor.
func TestPagesOfPhotosEqualTheModel(t *testing.T) {
	r := testkit.Random(t)
	a := newAlbum(t, store.Options{})
	comments := randomModel(r, "42", 60)
	importAll(t, a.Store, comments)
	type place struct {
		at key.Position
		id string
	}
	full := 0
	for range 300 {
		f := randomFilter(r, "42")
		f.Order = plan.Order{}
		var all []place
		for _, c := range comments.filter(f) {
			for n, p := range c.Photos {
				at := c.Position()
				at.Range = n
				all = append(all, place{at, p.ID})
			}
		}
		w := store.Window{Limit: r.IntN(7), Backward: r.IntN(2) == 0}
		from, to := 0, len(all)
		if len(all) > 0 && r.IntN(2) == 0 {
			n := r.IntN(len(all))
			w.After, from = &all[n].at, n+1
		}
		if len(all) > 0 && r.IntN(2) == 0 {
			n := r.IntN(len(all))
			w.Before, to = &all[n].at, n
		}
		inside := all[min(from, to):to]
		more := len(inside) > w.Limit
		if more && w.Backward {
			inside = inside[len(inside)-w.Limit:]
		} else if more {
			inside = inside[:w.Limit]
		}
		page := testkit.Value(a.Photos(t.Context(), f, w))(t)
		var want, got []string
		for _, p := range inside {
			want = append(want, p.id)
		}
		for i := range page.Items {
			p := &page.Items[i]
			testkit.Check(t, p.Comment.Photos[p.Position().Range] == p.Photo, "%+v", p)
			got = append(got, p.ID)
		}
		hasMore := page.HasNext && w.Before == nil
		if w.Backward {
			hasMore = page.HasPrevious && w.After == nil
		}
		exact := w.Backward && w.After == nil || !w.Backward && w.Before == nil
		testkit.Need(t, slices.Equal(got, want) && (!exact || hasMore == more), "%+v in %+v: got %q, %t, want %q, %t", f, w, got, hasMore, want, more)
		if more {
			full++
		}
	}
	testkit.Check(t, full > 50, "%d pages were full", full)
}

// A page of the few comments with photos costs no more than they do, and has them only while they are
// published and have some.
func TestFewCommentsHavePhotos(t *testing.T) {
	a := newAlbum(t, store.Options{})
	a.upload(t, "alice", "a")
	a.upload(t, "bob", "b")
	var many []store.Comment
	for _, c := range randomModel(testkit.Random(t), "42", 400) {
		c.Photos = nil
		many = append(many, c)
	}
	importAll(t, a.Store, many)
	first, second := mustCreate(t, a.Store, withPhotos("alice", "a")), mustCreate(t, a.Store, withPhotos("bob", "b"))
	storetest.Maintain(t, a.Projector())
	want := func(ids ...string) {
		t.Helper()
		for _, f := range []plan.Filter{{}, {Ratings: 1 << 3}, {Languages: key.LanguagesOf("en")}, {Ratings: 1<<2 | 1<<3}} {
			f.ProductID, f.WithPhotos = "42", true
			page := testkit.Value(a.Page(t.Context(), f, store.Window{Limit: 20}))(t)
			var got []string
			for _, c := range page.Items {
				got = append(got, c.ID)
			}
			testkit.Check(t, slices.Equal(got, ids) && page.Cost.Units <= 0.5, "%+v: %q, not %q; %s", f, got, ids, page.Tree())
		}
	}
	want(second.ID, first.ID)
	rule(t, a.Store, store.Ruling{ID: first.ID, Verb: moderation.Reject, By: "mia", Reason: "rude"})
	want(second.ID)
	testkit.Value(a.RemovePhoto(t.Context(), store.PhotoRemoval{ID: second.ID, PhotoID: photoID("b"), By: "mia", Reason: "rude"}))(t)
	want()
	rule(t, a.Store, store.Ruling{ID: first.ID, Verb: moderation.Approve, By: "mia"})
	want(first.ID)
}
