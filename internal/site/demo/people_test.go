package demo

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/orders"
)

// Orders go forward in time, and none is of tomorrow. The visitor has one of each status.
func TestOrdersAreValid(t *testing.T) {
	ids, byStatus, visitors := map[string]bool{}, map[orders.Status]int{}, map[orders.Status]int{}
	for _, o := range Orders() {
		testkit.Check(t, !ids[o.ID], "%s is there twice", o.ID)
		ids[o.ID] = true
		byStatus[o.Status]++
		if o.Username == Visitor {
			visitors[o.Status]++
		}
		last := firstDay
		for _, at := range o.Times {
			testkit.Check(t, at.IsZero() || !at.Before(last) && at.Before(tomorrow), "%s: %v", o.ID, o.Times)
			last = slices.MaxFunc([]time.Time{last, at}, time.Time.Compare)
		}
	}
	for s := orders.Placed; s <= orders.Cancelled; s++ {
		testkit.Check(t, byStatus[s] >= 4 && visitors[s] != 0, "%s: %d orders, %d of the visitor", s, byStatus[s], visitors[s])
	}
}

// What waits does so for what a rule says, and nothing of the bestseller is counted.
func TestPeoplesCommentsAreValid(t *testing.T) {
	words := testkit.Value(moderation.ReadWords(strings.NewReader("scam")))(t)
	rules := moderation.Rules{Words: words, Links: true}
	others := []item.Why{{}, {Code: item.HeldByMode}, {Code: item.HeldByEdit}, {Code: item.HeldByPace, Reason: "3"}}
	ids := map[string]bool{}
	for _, c := range OwnedComments() {
		if ids[c.ID] || !slices.ContainsFunc(Orders(), func(o orders.Order) bool { return o.Username == c.Owner }) {
			t.Errorf("%s by %q, who ordered nothing; twice: %t", c.ID, c.Owner, ids[c.ID])
		}
		ids[c.ID] = true
		says := rules.Violation(&c, nil, nil)
		testkit.Check(t, says == c.Why || says.Code == "" && slices.Contains(others, c.Why), "%s waits since %+v, the rules say %+v", c.ID, c.Why, says)
		testkit.Check(t, (c.ProductID != bestseller || c.State != item.Published) && c.CreatedAt.Before(tomorrow), "%s is about %s, %s, of %s", c.ID, c.ProductID, c.State, c.CreatedAt)
	}
	testkit.Check(t, len(ids) >= 25, "%d comments", len(ids))
}

// The table says of people what it would if all had been written there. A load that goes
// on after someone decided, withdrew and deleted leaves that.
func TestLoadPeople(t *testing.T) {
	ctx, st := t.Context(), newStore(t)
	testkit.Must(t, load(ctx, st, nil, slog.New(slog.DiscardHandler), func() []store.Comment { return all()[:20] }, func() {}))
	get := func(id string) store.Comment {
		t.Helper()
		c, err := st.Get(ctx, id)
		testkit.Need(t, err == nil && c != nil, "%s: %v, %v", id, c, err)
		return *c
	}
	for id, verified := range map[string]bool{"own-demo-1": true, "own-demo-2": false, "own-demo-3": true, "own-demo-4": false, "own-alice-0": false} {
		c := get(id)
		testkit.Check(t, c.IsVerified() == verified && c.VerifiedPurchase != nil, "%s: %v", id, c.VerifiedPurchase)
	}
	for id := range rejected {
		history, err := st.Moderation().History(ctx, id)
		c := get(id)
		testkit.Check(t, err == nil && c.State == item.Rejected && len(history) == 1 && history[0].By == Moderator, "%s: %s, %+v, %v", id, c.State, history, err)
	}
	c := get("own-oscar-1")
	testkit.Check(t, c.Reports == 2, "%d reports", c.Reports)
	testkit.Value(st.Decide(ctx, store.Ruling{ID: "own-ben-1", Verb: moderation.Approve, By: Moderator}))(t)
	testkit.Value(st.Decide(ctx, store.Ruling{ID: "own-oscar-1", Verb: moderation.Withdraw, By: "oscar"}))(t)
	testkit.Must(t, loadPeople(ctx, st))
	c = get("own-ben-1")
	testkit.Check(t, c.State == item.Published, "what a moderator showed is %s", c.State)
	c = get("own-oscar-1")
	testkit.Check(t, c.State == item.Withdrawn, "what its author withdrew is %s", c.State)
}
