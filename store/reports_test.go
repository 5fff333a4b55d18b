package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

func report(t testing.TB, s *store.Store, id, who string) store.Comment {
	t.Helper()
	return testkit.Value(s.Report(t.Context(), id, who, "rude"))(t)
}

// Each person's report counts once, however often they send it, and enough of them
// return a comment to a moderator, who may keep it.
func TestReports(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Post})
	c := mustCreate(t, s, by("alice"))
	report(t, s, c.ID, "bob")
	after := report(t, s, c.ID, "bob")
	testkit.Check(t, after.Reports == 1 && after.State == item.Published, "%+v", after)
	testkit.Check(t, raw(t, s, key.Case(c.ID), key.QueuedSK) != nil, "what was reported is not in the queue")
	report(t, s, c.ID, "carol")
	after = report(t, s, c.ID, "dan")
	testkit.Check(t, after.State == item.Pending && after.Reports == 3 && after.Code == item.HeldByReports, "%+v", after)
	wantShown(t, s, "42")
	wantCode(t, testkit.Err(s.Report(t.Context(), c.ID, "erin", "")), errs.NotFound)
	after = decide(t, s, c.ID, moderation.Approve)
	testkit.Check(t, after.Reports == 0, "%+v", after)
	after = report(t, s, c.ID, "dan")
	testkit.Check(t, after.Reports == 0, "a report that was decided about counts again: %+v", after)
	after = report(t, s, c.ID, "erin")
	testkit.Check(t, after.Reports == 1 && after.State == item.Published, "%+v", after)
	reports, err := s.Moderation().Reports(t.Context(), c.ID)
	testkit.Check(t, err == nil && len(reports) == 4, "%+v, %v", reports, err)
}

// Of many reports at once each is counted.
func TestReportsAtOnce(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Post, Reports: 100})
	c := mustCreate(t, s, by("alice"))

	testkit.AtOnce(8, func(i int) {
		for range 2 {
			_, err := s.Report(t.Context(), c.ID, fmt.Sprint("user", i), "")
			testkit.Check(t, err == nil, "%v", err)
		}
	})
	got := get(t, s, c.ID)
	testkit.Check(t, got.Reports == 8, "%+v", got)
}

// Of more reports within an hour than a user may make, also at once, the rest are refused; a report that was made counts
// once, however often it is repeated, and after an hour there is room.
func TestReportPace(t *testing.T) {
	var now clock
	s := storeWith(t, store.Options{PlaceAge: -1, MetaAge: -1, Now: now.now, Moderation: moderation.Options{Mode: moderation.Post, ReportPace: 4}})
	ids := make([]string, 9)
	for i := range ids {
		ids[i] = mustCreate(t, s, by("alice")).ID
	}
	failed := make([]error, len(ids))
	testkit.AtOnce(len(ids), func(i int) { _, failed[i] = s.Report(t.Context(), ids[i], "bob", "") })
	var refused []string
	for i, err := range failed {
		if err != nil {
			refused = append(refused, ids[i])
			testkit.Check(t, errs.CodeOf(err) == errs.RateLimited, "%v", err)
		}
	}
	testkit.Need(t, len(refused) == 5, "of nine reports %d were refused, not 5", len(refused))
	for _, id := range ids {
		if !slices.Contains(refused, id) {
			report(t, s, id, "bob")
		}
	}
	now.advance(59 * time.Minute)
	_, err := s.Report(t.Context(), refused[0], "bob", "")
	var limited *errs.Error
	testkit.Need(t, errors.As(err, &limited) && limited.Code == errs.RateLimited, "%v", err)
	testkit.Equal(t, limited.RetryAfter.Round(time.Minute), time.Minute, "when to report again")
	report(t, s, refused[0], "carol")
	wantCode(t, testkit.Err(s.Report(t.Context(), "no-such", "bob", "")), errs.NotFound)
	now.advance(2 * time.Minute)
	report(t, s, refused[0], "bob")
}

// What the reports of one person have hidden comes back at once, although others reported it, too; what others alone
// have hidden, what a moderator has decided and what no report has hidden stays.
func TestDismissReports(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Post, Reports: 2})
	hide := func(who ...string) string {
		id := mustCreate(t, s, by("alice")).ID
		for _, who := range who {
			report(t, s, id, who)
		}
		return id
	}
	var attacked []string
	for range 60 {
		attacked = append(attacked, hide("mallory", "trudy"))
	}
	honest, rejected, once := hide("carol", "dave"), hide("mallory", "trudy"), hide("mallory")
	decide(t, s, rejected, moderation.Reject)
	again := hide("mallory", "trudy") // and later others
	decide(t, s, again, moderation.Approve)
	report(t, s, again, "carol")
	report(t, s, again, "dave")
	gone := hide("mallory", "trudy")
	remove(t, s, gone)
	n, more, err := s.DismissReports(t.Context(), "mallory", "mia", "an attack")
	testkit.Need(t, err == nil && n == 50 && more, "%d were approved, more: %t, %v", n, more, err)
	n, more, err = s.DismissReports(t.Context(), "mallory", "mia", "an attack")
	testkit.Need(t, err == nil && n == 10 && !more, "then %d were approved, more: %t, %v", n, more, err)
	n, more, err = s.DismissReports(t.Context(), "mallory", "mia", "an attack")
	testkit.Need(t, err == nil && n == 0 && !more, "then %d were approved, more: %t, %v", n, more, err)
	for _, id := range attacked {
		c := get(t, s, id)
		testkit.Check(t, c.State == item.Published && c.Reports == 0, "%+v", c)
	}
	history := testkit.Value(s.Moderation().History(t.Context(), attacked[0]))(t)
	testkit.Check(t, len(history) == 2 && history[0].By == "mia" && history[0].Reason == "an attack", "%+v", history)
	for id, want := range map[string]item.State{honest: item.Pending, rejected: item.Rejected, once: item.Published, again: item.Pending} {
		testkit.Equal(t, get(t, s, id).State, want, "%s", id)
	}
	report(t, s, attacked[0], "mallory")
	testkit.Equal(t, get(t, s, attacked[0]).Reports, 0, "reports of who reported it before")
	testkit.Equal(t, get(t, s, once).Reports, 1, "reports that have hidden nothing")
	_, _, err = s.DismissReports(t.Context(), "carol", "mia", strings.Repeat("x", item.MaxReason+1))
	wantCode(t, err, errs.BadUserInput)
}

// A report that was begun before a decision and made after it is one since the decision.
func TestReportDuringADecision(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Post, Reports: 2})
	id := mustCreate(t, s, by("alice")).ID
	report(t, s, id, "carol")
	decided := false
	slow := store.New(storetest.Before(storetest.Client(t), func(context.Context, *dynamodb.TransactWriteItemsInput) {
		if !decided {
			decided = true
			time.Sleep(5 * time.Millisecond)
			decide(t, s, id, moderation.Approve)
		}
	}), s.Table(), store.Options{PlaceAge: -1, MetaAge: -1, Moderation: moderation.Options{Mode: moderation.Post, Reports: 2}})
	report(t, slow, id, "mallory")
	report(t, s, id, "trudy")
	testkit.Need(t, decided && get(t, s, id).State == item.Pending, "two reports since the decision do not hide the comment")
	n, _, err := s.DismissReports(t.Context(), "mallory", "mia", "an attack")
	testkit.Check(t, n == 1 && err == nil, "%d were approved, %v", n, err)
}

// To report what is not there reads what it reads to report what no one is shown.
func TestAReportTellsNothingOfWhatIsNotShown(t *testing.T) {
	s := moderated(t, moderation.Options{})
	c := mustCreate(t, s, by("alice"))
	decide(t, s, c.ID, moderation.Reject)
	var told []any
	for _, id := range []string{c.ID, "none"} {
		ctx, meter := table.WithMeter(t.Context())
		wantCode(t, testkit.Err(s.Report(ctx, id, "bob", "")), errs.NotFound)
		units, trips := meter.Read()
		told = append(told, [2]any{units, trips})
	}
	testkit.Check(t, told[0] == told[1], "one that is rejected takes %v, none takes %v", told[0], told[1])
}
