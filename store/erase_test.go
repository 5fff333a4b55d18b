package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/comment/stats"
	"product-comments/store/comment/votes"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/orders"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// erased is the username that the tests erase. No other text contains it.
const erased = "alice#of/Wonder%land"

// traces returns the keys of all items of both tables that have a text in them, however
// it is spelled, in a key or a value.
func traces(t *testing.T, name string, tables ...string) (found []string) {
	t.Helper()
	spelled := []string{name, strings.TrimPrefix(key.User(name), "USER#")}
	var holds func(v types.AttributeValue) bool
	has := func(s string) bool { return strings.Contains(s, spelled[0]) || strings.Contains(s, spelled[1]) }
	holds = func(v types.AttributeValue) bool {
		switch v := v.(type) {
		case *types.AttributeValueMemberS:
			return has(v.Value)
		case *types.AttributeValueMemberB:
			return has(string(v.Value))
		case *types.AttributeValueMemberM:
			for _, in := range v.Value {
				if holds(in) {
					return true
				}
			}
		case *types.AttributeValueMemberL:
			for _, in := range v.Value {
				if holds(in) {
					return true
				}
			}
		}
		return false
	}
	for _, of := range tables {
		eachItem(t, of, func(it table.Item) {
			for name, v := range it {
				if holds(v) {
					found = append(found, fmt.Sprint(it[key.PK], it[key.SK], name))
				}
			}
		})
	}
	return found
}

// person lets someone do everything that leaves a trace, and returns their comments:
// two that are published and one that is not.
func person(t *testing.T, s *store.Store, name string) (ids []string) {
	t.Helper()
	others := mustCreate(t, s, by("bob"))
	rejected := mustCreate(t, s, by("carol"))
	for range 3 {
		n := by(name)
		n.Author, n.Text = name, "So says "+name
		ids = append(ids, mustCreate(t, s, n).ID)
	}
	vote(t, s, others.ID, key.VoterOf(name), votes.Helpful)
	vote(t, s, others.ID, key.VoterOf("carol"), votes.Helpful)
	vote(t, s, rejected.ID, key.VoterOf(name), votes.Unhelpful)
	vote(t, s, ids[0], bob, votes.Helpful)
	report(t, s, others.ID, name)
	rule(t, s, store.Ruling{ID: rejected.ID, Verb: moderation.Reject, By: name, Reason: "It is rude"})
	rule(t, s, store.Ruling{ID: ids[2], Verb: moderation.Withdraw, By: name})
	ordered(t, s, "open", name, "42")
	ordered(t, s, "delivered", name, "42", "43")
	came(t, s, "delivered", orders.Delivered)
	settle(t, s)
	return ids
}

// erase is an erasure that succeeds.
func erase(t testing.TB, s *store.Store, e store.Erasure) store.Erased {
	t.Helper()
	return testkit.Value(s.Erase(t.Context(), e))(t)
}

// wantNoCase fails the test if moderation keeps anything about a comment.
func wantNoCase(t testing.TB, s *store.Store, id string) {
	t.Helper()
	testkit.Must(t, s.Projector().Table().Each(t.Context(), key.Partition{Index: key.Table, Value: key.Case(id)}, func(it table.Item) error {
		t.Errorf("of a comment that is gone there is %v", it)
		return nil
	}))
}

// After an erasure nothing names the person, in either table; everything else is as it
// was, and counted.
func TestErase(t *testing.T) {
	for _, anonymous := range []bool{false, true} {
		t.Run(fmt.Sprintf("comments become anonymous: %t", anonymous), func(t *testing.T) {
			s, _ := newStore(t)
			ctx := t.Context()
			ids := person(t, s, erased)
			gone := mustCreate(t, s, by(erased)) // of which the history stays
			rule(t, s, store.Ruling{ID: gone.ID, Verb: moderation.Withdraw, By: erased, Reason: "I, " + erased + ", was wrong"})
			remove(t, s, gone.ID)
			tables := []string{s.Table(), s.Table() + "-columns"}
			n := len(traces(t, erased, tables...))
			testkit.Need(t, n >= 15, "only %d traces are there to begin with", n)
			did := erase(t, s, store.Erasure{Subject: erased, Anonymous: anonymous})
			want := store.Erased{ID: did.ID, Removed: 3, Orders: 2, Votes: 2, Reports: 1, Decisions: did.Decisions}
			left := 0
			if anonymous {
				want.Removed, want.Anonymous, left = 1, 2, 2
			}
			testkit.Equal(t, did, want, "did")
			settle(t, s)
			texts := 0 // which the person wrote into them
			for _, at := range traces(t, erased, tables...) {
				if anonymous && strings.HasSuffix(at, "text") {
					texts++
					continue
				}
				t.Errorf("a trace is left: %s", at)
			}
			testkit.Check(t, anonymous == (texts > 0), "%d texts are left", texts)
			storetest.Verified(t, s.Projector())
			counts, err := s.Statistics(ctx, []stats.Scope{{ProductID: "42"}})
			if err != nil || counts[0].Total() != 1+left { // and Bob's
				t.Errorf("%v, %v", counts, err)
			}
			for i, id := range ids {
				c, err := s.Get(ctx, id)
				testkit.Need(t, err == nil && (c != nil) == (anonymous && i < 2), "%v, %v", c, err)
				testkit.Check(t, c == nil || c.Owner == "" && c.Author == "" && c.Text != "" && c.IsVerified(), "%+v", c)
			}
			for id, want := range map[string]orders.Status{"open": orders.Placed, "delivered": orders.Delivered} {
				o, err := s.Orders().Get(ctx, id)
				testkit.Check(t, err == nil && o.Username == "erased-"+did.ID && o.Status == want && len(o.Lines) > 0, "%+v, %v", o, err)
			}
			came(t, s, "delivered", orders.Returned) // messages go on arriving
			open, err := s.Orders().Open(ctx, orders.Window{Limit: 10})
			testkit.Check(t, err == nil && len(open.Items) == 1, "%+v, %v", open, err)
			again := erase(t, s, store.Erasure{Subject: erased, Anonymous: anonymous})
			again.ID = ""
			testkit.Check(t, again == (store.Erased{}), "%+v: nothing is left to erase", again)
		})
	}
}

// An erasure that is stopped after every write continues when it is run again, and ends as
// one that is not; in between everything is counted right, and buyers stay buyers.
func TestEraseGoesOn(t *testing.T) {
	t.Parallel()
	for _, anonymous := range []bool{false, true} {
		t.Run(fmt.Sprintf("comments become anonymous: %t", anonymous), func(t *testing.T) {
			s, client := newStore(t)
			ids := person(t, s, erased)
			stops := 0
			for ; ; stops++ {
				ctx, cancel := context.WithCancel(t.Context())
				api := afterWrites(client, cancel)
				_, err := storeOn(t, api, s.Table()).Erase(ctx, store.Erasure{Subject: erased, Anonymous: anonymous})
				stopped := ctx.Err() != nil
				cancel()
				if err == nil {
					break
				}
				testkit.Need(t, stopped && stops <= 100, "%v %v", stops, err)
				settle(t, s)
				storetest.Verified(t, s.Projector())
			}
			testkit.Check(t, stops >= 10, "it was stopped only %d times", stops)
			for _, at := range traces(t, erased, s.Table()) {
				testkit.Check(t, anonymous && strings.HasSuffix(at, "text"), "a trace is left: %s", at)
			}
			for i, id := range ids {
				c, err := s.Get(t.Context(), id)
				stays := anonymous && i < 2
				testkit.Check(t, err == nil && (c != nil) == stays && (!stays || c.IsVerified()), "%+v, %v", c, err)
				if c == nil {
					wantNoCase(t, s, id)
				}
			}
		})
	}
}

// Whoever cannot be is no one to erase, and has nothing to print.
func TestEraseAnUnknownPerson(t *testing.T) {
	s, _ := newStore(t)
	mustCreate(t, s, by("")) // which is no one's
	if _, err := s.Erase(t.Context(), store.Erasure{}); errs.CodeOf(err) != errs.BadUserInput {
		t.Errorf("%v", err)
	}
	err := s.TracesOf(t.Context(), "", store.ScanOptions{}, func(_ context.Context, tr store.Trace) error {
		t.Errorf("of an unknown person there is %q", tr.Key())
		return nil
	})
	testkit.Check(t, errs.CodeOf(err) == errs.BadUserInput, "%v", err)
}

// What cannot be erased ends an erasure with an error, and not never.
func TestEraseWhatIsDamaged(t *testing.T) {
	s, _ := newStore(t)
	ordered(t, s, "1", erased, "42")
	damage(t, s, table.Write{Key: table.KeyOf(key.Order("1"), key.Line(1)), Delete: true})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	_, err := s.Erase(ctx, store.Erasure{Subject: erased})
	testkit.Check(t, errs.CodeOf(err) == errs.Internal && strings.Contains(err.Error(), "ORDER#1"), "%v", err)
}

// Orders that come while someone is erased are no one's in the end, too, and nothing
// counts as a purchase of who is gone.
func TestEraseWhileOrdersCome(t *testing.T) {
	t.Parallel()
	s, client := newStore(t)
	ids := person(t, s, erased)
	n := 0
	during := beforeWrites(client, func() {
		if n++; n <= 30 {
			id := fmt.Sprintf("late-%d", n)
			ordered(t, s, id, erased, "42", "44")
			came(t, s, id, orders.Delivered)
		}
	})
	erase(t, storeOn(t, during, s.Table()), store.Erasure{Subject: erased, Anonymous: true})
	testkit.Check(t, n >= 20, "only %d writes", n)
	settle(t, s)
	for _, at := range traces(t, erased, s.Table()) {
		testkit.Check(t, strings.HasSuffix(at, "text"), "a trace is left: %s", at)
	}
	storetest.Verified(t, s.Projector())
	for i := range 2 {
		c := get(t, s, ids[i])
		testkit.Check(t, c != nil && c.IsVerified(), "%+v", c)
	}
	for i := range min(n, 30) {
		o, err := s.Orders().Get(t.Context(), fmt.Sprintf("late-%d", 1+i))
		testkit.Check(t, err == nil && strings.HasPrefix(o.Username, "erased-") && len(o.Lines) == 2, "%v, %v", &o, err)
	}
}

// What someone does during their erasure is erased, too, wherever in the table it is stored.
func TestEraseWhoIsAtWork(t *testing.T) {
	s, client := newStore(t)
	id := mustCreate(t, s, by("carol")).ID
	mustCreate(t, s, by(erased))
	once := sync.OnceFunc(func() {
		vote(t, s, id, key.VoterOf(erased), votes.Helpful)
		report(t, s, id, erased)
		rule(t, s, store.Ruling{ID: id, Verb: moderation.Reject, By: erased, Reason: "rude"})
	})
	during := storetest.Before(client, func(_ context.Context, in *dynamodb.DeleteItemInput) {
		if partitionOf(in.Key) == key.User(erased) { // the scan is over
			once()
		}
	})
	ordered(t, s, "1", erased, "42")
	did := erase(t, storeOn(t, during, s.Table()), store.Erasure{Subject: erased})
	testkit.Check(t, did.Votes == 1 && did.Reports == 1 && did.Decisions == 1, "%+v", did)
	left := traces(t, erased, s.Table())
	testkit.Check(t, len(left) == 0, "traces are left: %q", left)
}

// A report that comes when a comment's history is removed already goes with the comment,
// although the erasure is stopped as soon as that is gone.
func TestEraseWhileReportsCome(t *testing.T) {
	s, client := newStore(t)
	id := mustCreate(t, s, by(erased)).ID
	ctx, cancel := context.WithCancel(t.Context())
	last := afterTransactions(client, cancel)
	during := beforeWrites(last, sync.OnceFunc(func() { report(t, s, id, "carol") }))
	_, err := storeOn(t, during, s.Table()).Erase(ctx, store.Erasure{Subject: erased})
	testkit.Need(t, ctx.Err() != nil, "it was not stopped: %v", err)
	erase(t, s, store.Erasure{Subject: erased})
	settle(t, s) // what the one that was stopped left goes with the record of the deletion
	wantNoCase(t, s, id)
}

// What a shop's systems tell once more of an order of someone who was erased is taken as
// before, and brings no one back; other lines are a conflict, as ever.
func TestMessagesAboutErasedOrders(t *testing.T) {
	s, _ := newStore(t)
	ordered(t, s, "1", erased, "42")
	erase(t, s, store.Erasure{Subject: erased})
	ordered(t, s, "1", erased, "42") // once more
	o, err := s.Orders().Get(t.Context(), "1")
	testkit.Need(t, err == nil && strings.HasPrefix(o.Username, "erased-"), "%v, %v", &o, err)
	o.Username, o.Status = erased, orders.Delivered
	if o, did, err := s.RecordOrder(t.Context(), o); err != nil || did != orders.Advanced || o.Username == erased {
		t.Errorf("%v, %d, %v", &o, did, err)
	}
	o.Lines = []orders.Line{{ProductID: "43", Quantity: 1}}
	_, _, err = s.RecordOrder(t.Context(), o)
	testkit.Check(t, errs.CodeOf(err) == errs.Conflict, "other lines: %v", err)
	left := traces(t, erased, s.Table())
	testkit.Check(t, len(left) == 0, "%q", left)
	settle(t, s)
	storetest.Verified(t, s.Projector())
}

// Everything that names someone is found, once.
func TestTracesOf(t *testing.T) {
	s, _ := newStore(t)
	person(t, s, erased)
	n := map[store.TraceKind]int{}
	err := s.TracesOf(t.Context(), erased, store.ScanOptions{}, func(_ context.Context, tr store.Trace) error {
		n[tr.Kind]++
		if tr.Kind == store.TraceComment {
			c, err := s.CommentOf(t.Context(), tr)
			testkit.Check(t, err == nil && c.Owner == erased && (c.State == item.Published || c.State == item.Withdrawn), "%+v, %v", c, err)
		}
		return nil
	})
	want := map[store.TraceKind]int{
		store.TraceComment: 3, store.TraceOrder: 2, store.TracePurchase: 2, store.TraceProfile: 1,
		store.TraceVote: 2, store.TraceReport: 1, store.TraceDecision: 2, store.TraceOther: 6,
	}
	testkit.Check(t, err == nil && fmt.Sprint(n) == fmt.Sprint(want), "%v, %v, want %v", n, err, want)
}

// An export of orders has each once, also the ones that become no one's while it reads.
func TestEachOrderOnce(t *testing.T) {
	s, client := newStore(t)
	const people = 6
	for n := range people {
		ordered(t, s, fmt.Sprintf("o%d", n), fmt.Sprintf("user %d", n), "42")
	}
	var mu sync.Mutex // a segment is scanned after the other
	scanned := 0
	api := &storetest.Calls{API: client, Do: func(ctx context.Context, in any, call storetest.Call) error {
		if _, scans := in.(*dynamodb.ScanInput); scans {
			mu.Lock()
			defer mu.Unlock()
			if scanned++; scanned == 5 { // half of them
				for n := range people {
					_, err := s.Erase(t.Context(), store.Erasure{Subject: fmt.Sprintf("user %d", n)})
					testkit.Check(t, err == nil, "%v", err)
				}
			}
		}
		_, err := call(ctx)
		return err
	}}
	var seen []string
	err := storeOn(t, api, s.Table()).Orders().Each(t.Context(), store.ScanOptions{}, func(o *orders.Order) error {
		seen = append(seen, o.ID)
		return nil
	})
	if slices.Sort(seen); err != nil || len(seen) != people || len(slices.Compact(seen)) != people {
		t.Errorf("%q, %v", seen, err)
	}
}
