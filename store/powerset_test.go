package store_test

import (
	"context"
	"os"
	"testing"
	"time"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/plan"
	"product-comments/store/settings"
	"product-comments/store/storetest"
	"product-comments/store/stream"
	"product-comments/store/table"
	"product-comments/store/verify"
)

// quick is a store that is sooner sure that others know what it knows.
func quick(t testing.TB, c *clock) *store.Store {
	t.Helper()
	timeout := 3 * time.Second
	if os.Getenv("TEST_ENGINE") != "" { // other engines are slower
		timeout = 15 * time.Second
	}
	s := storeWith(t, store.Options{CallTimeout: timeout, MetaAge: 20 * time.Millisecond, Now: c.now, PlaceAge: -1})
	return s
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

// statisticsOf returns the key of a product's statistics, all or those of a language.
func statisticsOf(product, language string) table.Item {
	return table.KeyOf(key.Product(product), key.StatisticsSK(language))
}

// pages compares the pages of every filter of a product with the model.
func (m shop) pages(t testing.TB, s *store.Store, product string, powerSet bool) {
	t.Helper()
	list := m.of(product)
	for _, language := range []string{"", "en"} {
		for mask := range key.AllRatings + 1 {
			f := plan.Filter{ProductID: product, Languages: key.Languages(language), Ratings: mask.Canonical()}
			page := pageOf(t, s, f, store.Window{Limit: 5})
			want, more := list.filter(f).window(f.Order, store.Window{Limit: 5})
			if ids(page.Items) != ids(want) || page.HasNext != more {
				t.Errorf("%+v: got %s, want %s", f, ids(page.Items), ids(want))
			}
			for i := range page.Items {
				if page.Items[i].Text != want[i].Text || page.Items[i].Version != want[i].Version && want[i].Version != 0 {
					t.Errorf("%+v: got %+v, want %+v", f, page.Items[i], want[i])
				}
			}
			if powerSet && page.Cost.Queries > 1 {
				t.Errorf("%+v: %d queries", f, page.Cost.Queries)
			}
			if all, _, _ := walkPlaces(t, s, f, 3, true); ids(all) != ids(list.filter(f)) {
				t.Errorf("%+v: walked %s, want %s", f, ids(all), ids(list.filter(f)))
			}
		}
	}
}

func verified(t testing.TB, s *store.Store, m shop) {
	t.Helper()
	found, err := verify.Run(t.Context(), s.Projector(), verify.Options{})
	if err != nil || found.State != settings.StateKept || len(found.Differences) > 0 || found.Comments != int64(len(m)) {
		t.Errorf("%d comments, verified %+v, %v", len(m), found, err)
	}
}

// Switching on and off goes on where it was stopped.
func TestPowerSetIsResumed(t *testing.T) {
	t.Parallel()
	var c clock
	s := quick(t, &c)
	m := shop{}
	var list []store.Comment
	for i, comment := range randomModel(testkit.Random(t), "1", 120) {
		comment.Language = []string{"en", "de"}[i%2]
		list = append(list, comment)
		m[comment.ID] = comment
	}
	importAll(t, s, list)
	project(t, s)
	ctx, stop := context.WithCancel(t.Context())
	seen := 0
	err := s.PowerSets().On(ctx, "1", func(n int) {
		if seen = n; n > 50 {
			stop()
		}
	})
	if err == nil || seen > 100 {
		t.Fatalf("it was not stopped: %d, %v", seen, err)
	}
	project(t, s)
	some := copies(t, s)
	stopProjecting := projecting(t, s)
	must(t, s.PowerSets().On(t.Context(), "1", func(n int) { seen = n }))
	stopProjecting()
	if some == 0 || seen >= 120 {
		t.Errorf("it started over: %d copies, then %d comments", some, seen)
	}
	verified(t, s, m)
	if n := copies(t, s); n != 120*32 {
		t.Errorf("%d copies", n)
	}
	ctx, stop = context.WithCancel(t.Context())
	err = s.PowerSets().Off(ctx, "1", func(n int) {
		if n > 50 {
			stop()
		}
	})
	if left := copies(t, s); err == nil || left == 0 {
		t.Fatalf("it was not stopped: %d left, %v", left, err)
	}
	wantCode(t, s.PowerSets().On(t.Context(), "1", nil), "CONFLICT")
	must(t, s.PowerSets().Off(t.Context(), "1", nil))
	if n := copies(t, s); n != 0 {
		t.Errorf("%d copies are left", n)
	}
	verified(t, s, m)
}
