package store_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/moderation"
	"product-comments/store/stats"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// What stands in the way of an approval is about the comment that was chosen: its language
// is none of the moderator's inputs. What nobody is shown knows no bound.
func TestOneLanguageTooManyIsNotApproved(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Pre})
	var others []store.Comment
	for i := range stats.MaxLanguages {
		other := saying(fmt.Sprintf("other-%d", i), 1)
		other.Language = fmt.Sprintf("de-%c%c", 'A'+i/26, 'A'+i%26)
		others = append(others, other)
	}
	importAll(t, s, others)
	c := mustCreate(t, s, by("alice"))
	_, err := s.Decide(t.Context(), store.Ruling{ID: c.ID, Verb: moderation.Approve, By: "mia"})
	var coded *errs.Error
	if !errors.As(err, &coded) || coded.Code != errs.BadUserInput || coded.Field != "id" || coded.Reason != errs.TooMany {
		t.Errorf("%+v", err)
	}
}

// A moderator approves a comment in the moment in which another one does. Its author
// repeats the call that made it: it counts once.
func TestARepeatedCreateIsNoApproval(t *testing.T) {
	others := moderated(t, moderation.Options{})
	api := &storetest.Calls{API: storetest.Client(t)}
	s := store.New(api, others.Table(), store.Options{PlaceAge: -1, MetaAge: -1, Moderation: moderation.Options{Mode: moderation.Pre}})
	n := by("alice")
	n.IdempotencyKey = "once"
	c := mustCreate(t, s, n)
	api.Do = beforeTransactions(api.API, sync.OnceFunc(func() { decide(t, others, c.ID, moderation.Approve) })).Do
	decide(t, s, c.ID, moderation.Approve)
	storetest.Project(t, others.Projector())
	mustCreate(t, s, n)
	got, err := s.Statistics(t.Context(), []stats.Scope{{ProductID: "42"}})
	if err != nil || got[0].Total() != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// A comment that comes again, as nobody's, is shown to its former author only if it is
// published.
func TestARepeatedCreateOfWhatIsNobodys(t *testing.T) {
	s := moderated(t, moderation.Options{})
	n := by("alice")
	n.IdempotencyKey = "once"
	c := mustCreate(t, s, n)
	remove(t, s, c.ID)
	again := saying(c.ID, 1)
	again.State = item.Pending
	importAll(t, s, []store.Comment{again})
	_, err := s.Create(t.Context(), n)
	wantCode(t, err, errs.Conflict)
	decide(t, s, c.ID, moderation.Approve)
	if got := mustCreate(t, s, n); got.ID != c.ID {
		t.Errorf("%+v", got)
	}
}

// To report what is not there reads what it reads to report what nobody is shown.
func TestAReportTellsNothingOfWhatIsNotShown(t *testing.T) {
	s := moderated(t, moderation.Options{})
	c := mustCreate(t, s, by("alice"))
	decide(t, s, c.ID, moderation.Reject)
	var told []any
	for _, id := range []string{c.ID, "none"} {
		ctx, meter := table.WithMeter(t.Context())
		_, err := s.Report(ctx, id, "bob", "")
		wantCode(t, err, errs.NotFound)
		units, trips := meter.Read()
		told = append(told, [2]any{units, trips})
	}
	if told[0] != told[1] {
		t.Errorf("one that is rejected takes %v, none takes %v", told[0], told[1])
	}
}

// A moderator who has looked at an earlier version decides nothing about a later one.
func TestADecisionIsAboutWhatWasSeen(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Pre})
	c := mustCreate(t, s, by("alice"))
	update(t, s, store.Change{ID: c.ID, Title: aws.String("buy this"), By: "alice"})
	for _, v := range []moderation.Verb{moderation.Approve, moderation.Reject} {
		r := ruling(c.ID, v)
		r.ExpectedVersion = aws.Int(1)
		_, err := s.Decide(t.Context(), r)
		wantCode(t, err, errs.Conflict)
	}
	r := ruling(c.ID, moderation.Approve)
	r.ExpectedVersion = aws.Int(2)
	if after, err := s.Decide(t.Context(), r); err != nil || after.State != item.Published {
		t.Errorf("%+v, %v", after, err)
	}
}

// A reply that is edited where the clock is behind was edited later all the same.
func TestAReplyWhereClocksJump(t *testing.T) {
	var now clock
	s := storeWith(t, store.Options{Now: now.now})
	c := mustCreate(t, s, by("alice"))
	last := time.Time{}
	for _, text := range []string{"Thanks", "Thank you", "Thank you!"} {
		after, err := s.Reply(t.Context(), c.ID, text, nil)
		if err != nil || !after.Reply.UpdatedAt.After(last) || after.Reply.UpdatedAt.Before(after.Reply.CreatedAt) {
			t.Fatalf("%+v after %s, %v", after.Reply, last, err)
		}
		last = after.Reply.UpdatedAt
		now.advance(-time.Hour)
	}
}
