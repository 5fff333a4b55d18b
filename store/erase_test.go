package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/moderation"
	"product-comments/store/orders"
	"product-comments/store/stats"
	"product-comments/store/storetest"
	"product-comments/store/table"
	"product-comments/store/votes"
)

// the name of whom the tests erase: nothing else has it in it.
const erased = "alice#of/Wonder%land"

// traces returns the keys of all items of both tables that have a text in them, however
// it is spelled, in a key or a value.
func traces(t *testing.T, client *dynamodb.Client, tables []string, name string) (found []string) {
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
	for _, name := range tables {
		pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{TableName: aws.String(name)})
		for pages.HasMorePages() {
			page, err := pages.NextPage(t.Context())
			must(t, err)
			for _, it := range page.Items {
				for name, v := range it {
					if holds(v) {
						found = append(found, fmt.Sprint(it[key.PK], it[key.SK], name))
					}
				}
			}
		}
	}
	return found
}

// person lets somebody do everything that leaves a trace, and returns their comments:
// two that are published and one that is not.
func person(t *testing.T, s *store.Store, name string) (ids []string) {
	t.Helper()
	ctx := t.Context()
	others := mustCreate(t, s, by("bob"))
	rejected := mustCreate(t, s, by("carol"))
	for range 3 {
		n := by(name)
		n.Author, n.Text = name, "So says "+name
		ids = append(ids, mustCreate(t, s, n).ID)
	}
	must := func(_ any, err error) {
		t.Helper()
		must(t, err)
	}
	must(s.Vote(ctx, others.ID, key.VoterOf(name), votes.Helpful))
	must(s.Vote(ctx, others.ID, key.VoterOf("carol"), votes.Helpful))
	must(s.Vote(ctx, rejected.ID, key.VoterOf(name), votes.Unhelpful))
	must(s.Vote(ctx, ids[0], key.VoterOf("bob"), votes.Helpful))
	must(s.Report(ctx, others.ID, name, "It is not true"))
	must(s.Decide(ctx, store.Ruling{ID: rejected.ID, Verb: moderation.Reject, By: name, Reason: "It is rude"}))
	must(s.Decide(ctx, store.Ruling{ID: ids[2], Verb: moderation.Withdraw, By: name}))
	ordered(t, s, "open", name, "42")
	ordered(t, s, "delivered", name, "42", "43")
	came(t, s, "delivered", orders.Delivered)
	storetest.Project(t, s.Projector())
	storetest.Project(t, s.Projector())
	return ids
}

// After an erasure nothing names the person, in either table; everything else is as it
// was, and counted.
func TestErase(t *testing.T) {
	for _, anonymous := range []bool{false, true} {
		t.Run(fmt.Sprintf("anonymous %t", anonymous), func(t *testing.T) {
			s, client := newStore(t)
			ctx := t.Context()
			ids := person(t, s, erased)
			gone := mustCreate(t, s, by(erased)) // of which the history stays
			if _, err := s.Decide(ctx, store.Ruling{ID: gone.ID, Verb: moderation.Withdraw, By: erased, Reason: "I, " + erased + ", was wrong"}); err != nil {
				t.Fatal(err)
			}
			remove(t, s, gone.ID)
			tables := []string{s.Table(), s.Table() + "-columns"}
			if n := len(traces(t, client, tables, erased)); n < 15 {
				t.Fatalf("only %d traces are there to begin with", n)
			}
			did, err := s.Erase(ctx, store.Erasure{Subject: erased, Anonymous: anonymous})
			must(t, err)
			want := store.Erased{ID: did.ID, Removed: 3, Orders: 2, Votes: 2, Reports: 1, Decisions: did.Decisions}
			left := 0
			if anonymous {
				want.Removed, want.Anonymous, left = 1, 2, 2
			}
			if did != want {
				t.Errorf("%+v, want %+v", did, want)
			}
			storetest.Project(t, s.Projector())
			storetest.Project(t, s.Projector())
			texts := 0 // which the person wrote into them
			for _, at := range traces(t, client, tables, erased) {
				if anonymous && strings.HasSuffix(at, "text") {
					texts++
					continue
				}
				t.Errorf("a trace is left: %s", at)
			}
			if anonymous != (texts > 0) {
				t.Errorf("%d texts are left", texts)
			}
			if found := differences(t, s); len(found) > 0 {
				t.Errorf("%v", found)
			}
			counts, err := s.Statistics(ctx, []stats.Scope{{ProductID: "42"}})
			if err != nil || counts[0].Total() != 1+left { // and Bob's
				t.Errorf("%v, %v", counts, err)
			}
			for i, id := range ids {
				c, err := s.Get(ctx, id)
				if err != nil || (c != nil) != (anonymous && i < 2) {
					t.Fatalf("%v, %v", c, err)
				}
				if c != nil && (c.Owner != "" || c.Author != "" || c.Text == "" || !c.IsVerified()) {
					t.Errorf("%+v", c)
				}
			}
			for id, want := range map[string]orders.Status{"open": orders.Placed, "delivered": orders.Delivered} {
				o, err := s.Orders().Get(ctx, id)
				if err != nil || o.Username != "erased-"+did.ID || o.Status != want || len(o.Lines) == 0 {
					t.Errorf("%+v, %v", o, err)
				}
			}
			came(t, s, "delivered", orders.Returned) // messages go on arriving
			open, err := s.Orders().Open(ctx, orders.Window{Limit: 10})
			if err != nil || len(open.Items) != 1 {
				t.Errorf("%+v, %v", open, err)
			}
			again, err := s.Erase(ctx, store.Erasure{Subject: erased, Anonymous: anonymous})
			if again.ID = ""; err != nil || again != (store.Erased{}) {
				t.Errorf("%+v, %v: nothing is left to erase", again, err)
			}
		})
	}
}

// An erasure that is stopped after every write goes on when it is run again, and ends as
// one that is not; in between everything is counted right, and buyers stay buyers.
func TestEraseGoesOn(t *testing.T) {
	t.Parallel()
	for _, anonymous := range []bool{false, true} {
		t.Run(fmt.Sprintf("anonymous %t", anonymous), func(t *testing.T) {
			s, client := newStore(t)
			ids := person(t, s, erased)
			stops := 0
			for ; ; stops++ {
				ctx, cancel := context.WithCancel(t.Context())
				api := &stopping{API: client, stop: cancel}
				_, err := storeOn(t, api, s.Table()).Erase(ctx, store.Erasure{Subject: erased, Anonymous: anonymous})
				stopped := ctx.Err() != nil
				cancel()
				if err == nil {
					break
				}
				if !stopped || stops > 100 {
					t.Fatal(stops, err)
				}
				settle(t, s)
				if found := differences(t, s); len(found) > 0 {
					t.Errorf("stopped for the %dth time: %v", stops, found)
				}
			}
			if stops < 10 {
				t.Errorf("it was stopped only %d times", stops)
			}
			for _, at := range traces(t, client, []string{s.Table()}, erased) {
				if !anonymous || !strings.HasSuffix(at, "text") {
					t.Errorf("a trace is left: %s", at)
				}
			}
			for i, id := range ids {
				c, err := s.Get(t.Context(), id)
				if stays := anonymous && i < 2; err != nil || (c != nil) != stays || stays && !c.IsVerified() {
					t.Errorf("%+v, %v", c, err)
				}
				if history := caseOf(t, client, s.Table(), id); c == nil && len(history) > 0 {
					t.Errorf("of a comment that is gone there is %q", history)
				}
			}
		})
	}
}

// caseOf returns what moderation keeps about a comment.
func caseOf(t *testing.T, client *dynamodb.Client, table, commentID string) (found []string) {
	t.Helper()
	out, err := client.Query(t.Context(), &dynamodb.QueryInput{
		TableName: aws.String(table), KeyConditionExpression: aws.String("PK = :pk"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":pk": &types.AttributeValueMemberS{Value: key.Case(commentID)}},
	})
	must(t, err)
	for _, it := range out.Items {
		found = append(found, it[key.SK].(*types.AttributeValueMemberS).Value)
	}
	return found
}

// stopping stops after the first write, which is made.
type stopping struct {
	store.API
	stop func()
}

func (f *stopping) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	defer f.stop()
	return f.API.TransactWriteItems(ctx, in, o...)
}

func (f *stopping) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	defer f.stop()
	return f.API.DeleteItem(ctx, in, o...)
}

func (f *stopping) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	defer f.stop()
	return f.API.UpdateItem(ctx, in, o...)
}

func (f *stopping) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	defer f.stop()
	return f.API.BatchWriteItem(ctx, in, o...)
}

// Whoever cannot be is nobody to erase, and has nothing to print.
func TestEraseNobody(t *testing.T) {
	s, _ := newStore(t)
	mustCreate(t, s, by("")) // which is nobody's
	if _, err := s.Erase(t.Context(), store.Erasure{}); errs.CodeOf(err) != errs.BadUserInput {
		t.Errorf("%v", err)
	}
	err := s.TracesOf(t.Context(), "", store.ScanOptions{}, func(_ context.Context, tr store.Trace) error {
		t.Errorf("of nobody there is %q", tr.Key())
		return nil
	})
	if errs.CodeOf(err) != errs.BadUserInput {
		t.Errorf("%v", err)
	}
}

// What cannot be erased ends an erasure with an error, and not never.
func TestEraseWhatIsDamaged(t *testing.T) {
	s, client := newStore(t)
	ordered(t, s, "1", erased, "42")
	_, err := client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String(s.Table()), Key: table.KeyOf(key.Order("1"), key.Line(1))})
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if _, err := s.Erase(ctx, store.Erasure{Subject: erased}); errs.CodeOf(err) != errs.Internal || !strings.Contains(err.Error(), "ORDER#1") {
		t.Errorf("%v", err)
	}
}

// Orders that come while somebody is erased are nobody's in the end, too, and nothing
// counts as a purchase of who is gone.
func TestEraseWhileOrdersCome(t *testing.T) {
	t.Parallel()
	s, client := newStore(t)
	ids := person(t, s, erased)
	n := 0
	during := &writing{API: client, before: func() {
		if n++; n <= 30 {
			id := fmt.Sprintf("late-%d", n)
			ordered(t, s, id, erased, "42", "44")
			came(t, s, id, orders.Delivered)
		}
	}}
	if _, err := storeOn(t, during, s.Table()).Erase(t.Context(), store.Erasure{Subject: erased, Anonymous: true}); err != nil {
		t.Fatal(err)
	}
	if n < 20 {
		t.Errorf("only %d writes", n)
	}
	settle(t, s)
	for _, at := range traces(t, client, []string{s.Table()}, erased) {
		if !strings.HasSuffix(at, "text") {
			t.Errorf("a trace is left: %s", at)
		}
	}
	if found := differences(t, s); len(found) > 0 {
		t.Errorf("%v", found)
	}
	for i := range 2 {
		if c, err := s.Get(t.Context(), ids[i]); err != nil || c == nil || !c.IsVerified() {
			t.Errorf("%+v, %v", c, err)
		}
	}
	for i := range min(n, 30) {
		if o, err := s.Orders().Get(t.Context(), fmt.Sprintf("late-%d", 1+i)); err != nil || !strings.HasPrefix(o.Username, "erased-") || len(o.Lines) != 2 {
			t.Errorf("%v, %v", &o, err)
		}
	}
}

// writing does something before every write.
type writing struct {
	store.API
	before func()
}

func (w *writing) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	w.before()
	return w.API.TransactWriteItems(ctx, in, o...)
}

func (w *writing) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	w.before()
	return w.API.DeleteItem(ctx, in, o...)
}

// What somebody does during their erasure, wherever in the table it comes to stand, is
// erased, too.
func TestEraseWhoIsAtWork(t *testing.T) {
	s, client := newStore(t)
	id := mustCreate(t, s, by("carol")).ID
	mustCreate(t, s, by(erased))
	n := 0
	during := &owning{API: client, before: func() { // the scan is over
		if n++; n > 1 {
			return
		}
		vote(t, s, id, key.VoterOf(erased), votes.Helpful)
		if _, err := s.Report(t.Context(), id, erased, ""); err != nil {
			t.Error(err)
		}
		if _, err := s.Decide(t.Context(), store.Ruling{ID: id, Verb: moderation.Reject, By: erased, Reason: "rude"}); err != nil {
			t.Error(err)
		}
	}}
	ordered(t, s, "1", erased, "42")
	did, err := storeOn(t, during, s.Table()).Erase(t.Context(), store.Erasure{Subject: erased})
	if err != nil || n == 0 || did.Votes != 1 || did.Reports != 1 || did.Decisions != 1 {
		t.Errorf("%d writes, %+v, %v", n, did, err)
	}
	if left := traces(t, client, []string{s.Table()}, erased); len(left) > 0 {
		t.Errorf("traces are left: %q", left)
	}
}

// owning does something before a person's own item is deleted.
type owning struct {
	store.API
	before func()
}

func (o *owning) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	if pk, ok := in.Key[key.PK].(*types.AttributeValueMemberS); ok && pk.Value == key.User(erased) {
		o.before()
	}
	return o.API.DeleteItem(ctx, in, opts...)
}

// A report that comes when a comment's history is removed already goes with the comment,
// although the erasure is stopped as soon as that is gone.
func TestEraseWhileReportsCome(t *testing.T) {
	s, client := newStore(t)
	id := mustCreate(t, s, by(erased)).ID
	ctx, cancel := context.WithCancel(t.Context())
	reported := false
	last := &removing{API: client, then: cancel}
	during := &writing{API: last, before: func() {
		if !reported {
			reported = true
			if _, err := s.Report(t.Context(), id, "carol", "It is rude"); err != nil {
				t.Error(err)
			}
		}
	}}
	if _, err := storeOn(t, during, s.Table()).Erase(ctx, store.Erasure{Subject: erased}); ctx.Err() == nil || !reported {
		t.Fatalf("it was not stopped: %v", err)
	}
	if _, err := s.Erase(t.Context(), store.Erasure{Subject: erased}); err != nil {
		t.Fatal(err)
	}
	if left := caseOf(t, client, s.Table(), id); len(left) > 0 {
		t.Errorf("of a comment that is gone there is %q", left)
	}
}

// removing does something after the first transaction that is made.
type removing struct {
	store.API
	then func()
}

func (r *removing) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	out, err := r.API.TransactWriteItems(ctx, in, o...)
	if err == nil {
		r.then()
	}
	return out, err
}

// What a shop's systems tell once more of an order of somebody who was erased is taken as
// before, and brings nobody back; other lines are a conflict, as ever.
func TestMessagesAboutErasedOrders(t *testing.T) {
	s, client := newStore(t)
	ordered(t, s, "1", erased, "42")
	if _, err := s.Erase(t.Context(), store.Erasure{Subject: erased}); err != nil {
		t.Fatal(err)
	}
	ordered(t, s, "1", erased, "42") // once more
	o, err := s.Orders().Get(t.Context(), "1")
	if err != nil || !strings.HasPrefix(o.Username, "erased-") {
		t.Fatalf("%v, %v", &o, err)
	}
	o.Username, o.Status = erased, orders.Delivered
	if o, did, err := s.RecordOrder(t.Context(), o); err != nil || did != orders.Advanced || o.Username == erased {
		t.Errorf("%v, %d, %v", &o, did, err)
	}
	o.Lines = []orders.Line{{ProductID: "43", Quantity: 1}}
	if _, _, err := s.RecordOrder(t.Context(), o); errs.CodeOf(err) != errs.Conflict {
		t.Errorf("other lines: %v", err)
	}
	if left := traces(t, client, []string{s.Table()}, erased); len(left) > 0 {
		t.Errorf("%q", left)
	}
	settle(t, s)
	if found := differences(t, s); len(found) > 0 {
		t.Errorf("%v", found)
	}
}

// Everything that names somebody is found, once.
func TestTracesOf(t *testing.T) {
	s, _ := newStore(t)
	person(t, s, erased)
	n := map[store.TraceKind]int{}
	err := s.TracesOf(t.Context(), erased, store.ScanOptions{}, func(_ context.Context, tr store.Trace) error {
		n[tr.Kind]++
		if tr.Kind == store.TraceComment {
			c, err := s.CommentOf(t.Context(), tr)
			if err != nil || c.Owner != erased || c.State != item.Published && c.State != item.Withdrawn {
				t.Errorf("%+v, %v", c, err)
			}
		}
		return nil
	})
	want := map[store.TraceKind]int{
		store.TraceComment: 3, store.TraceOrder: 2, store.TracePurchase: 2, store.TraceProfile: 1,
		store.TraceVote: 2, store.TraceReport: 1, store.TraceDecision: 2, store.TraceOther: 6,
	}
	if err != nil || fmt.Sprint(n) != fmt.Sprint(want) {
		t.Errorf("%v, %v, want %v", n, err, want)
	}
}

// An export of orders has each once, also those that become nobody's while it reads.
func TestEachOrderOnce(t *testing.T) {
	s, client := newStore(t)
	const people = 6
	for n := range people {
		ordered(t, s, fmt.Sprintf("o%d", n), fmt.Sprintf("user %d", n), "42")
	}
	api := &scanning{API: client, half: func() {
		for n := range people {
			if _, err := s.Erase(t.Context(), store.Erasure{Subject: fmt.Sprintf("user %d", n)}); err != nil {
				t.Error(err)
			}
		}
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

// scanning scans a segment after the other, and does something after half of them.
type scanning struct {
	store.API
	mu   sync.Mutex
	n    int
	half func()
}

func (f *scanning) Scan(ctx context.Context, in *dynamodb.ScanInput, o ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n++; f.n == 5 {
		f.half()
	}
	return f.API.Scan(ctx, in, o...)
}
