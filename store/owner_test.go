package store_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
)

func wrote(t *testing.T, s *store.Store, owner, product string) []string {
	t.Helper()
	w := testkit.Value(s.Wrote(t.Context(), owner, []string{product}))(t)
	return item.IDsAt(w[0].Places)
}

func wantWrote(t *testing.T, s *store.Store, owner, product string, ids ...string) {
	t.Helper()
	got := wrote(t, s, owner, product)
	testkit.Check(t, slices.Equal(got, ids), "%s wrote %q about %s, want %q", owner, got, product, ids)
}

func by(owner string) store.NewComment {
	return store.NewComment{ProductID: "42", Rating: 4, Language: "en", Owner: owner}
}

func only(owner string) store.NewComment {
	n := by(owner)
	n.OnePerOwner = true
	return n
}

func TestWhoWroteWhat(t *testing.T) {
	s, _ := newStore(t)
	mustCreate(t, s, by("")) // no one's
	first := mustCreate(t, s, by("alice"))
	second := mustCreate(t, s, by("alice"))
	theirs := mustCreate(t, s, by("bob"))
	wantWrote(t, s, "alice", "42", second.ID, first.ID)
	wantWrote(t, s, "bob", "42", theirs.ID)
	wantWrote(t, s, "alice", "4")
	wantWrote(t, s, "alice#", "42")
	if got, err := s.Get(t.Context(), first.ID); err != nil || got.Owner != "alice" {
		t.Errorf("%+v, %v", got, err)
	}
	rating := 1
	if c, err := s.Update(t.Context(), store.Change{ID: first.ID, Rating: &rating}); err != nil || c.Owner != "alice" {
		t.Errorf("after an edit: %+v, %v", c, err)
	}
	remove(t, s, second.ID)
	wantWrote(t, s, "alice", "42", first.ID)
	// Imported again the comment stays hers, also when it goes elsewhere.
	moved := get(t, s, first.ID)
	moved.ProductID, moved.Owner = "43", ""
	importAll(t, s, []store.Comment{*moved})
	wantWrote(t, s, "alice", "42")
	wantWrote(t, s, "alice", "43", first.ID)
	page, err := s.Page(t.Context(), filterOf("43", "", 0), store.Window{Limit: 10})
	testkit.Check(t, err == nil && len(page.Items) == 1 && page.Items[0].Owner == "", "a page names owners: %+v, %v", page.Items, err)
}

func TestAGuardSeesTheOwner(t *testing.T) {
	s, _ := newStore(t)
	c := mustCreate(t, s, by("alice"))
	no := errors.New("no")
	guard := func(owner string) error {
		if owner != "bob" {
			return no
		}
		return nil
	}
	title := "changed"
	_, err := s.Update(t.Context(), store.Change{ID: c.ID, Title: &title, Guard: guard})
	testkit.Check(t, errors.Is(err, no), "update: %v", err)
	_, err = s.Delete(t.Context(), c.ID, guard)
	testkit.Check(t, errors.Is(err, no), "delete: %v", err)
	got, err := s.Get(t.Context(), c.ID)
	testkit.Check(t, err == nil && got != nil && got.Version == 1, "%+v, %v", got, err)
}

// Of many creates at once exactly one makes a comment, again and again.
func TestOneCommentPerOwner(t *testing.T) {
	s, client := newStore(t)
	for round := range 3 {
		made := make([]string, 16)
		var writers sync.WaitGroup
		for i := range made {
			other := store.New(client, s.Table(), store.Options{CallTimeout: 20 * time.Second})
			writers.Go(func() {
				c, err := other.Create(t.Context(), only("alice"))
				made[i] = c.ID
				testkit.Check(t, err == nil || errs.CodeOf(err) == errs.Conflict, "%v", err)
			})
		}
		writers.Wait()
		ids := slices.DeleteFunc(made, func(id string) bool { return id == "" })
		testkit.Need(t, len(ids) == 1, "round %d: %d comments were made", round, len(ids))
		wantWrote(t, s, "alice", "42", ids[0])
		mustCreate(t, s, only("")) // no one's
		_, err := s.Create(t.Context(), only("alice"))
		testkit.Check(t, errs.CodeOf(err) == errs.Conflict, "a second one: %v", err)
		remove(t, s, ids[0]) // frees the place
	}
}

func TestOneCommentPerOwnerCountsOlderOnes(t *testing.T) {
	s, _ := newStore(t)
	old := mustCreate(t, s, by("alice"))
	_, err := s.Create(t.Context(), only("alice"))
	testkit.Check(t, errs.CodeOf(err) == errs.Conflict, "next to an earlier one: %v", err)
	remove(t, s, old.ID)
	mustCreate(t, s, only("alice"))
}

func TestIdempotencyKeysAreTheOwners(t *testing.T) {
	s, _ := newStore(t)
	with := func(n store.NewComment, key string) store.NewComment { n.IdempotencyKey = key; return n }
	first := mustCreate(t, s, with(only("alice"), "k"))
	again := mustCreate(t, s, with(only("alice"), "k"))
	testkit.Check(t, again.ID == first.ID, "repeated it is %s, not %s", again.ID, first.ID)
	_, err := s.Create(t.Context(), with(only("alice"), "other"))
	testkit.Check(t, errs.CodeOf(err) == errs.Conflict, "another key: %v", err)
	theirs := mustCreate(t, s, with(only("bob"), "k"))
	testkit.Check(t, theirs.ID != first.ID, "bob was given alice's comment")
}
