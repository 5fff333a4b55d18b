package store_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/derive/stream"
	"product-comments/store/derive/verify"
	"product-comments/store/key"
	"product-comments/store/orders"
	"product-comments/store/read/plan"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// ordered takes in an order of someone of some products.
func ordered(t testing.TB, s *store.Store, id, username string, products ...string) {
	t.Helper()
	o := orders.Order{ID: id, Username: username, Status: orders.Placed, Times: orders.Times{time.Unix(1_700_000_000, 0).UTC()}}
	for _, p := range products {
		o.Lines = append(o.Lines, orders.Line{ProductID: p, Quantity: 1})
	}
	_, _, err := s.RecordOrder(t.Context(), o)
	testkit.Must(t, err)
}

// came takes in that an order came to a status.
func came(t testing.TB, s *store.Store, id string, to orders.Status) {
	t.Helper()
	testkit.Value(s.SetOrderStatus(t.Context(), id, to, time.Unix(1_700_000_000+int64(to), 0).UTC()))(t)
}

// wantVerified compares what comments say of purchases: nil, or one of both.
func wantVerified(t *testing.T, s *store.Store, want map[string]any) {
	t.Helper()
	var listed []string
	for id, want := range want {
		c, err := s.Get(t.Context(), id)
		testkit.Need(t, err == nil && c != nil, "%s: %v, %v", id, c, err)
		var got any
		if c.VerifiedPurchase != nil {
			got = *c.VerifiedPurchase
		}
		testkit.Check(t, got == want, "%s by %q: %v, want %v", id, c.Owner, got, want)
		if want == true {
			listed = append(listed, id)
		}
	}
	page := pageOf(t, s, plan.Filter{ProductID: "42", VerifiedOnly: true}, store.Window{Limit: 100})
	got := make([]string, len(page.Items))
	for i, c := range page.Items {
		got[i] = c.ID
	}
	slices.Sort(got)
	slices.Sort(listed)
	testkit.Check(t, slices.Equal(got, listed), "by buyers are %q, want %q", got, listed)
}

// A comment that an import writes for someone follows their orders as their own do.
func TestImportForAnOwner(t *testing.T) {
	s, _ := newStore(t)
	ordered(t, s, "1", "alice", "42")
	came(t, s, "1", orders.Delivered)
	c := store.Comment{ID: "hers", ProductID: "42", Rating: 5, Language: "en", CreatedAt: time.Unix(1, 0), Owner: "alice"}
	for _, want := range []store.Outcome{store.Written, store.Unchanged} {
		wantOutcome(t, s, c, want)
	}
	wantVerified(t, s, map[string]any{"hers": true})
	came(t, s, "1", orders.Returned)
	settle(t, s)
	wantVerified(t, s, map[string]any{"hers": false})
	storetest.Verified(t, s.Projector())
}

// settle projects until nothing follows from what was projected.
func settle(t testing.TB, s *store.Store) {
	t.Helper()
	project(t, s)
	project(t, s)
}

func differences(t testing.TB, s *store.Store) []verify.Difference {
	t.Helper()
	found := testkit.Value(verify.Run(t.Context(), s.Projector(), verify.Options{}))(t)
	return found.Differences
}

// The store decides whether an author bought the product when they write, and then follows
// their orders: a purchase counts from the delivery until a return.
func TestVerifiedPurchase(t *testing.T) {
	s, _ := newStore(t)
	yes := true
	importAll(t, s, []store.Comment{
		{ID: "imported", ProductID: "42", Rating: 5, Language: "en", CreatedAt: time.Unix(1, 0), VerifiedPurchase: &yes},
	})
	first, bobs, nobodys := mustCreate(t, s, by("alice")), mustCreate(t, s, by("bob")), mustCreate(t, s, by(""))
	want := map[string]any{first.ID: false, bobs.ID: false, nobodys.ID: nil, "imported": true}
	wantVerified(t, s, want)

	ordered(t, s, "1", "alice", "42", "43")
	ordered(t, s, "2", "alice", "42")
	came(t, s, "1", orders.Shipped)
	settle(t, s)
	wantVerified(t, s, want)
	came(t, s, "1", orders.Delivered)
	second := mustCreate(t, s, by("alice"))
	settle(t, s)
	want[first.ID], want[second.ID] = true, true
	wantVerified(t, s, want)
	came(t, s, "2", orders.Delivered)
	came(t, s, "1", orders.Returned) // the other order is still theirs
	settle(t, s)
	wantVerified(t, s, want)
	storetest.Verified(t, s.Projector())

	// An edit and an import that says the same leave it to the orders; another import
	// has the last word.
	title := "changed"
	c, err := s.Update(t.Context(), store.Change{ID: first.ID, Title: &title})
	testkit.Check(t, err == nil && c.IsVerified() && c.Version == 2, "%+v, %v", c, err)
	again := get(t, s, second.ID)
	again.Owner = ""
	wantOutcome(t, s, *again, store.Unchanged)
	again.VerifiedPurchase = nil
	wantOutcome(t, s, *again, store.Unchanged)
	came(t, s, "2", orders.Returned)
	behind := 0 // of the orders, which no one has projected
	for _, d := range differences(t, s) {
		if strings.HasPrefix(d.Of, "verified purchases of ") {
			behind++
		}
	}
	testkit.Check(t, behind == 2, "%d comments are behind, want 2", behind)
	settle(t, s)
	want[first.ID], want[second.ID] = false, false
	wantVerified(t, s, want)
	got := get(t, s, first.ID)
	testkit.Check(t, got.Version == 2, "%+v: it was not edited", got)
	again.VerifiedPurchase = &yes
	importAll(t, s, []store.Comment{*again})
	ordered(t, s, "3", "alice", "42")
	came(t, s, "3", orders.Delivered)
	settle(t, s)
	came(t, s, "3", orders.Cancelled)
	settle(t, s)
	want[second.ID] = true
	wantVerified(t, s, want)
	storetest.Verified(t, s.Projector())

	// What an import brings to another product says what the import says, whatever its
	// owner bought there.
	moved := get(t, s, first.ID)
	moved.ProductID, moved.VerifiedPurchase, moved.Owner = "43", nil, ""
	importAll(t, s, []store.Comment{*moved})
	ordered(t, s, "4", "alice", "42", "43")
	came(t, s, "4", orders.Delivered)
	settle(t, s)
	want[first.ID] = nil
	wantVerified(t, s, want)
	storetest.Verified(t, s.Projector())
}

// What a new comment says of a purchase is true at the moment when it is written, not
// when that was looked up, and statistics count it as it is.
func TestAPurchaseIsDecidedInTheTransaction(t *testing.T) {
	s, client := newStore(t)
	ordered(t, s, "1", "alice", "42")
	late := storeOn(t, beforeTransactions(client, sync.OnceFunc(func() { came(t, s, "1", orders.Delivered) })), s.Table())
	trusted := by("alice")
	trusted.Trusted, trusted.IdempotencyKey = true, "once"
	c := mustCreate(t, late, trusted)
	testkit.Check(t, c.IsVerified(), "the delivery came before the comment")
	wantVerified(t, s, map[string]any{c.ID: true})
	settle(t, s)
	storetest.Verified(t, s.Projector())
	late = storeOn(t, beforeTransactions(client, sync.OnceFunc(func() { came(t, s, "1", orders.Returned) })), s.Table())
	other := mustCreate(t, late, by("alice"))
	testkit.Check(t, !other.IsVerified(), "the return came before the comment")
	settle(t, s)
	storetest.Verified(t, s.Projector())
}

// A rebuild, which comes after records were lost, brings comments to what orders say.
func TestARebuildSettlesPurchases(t *testing.T) {
	s, _ := newStore(t)
	ordered(t, s, "1", "alice", "42")
	came(t, s, "1", orders.Delivered)
	c := mustCreate(t, s, by("alice"))
	settle(t, s)
	damage(t, s, table.Write{Key: table.Key(key.Comment(c.ID)), Update: "SET vp = :no", Values: table.Item{":no": table.Bool(false)}})
	settle(t, s)
	found := differences(t, s)
	testkit.Check(t, len(found) == 1, "%v", found)
	testkit.Must(t, s.Projector().Touch(t.Context(), key.Comment(c.ID), 1))
	settle(t, s)
	wantVerified(t, s, map[string]any{c.ID: true})
}

// Orders come and go while their owners write, edit and delete, and projectors follow:
// in the end every comment says what its owner's orders do.
func TestPurchasesUnderWay(t *testing.T) {
	random := testkit.Random(t)
	s, client := newStore(t)
	people := []string{"alice", "bob"}
	order := func(p string, i int) string { return fmt.Sprintf("%s-%d", p, i%4) }
	for _, p := range people {
		for i := range 4 {
			ordered(t, s, order(p, i), p, "42")
		}
	}
	var stops []func()
	for range 2 {
		_, stop := storetest.Consume(t, storeOn(t, client, s.Table()).Projector(), stream.Options{})
		stops = append(stops, stop)
	}
	var running sync.WaitGroup
	for n, p := range people {
		steps := random.Perm(7 + n)
		running.Go(func() { // each order is delivered; all of Bob's are returned, and most of Alice's
			for _, i := range steps {
				to := orders.Delivered
				if i >= 4 {
					to = orders.Returned
				}
				_, err := s.SetOrderStatus(t.Context(), order(p, i), to, time.Unix(1_700_000_000+int64(to), 0))
				testkit.Check(t, err == nil, "%v", err)
			}
		})
		running.Go(func() {
			for i := range 12 {
				c, err := s.Create(t.Context(), by(p))
				if err == nil && i%3 == 1 {
					_, err = s.Update(t.Context(), store.Change{ID: c.ID, Title: &p})
				}
				if err == nil && i%3 == 2 {
					_, err = s.Delete(t.Context(), c.ID, nil)
				}
				testkit.Check(t, err == nil, "%v", err)
			}
		})
	}
	running.Wait()
	for _, stop := range stops {
		stop()
	}
	settle(t, s)
	storetest.Verified(t, s.Projector())
}
