package store_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/plan"
	"product-comments/store/settings"
	"product-comments/store/storetest"
	"product-comments/store/verify"
)

// withPowerSet returns a store with a product of five comments whose copies are
// complete. Nobody projects any more.
func withPowerSet(t *testing.T, c *clock) *store.Store {
	t.Helper()
	s := quick(t, c)
	var comments []store.Comment
	for i := range 5 {
		c := saying(string(rune('1'+i)), i)
		if c.Rating > 2 { // so that comments of ratings 1 and 2 are cheaper to read as copies than among all
			c.Text = strings.Repeat(c.Text, 30)
		}
		comments = append(comments, c)
	}
	importAll(t, s, comments)
	stop := projecting(t, s)
	for { // the projector has to find the stream first
		if now, err := s.Settings().Read(t.Context()); err != nil {
			t.Fatal(err)
		} else if now.State == settings.StateKept {
			break
		}
	}
	must(t, s.PowerSets().On(t.Context(), "42", nil))
	stop()
	return s
}

// Only the projector writes copies: what fills a power set would be ahead of the
// records of other changes, of which only the first and the last image count.
func TestFillingLeavesCopiesToTheProjector(t *testing.T) {
	s := quick(t, &clock{})
	project(t, s)
	importAll(t, s, []store.Comment{saying("1", 1), saying("2", 2)})
	project(t, s)
	ctx, stop := context.WithCancel(t.Context())
	if err := s.PowerSets().On(ctx, "42", func(int) { stop() }); ctx.Err() == nil || err == nil {
		t.Fatalf("it was not stopped when everything was touched: %v", err)
	}
	if n := copies(t, s); n != 0 {
		t.Errorf("%d copies before anybody projected", n)
	}
	project(t, s)
	if n := copies(t, s); n != 2*32 {
		t.Errorf("%d copies of two comments", n)
	}
}

// Nothing writes copies whose control item is gone, whatever the settings said
// when the transaction was gathered.
func TestCopiesNeedTheirControlItem(t *testing.T) {
	s := quick(t, &clock{})
	project(t, s)
	_, err := s.Settings().Change(t.Context(), func(now *settings.Settings) (bool, error) {
		now.PowerSets = map[string]settings.PowerSet{"42": settings.PowerSetReady}
		return true, nil
	})
	must(t, err)
	importAll(t, s, []store.Comment{saying("1", 1)})
	ctx, cancel := context.WithTimeout(t.Context(), time.Second) // it tries again and again
	defer cancel()
	if _, err := storetest.ProjectOnce(ctx, storetest.Streams(t), s.Projector()); err == nil {
		t.Error("a comment was projected without the control item of its copies")
	}
	if n := copies(t, s); n != 0 {
		t.Errorf("%d copies", n)
	}
}

// Packing is no edit, and copies that are packed otherwise, or not at all, are
// no difference.
func TestPackingIsNoDifference(t *testing.T) {
	s := withPowerSet(t, &clock{})
	train(t, s, 200)
	other := store.New(storetest.Client(t), s.Table(), store.Options{})
	if n, err := other.PackTexts(t.Context(), store.ScanOptions{}); n == 0 || err != nil {
		t.Fatalf("packed %d, %v", n, err)
	}
	found, err := verify.Run(t.Context(), other.Projector(), verify.Options{Patience: time.Millisecond})
	must(t, err)
	for _, difference := range found.Differences { // that sizes are not projected yet is one
		if strings.Contains(difference.What, "copies") {
			t.Errorf("verify found: %s", difference)
		}
	}
}

// A server writes to a product whose power set it has not heard of yet. When it
// does, the copies may lack what it wrote, and its author is to see that.
func TestOwnWritesBeforeAPowerSetIsKnown(t *testing.T) {
	var c clock
	s := withPowerSet(t, &c)
	turn := func(sets map[string]settings.PowerSet) {
		t.Helper()
		_, err := s.Settings().Change(t.Context(), func(now *settings.Settings) (bool, error) {
			changed := len(now.PowerSets) != len(sets)
			now.PowerSets = sets
			return changed, nil
		})
		must(t, err)
	}
	turn(nil)
	server := store.New(storetest.Client(t), s.Table(), store.Options{MetaAge: 10 * time.Second, Now: c.now})
	if known, err := server.Settings().Recent(t.Context()); err != nil || len(known.PowerSets) > 0 {
		t.Fatalf("%v, %v", known, err)
	}
	turn(map[string]settings.PowerSet{"42": settings.PowerSetReady})
	made := mustCreate(t, server, store.NewComment{ProductID: "42", Rating: 2, Language: "en"})
	c.advance(11 * time.Second)
	ratings, err := key.RatingsOf(1, 2)
	must(t, err)
	shows := func(s *store.Store) bool {
		t.Helper()
		page := pageOf(t, s, plan.Filter{ProductID: "42", Ratings: ratings}, store.Window{Limit: 10})
		return len(page.Items) > 0 && page.Items[0].ID == made.ID
	}
	if !shows(server) {
		t.Error("its own comment is hidden")
	}
	if shows(store.New(storetest.Client(t), s.Table(), store.Options{Now: c.now})) {
		t.Error("others read no copies, which lack the comment")
	}
	if recent, err := server.Settings().Recent(t.Context()); err != nil || recent.PowerSets["42"] != settings.PowerSetReady {
		t.Errorf("the server has not heard of the power set: %v, %v", recent, err)
	}
}
