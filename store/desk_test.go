package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/errs"
	"product-comments/store/index/cases"
	"product-comments/store/storetest"
)

// People who look at a comment see each other, for a minute since they last said so. Nothing is
// lost if they begin at once, and nothing is left of a person who is erased.
func TestLooks(t *testing.T) {
	s := moderated(t, moderation.Options{})
	now, batches := time.Now().UTC().Truncate(time.Millisecond), 0
	client := storetest.Before(storetest.Client(t), func(context.Context, *dynamodb.BatchGetItemInput) { batches++ })
	x := store.New(client, s.Table(), store.Options{Now: func() time.Time { return now }})
	look := func(id, by string) { testkit.Must(t, x.Moderation().Look(t.Context(), id, by)) }
	want := func(id, except string, by ...string) {
		t.Helper()
		var got []string
		for _, l := range testkit.Value(x.Moderation().Looks(t.Context(), []string{id}, except))(t)[0] {
			got = append(got, l.By)
			testkit.Check(t, l.Until.After(now) && !l.Until.After(now.Add(cases.LookFor)), "%s looks until %s", l.By, l.Until)
		}
		testkit.Check(t, slices.Equal(got, by), "%q look at %s, want %q", got, id, by)
	}
	want("c0", "mia")
	look("c0", "mia")
	look("c0", "")
	want("c0", "mia")
	want("c0", "max", "mia")
	now = now.Add(cases.LookFor / 2)
	look("c0", "max")
	want("c0", "", "max", "mia")
	now = now.Add(cases.LookFor / 2)
	want("c0", "", "max") // DynamoDB still has the other
	look("c0", "mia")
	want("c0", "", "mia", "max")
	now = now.Add(cases.LookFor)
	want("c0", "")
	between := sync.OnceFunc(func() { look("c1", "m0") })
	second := storetest.Before(storetest.Client(t), func(context.Context, *dynamodb.PutItemInput) { between() })
	testkit.Must(t, store.New(second, s.Table(), store.Options{Now: func() time.Time { return now }}).Moderation().Look(t.Context(), "c1", "m1"))
	want("c1", "", "m0", "m1")
	for i := range 6 {
		look("c1", fmt.Sprintf("m%d", i))
	}
	want("c1", "m2", "m0", "m1", "m3", "m4", "m5") // five are enough
	now = now.Add(-time.Hour)
	want("c1", "") // of a clock that is wrong
	now = now.Add(time.Hour)
	var ids []string
	for i := range 20 {
		ids = append(ids, fmt.Sprint("c", i))
	}
	batches = 0
	all := testkit.Value(x.Moderation().Looks(t.Context(), ids, "m0"))(t)
	testkit.Check(t, batches == 1 && len(all) == 20 && len(all[0]) == 0 && len(all[1]) == 5, "%d batches read %v", batches, all)
	testkit.Value(s.Erase(t.Context(), store.Erasure{Subject: "m3"}))(t)
	want("c1", "")
}

// Of two contrary decisions at once one takes effect, and the other one gets the name of its person. A decision
// that would change nothing can be repeated.
func TestLateDecisions(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Pre})
	pending, published := item.Pending, item.Published
	ruling := func(id, by string, verb moderation.Verb, expected *item.State) store.Ruling {
		return store.Ruling{ID: id, By: by, Verb: verb, Reason: "rude", ExpectedState: expected}
	}
	wantLate := func(err error, field, state string, by any) {
		t.Helper()
		var e *errs.Error
		testkit.Check(t, errors.As(err, &e) && e.Code == errs.Conflict && e.Field == field && e.More["state"] == state && e.More["decidedBy"] == by, "%v", err)
	}
	c := mustCreate(t, s, by("alice"))
	first := sync.OnceFunc(func() { testkit.Value(s.Decide(t.Context(), ruling(c.ID, "mia", moderation.Reject, &pending)))(t) })
	slow := storeOn(t, storetest.Before(storetest.Client(t), func(context.Context, *dynamodb.TransactWriteItemsInput) { first() }), s.Table())
	_, err := slow.Decide(t.Context(), ruling(c.ID, "max", moderation.Approve, &pending))
	wantLate(err, "expectedState", "REJECTED", "mia")
	after := testkit.Value(s.Get(t.Context(), c.ID))(t)
	testkit.Check(t, after.State == item.Rejected && len(testkit.Value(s.Moderation().History(t.Context(), c.ID))(t)) == 2, "it is %s", after.State)
	testkit.Value(s.Decide(t.Context(), ruling(c.ID, "mia", moderation.Reject, &pending)))(t) // again
	_, err = s.Decide(t.Context(), ruling(c.ID, "max", moderation.Approve, &published))
	wantLate(err, "expectedState", "REJECTED", "mia")
	rejected := item.Rejected
	testkit.Value(s.Decide(t.Context(), ruling(c.ID, "max", moderation.Approve, &rejected)))(t)
	_, err = s.Decide(t.Context(), ruling(c.ID, "mia", moderation.Reject, &pending))
	wantLate(err, "expectedState", "PUBLISHED", "max")
	fresh := mustCreate(t, s, by("alice")) // a rule holds it, and no person has decided
	_, err = s.Decide(t.Context(), ruling(fresh.ID, "mia", moderation.Reject, &published))
	wantLate(err, "expectedState", "PENDING", nil)
	for range 5 {
		c, results := mustCreate(t, s, by("alice")), [2]error{}
		var group sync.WaitGroup
		for i, verb := range []moderation.Verb{moderation.Approve, moderation.Reject} {
			group.Go(func() { _, results[i] = s.Decide(t.Context(), ruling(c.ID, fmt.Sprint("m", i), verb, &pending)) })
		}
		group.Wait()
		testkit.Check(t, (results[0] == nil) != (results[1] == nil), "two contrary decisions at once: %v", results)
	}
}
