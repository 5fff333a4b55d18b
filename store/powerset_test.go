package store_test

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/derive/stream"
	"product-comments/store/key"
	"product-comments/store/read/plan"
	"product-comments/store/settings"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// quick is a store that is sooner sure that others know what it knows.
func quick(t testing.TB, c *clock) *store.Store {
	t.Helper()
	return storeWith(t, store.Options{CallTimeout: 3 * time.Second, MetaAge: 20 * time.Millisecond, Now: c.now, PlaceAge: -1})
}

// projecting projects all the time until stop is called.
func projecting(t testing.TB, s *store.Store) (stop func()) {
	_, stop = storetest.Consume(t, s.Projector(), stream.Options{})
	return stop
}

// copies counts the copies in the table.
func copies(t testing.TB, s *store.Store) int {
	t.Helper()
	n := 0
	eachItem(t, s.Table(), func(it table.Item) {
		if it["auto"] != nil {
			n++
		}
	})
	return n
}

// Switching on and off continues where it was stopped.
func TestPowerSetIsResumed(t *testing.T) { inMemory(t, powerSetIsResumed) }

func powerSetIsResumed(t *testing.T) {
	var c clock
	s := quick(t, &c)
	m := randomModel(testkit.Random(t), "1", 120)
	for i := range m {
		m[i].Language = []string{"en", "de"}[i%2]
	}
	importAll(t, s, m)
	project(t, s)
	ctx, stop := context.WithCancel(t.Context())
	seen := 0
	err := s.PowerSets().Enable(ctx, "1", func(n int) {
		if seen = n; n > 50 {
			stop()
		}
	})
	testkit.Need(t, err != nil && seen <= 100, "it was not stopped: %d, %v", seen, err)
	project(t, s)
	some := copies(t, s)
	stopProjecting := projecting(t, s)
	first := 0
	testkit.Must(t, s.PowerSets().Enable(t.Context(), "1", func(n int) { first = cmp.Or(first, n) }))
	stopProjecting()
	if some == 0 || first != 120 { // the page after the first one is the last
		t.Errorf("it started over: %d copies, then %d comments", some, first)
	}
	storetest.Verified(t, s.Projector())
	if n := copies(t, s); n != 120*32 {
		t.Errorf("%d copies", n)
	}
	ctx, stop = context.WithCancel(t.Context())
	err = s.PowerSets().Disable(ctx, "1", func(n int) {
		if n > 50 {
			stop()
		}
	})
	left := copies(t, s)
	testkit.Need(t, err != nil && left != 0, "it was not stopped: %d left, %v", left, err)
	wantCode(t, s.PowerSets().Enable(t.Context(), "1", nil), "CONFLICT")
	testkit.Must(t, s.PowerSets().Disable(t.Context(), "1", nil))
	if n := copies(t, s); n != 0 {
		t.Errorf("%d copies are left", n)
	}
	storetest.Verified(t, s.Projector())
}

// withPowerSet returns a store with a product of five comments whose copies are
// complete. No one projects any more.
func withPowerSet(t *testing.T, c *clock) *store.Store {
	t.Helper()
	s := quick(t, c)
	var comments []store.Comment
	r := testkit.Random(t)
	for i := range 5 {
		c := saying(string(rune('1'+i)), i)
		if c.Rating > 2 { // so that comments of ratings 1 and 2 are cheaper to read as copies than among all
			c.Text = noise(r, 4000)
		}
		comments = append(comments, c)
	}
	importAll(t, s, comments)
	stop := projecting(t, s)
	becomeKept(t, s) // the projector has to find the stream first
	testkit.Must(t, s.PowerSets().Enable(t.Context(), "42", nil))
	stop()
	return s
}

// Only the projector writes copies: what fills a power set would be ahead of the
// records of other changes, of which only the first and the last image count.
func TestFillingLeavesCopiesToTheProjector(t *testing.T) { inMemory(t, fillingLeavesCopies) }

func fillingLeavesCopies(t *testing.T) {
	s := quick(t, &clock{})
	project(t, s)
	importAll(t, s, []store.Comment{saying("1", 1), saying("2", 2)})
	project(t, s)
	ctx, stop := context.WithCancel(t.Context())
	err := s.PowerSets().Enable(ctx, "42", func(int) { stop() })
	testkit.Need(t, ctx.Err() != nil && err != nil, "it was not stopped when everything was touched: %v", err)
	if n := copies(t, s); n != 0 {
		t.Errorf("%d copies before a projection", n)
	}
	project(t, s)
	if n := copies(t, s); n != 2*32 {
		t.Errorf("%d copies of two comments", n)
	}
}

// Nothing writes copies whose control item is gone, whatever the settings said
// when the transaction was gathered.
func TestCopiesNeedTheirControlItem(t *testing.T) { inMemory(t, copiesNeedTheirControlItem) }

func copiesNeedTheirControlItem(t *testing.T) {
	s := quick(t, &clock{})
	project(t, s)
	_, err := s.Settings().Change(t.Context(), func(now *settings.Settings) (bool, error) {
		now.PowerSets = map[string]settings.IndexState{"42": settings.IndexReadable}
		return true, nil
	})
	testkit.Must(t, err)
	importAll(t, s, []store.Comment{saying("1", 1)})
	ctx, cancel := context.WithTimeout(t.Context(), time.Second) // it tries again and again
	defer cancel()
	if _, err := storetest.ProjectOnce(ctx, storetest.Streams(t), s.Projector()); err == nil {
		t.Error("a comment was projected without the control item of its copies")
	}
	testkit.Equal(t, copies(t, s), 0, "copies")
}

// A server writes to a product whose power set it has not heard of yet. When it
// does, the copies may lack what it wrote, and its author is to see that.
func TestOwnWritesBeforeAPowerSetIsKnown(t *testing.T) { inMemory(t, ownWritesBeforeAPowerSetIsKnown) }

func ownWritesBeforeAPowerSetIsKnown(t *testing.T) {
	var c clock
	s := withPowerSet(t, &c)
	turn := func(sets map[string]settings.IndexState) {
		t.Helper()
		_, err := s.Settings().Change(t.Context(), func(now *settings.Settings) (bool, error) {
			changed := len(now.PowerSets) != len(sets)
			now.PowerSets = sets
			return changed, nil
		})
		testkit.Must(t, err)
	}
	turn(nil)
	server := store.New(storetest.Client(t), s.Table(), store.Options{MetaAge: 10 * time.Second, Now: c.now})
	if known, err := server.Settings().Recent(t.Context()); err != nil || len(known.PowerSets) > 0 {
		t.Fatalf("%v, %v", known, err)
	}
	turn(map[string]settings.IndexState{"42": settings.IndexReadable})
	made := mustCreate(t, server, store.NewComment{ProductID: "42", Rating: 2, Language: "en"})
	c.advance(11 * time.Second)
	ratings, err := key.RatingsOf(1, 2)
	testkit.Must(t, err)
	shows := func(s *store.Store) bool {
		t.Helper()
		page := pageOf(t, s, plan.Filter{ProductID: "42", Ratings: ratings}, store.Window{Limit: 10})
		return slices.ContainsFunc(page.Items, func(c *store.Comment) bool { return c.ID == made.ID })
	}
	testkit.Check(t, shows(server), "its own comment is hidden")
	testkit.Check(t, !shows(store.New(storetest.Client(t), s.Table(), store.Options{Now: c.now})), "others read no copies, which lack the comment")
	if recent, err := server.Settings().Recent(t.Context()); err != nil || recent.PowerSets["42"] != settings.IndexReadable {
		t.Errorf("the server has not heard of the power set: %v, %v", recent, err)
	}
}
