package store_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/derive/stream"
	"product-comments/store/derive/verify"
	"product-comments/store/errs"
	"product-comments/store/index/cases"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// monthsOf returns the months with any comment or decision, each rating as created/published/refused.
func monthsOf(t testing.TB, s *store.Store) (all []string) {
	t.Helper()
	project(t, s)
	for _, m := range testkit.Value(s.Moderation().Months(t.Context(), 6))(t) {
		if m.CreatedCount+m.DecisionCount == 0 {
			continue
		}
		line := fmt.Sprintf("%s created %d withdrawn %d decided %d", m.Month, m.CreatedCount, m.WithdrawnCount, m.DecisionCount)
		if m.AverageRating != nil {
			line += fmt.Sprintf(" average %.1f", *m.AverageRating)
		}
		for _, r := range m.Ratings {
			if r != (cases.RatingMonth{Rating: r.Rating}) {
				line += fmt.Sprintf(" %d: %d/%d/%d", r.Rating, r.CreatedCount, r.PublishedCount, r.RefusedCount)
			}
		}
		all = append(all, line)
	}
	return all
}

// Months have the comments that were created in them, as they are now, and the decisions that were
// made in them, as they were then.
func TestMonths(t *testing.T) {
	now := time.Date(2026, 10, 31, 23, 0, 0, 0, time.UTC)
	s := storeWith(t, store.Options{PlaceAge: -1, MetaAge: -1, Moderation: moderation.Options{Mode: moderation.Pre, Reports: 1},
		CallTimeout: time.Minute, Now: func() time.Time { return now }})
	want := func(about string, want ...string) {
		t.Helper()
		got := monthsOf(t, s)
		testkit.Check(t, slices.Equal(got, want), "%s:\n%q, want\n%q", about, got, want)
	}
	create := func(rating int, trusted bool) string {
		return mustCreate(t, s, store.NewComment{ProductID: fmt.Sprint("p", rating), Rating: rating, Language: "en", Owner: "al", Trusted: trusted}).ID
	}
	two, one := create(2, false), create(1, false)
	create(5, true)
	want("two wait", "2026-10 created 3 withdrawn 0 decided 0 average 2.7 1: 1/0/0 2: 1/0/0 5: 1/0/0")
	now = now.Add(2 * time.Hour)
	decide(t, s, two, moderation.Approve)
	decide(t, s, one, moderation.Reject)
	decide(t, s, one, moderation.Reject) // decides nothing new
	want("decided in the next month", "2026-11 created 0 withdrawn 0 decided 2 1: 0/0/1 2: 0/1/0", "2026-10 created 3 withdrawn 0 decided 0 average 2.7 1: 1/0/0 2: 1/0/0 5: 1/0/0")
	month := testkit.Value(s.Moderation().Months(t.Context(), 1))(t)[0]
	for _, got := range []*int{month.MedianDecisionSeconds, month.P90DecisionSeconds} {
		testkit.Check(t, got != nil && math.Abs(float64(*got)/7200-1) < .1, "they waited two hours, not %v", got)
	}
	decide(t, s, one, moderation.Approve)
	_, err := s.Update(t.Context(), store.Change{ID: one, Rating: new(4), By: "al"})
	testkit.Must(t, err)
	now = now.Add(time.Minute)
	decide(t, s, one, moderation.Reject)
	want("a decision keeps the rating that the comment had", "2026-11 created 0 withdrawn 0 decided 4 1: 0/1/1 2: 0/1/0 4: 0/0/1", "2026-10 created 3 withdrawn 0 decided 0 average 3.7 2: 1/0/0 4: 1/0/0 5: 1/0/0")
	if p := testkit.Value(s.Moderation().Months(t.Context(), 1))(t)[0].MedianDecisionSeconds; p == nil || math.Abs(float64(*p)/7200-1) > .1 {
		t.Errorf("of two hours, two hours and a minute the median is %v", p)
	}
	decide(t, s, two, moderation.Withdraw)
	_, err = s.Delete(t.Context(), one, nil)
	testkit.Must(t, err)
	want("one is withdrawn, one deleted", "2026-11 created 0 withdrawn 0 decided 4 1: 0/1/1 2: 0/1/0 4: 0/0/1", "2026-10 created 3 withdrawn 1 decided 0 average 3.7 2: 1/0/0 4: 1/0/0 5: 1/0/0")
	importAll(t, s, []store.Comment{{ID: "old", ProductID: "p", Rating: 3, Language: "en", CreatedAt: now.AddDate(0, -3, 0), State: item.Pending}})
	now = now.Add(time.Hour)
	decide(t, s, "old", moderation.Approve)
	want("an imported comment waits from its import", "2026-11 created 0 withdrawn 0 decided 5 1: 0/1/1 2: 0/1/0 3: 0/1/0 4: 0/0/1",
		"2026-10 created 3 withdrawn 1 decided 0 average 3.7 2: 1/0/0 4: 1/0/0 5: 1/0/0", "2026-08 created 1 withdrawn 0 decided 0 average 3.0 3: 1/0/0")
	if p := testkit.Value(s.Moderation().Months(t.Context(), 1))(t)[0].P90DecisionSeconds; p == nil || *p > 8000 {
		t.Errorf("the longest time is %v", p)
	}
}

// Only the last decisions of a comment count, and a class of times has those near its seconds.
func TestDecided(t *testing.T) {
	var d item.Decided
	for i := range 2 * item.MostDecided {
		d = d.Then(item.Decision{Month: "2026-11", Rating: 1 + i%5, Code: "SPAM", Waited: fmt.Sprint(i)})
	}
	all := d.All()
	testkit.Check(t, len(all) == item.MostDecided && all[0] == item.Decision{Month: "2026-11", Rating: 1, Code: "SPAM", Waited: fmt.Sprint(item.MostDecided)}, "it has %v", all)
	for _, seconds := range []float64{0, 1, 2, 59, 3600, 86400, 1e6, 1e9} {
		now := time.Unix(2e9, 0)
		before := &item.Stored{Comment: item.Comment{State: item.Pending}, WaitsSince: int(2e9 - seconds)}
		one := item.DecidedOf(before, &item.Stored{}, now)
		var class int
		_, err := fmt.Sscan(one.Waited, &class)
		testkit.Must(t, err)
		off := math.Abs(float64(item.WaitSeconds(class)) - seconds)
		testkit.Check(t, off <= max(1, seconds/10), "%g seconds count as %d", seconds, item.WaitSeconds(class))
	}
}

// The projector pays two write units for each month that a transaction changes, and two for each product
// in it.
func TestCostsOfMonths(t *testing.T) {
	w := &witness{}
	s := storeWith(t, store.Options{Observer: w, MetaAge: time.Hour, CallTimeout: time.Minute})
	var before float64
	for months := range 4 {
		var all []store.Comment
		for i := range 12 {
			all = append(all, store.Comment{ID: fmt.Sprint(months, "-", i), ProductID: "42", Rating: 1 + i%5, Language: "en", State: item.Rejected,
				CreatedAt: time.Date(2026, time.Month(1+min(i, months)), 1, 0, 0, 0, 0, time.UTC)})
		}
		importAll(t, s, all)
		w.take()
		project(t, s)
		written, _ := paid(w)
		testkit.Check(t, months < 2 || written-before == 4, "%d months cost %g write units more than one less", months+1, written-before)
		before = written
	}
}

// reportOf returns a report of a product, or of all: what became of the comments of each rating.
func reportOf(t testing.TB, s *store.Store, product, from, to string) (all []string) {
	t.Helper()
	project(t, s)
	for _, r := range testkit.Value(s.Moderation().ModerationReport(t.Context(), product, from, to))(t).Ratings {
		if r.CreatedCount > 0 {
			all = append(all, fmt.Sprintf("%d: %d = %d published, %d wait, %d refused %v, %d withdrawn, %d removed", r.Rating, r.CreatedCount,
				r.PublishedCount, r.PendingCount, r.RefusedCount, r.Refusals, r.WithdrawnCount, r.RemovedCount))
		}
	}
	return all
}

// recounted checks that all counts are those of the comments.
func recounted(t testing.TB, s *store.Store) {
	t.Helper()
	found := testkit.Value(verify.Run(t.Context(), s.Projector(), verify.Options{}))(t)
	testkit.Check(t, found.State == settings.StateKept && len(found.Differences) == 0, "verify finds %+v", found)
}

// A report has each comment once by what it is now, also deleted ones, and the same after a
// rebuild and by a recount.
func TestModerationReports(t *testing.T) {
	now := time.Date(2026, 10, 31, 23, 0, 0, 0, time.UTC)
	s := storeWith(t, store.Options{PlaceAge: -1, MetaAge: -1, Moderation: moderation.Options{Mode: moderation.Pre, Reports: 1},
		CallTimeout: time.Minute, Now: func() time.Time { return now }})
	create := func(product, owner string, rating int) string {
		return mustCreate(t, s, store.NewComment{ProductID: product, Rating: rating, Language: "en", Owner: owner, Author: owner, Text: "I was here"}).ID
	}
	ids := map[string]string{}
	for _, what := range []string{"waits", "published", "refused", "refused and deleted", "withdrawn", "deleted by its author", "deleted by the shop", "erased"} {
		ids[what] = create("p/1", map[bool]string{true: "eve"}[what == "erased"]+"al", 1)
	}
	other := create("p", "al", 5)
	now = now.Add(time.Hour)
	for _, what := range []string{"published", "withdrawn", "deleted by its author", "deleted by the shop", "erased"} {
		decide(t, s, ids[what], moderation.Approve)
	}
	for _, what := range []string{"refused", "refused and deleted"} {
		_, err := s.Decide(t.Context(), store.Ruling{ID: ids[what], Verb: moderation.Reject, Reason: "no", Code: map[bool]item.Code{true: "SPAM"}[what == "refused"]})
		testkit.Must(t, err)
	}
	decide(t, s, ids["withdrawn"], moderation.Withdraw)
	testkit.Value(s.DeleteBy(t.Context(), ids["deleted by its author"], "al", nil))(t)
	testkit.Value(s.DeleteBy(t.Context(), ids["deleted by the shop"], "mia", nil))(t)
	testkit.Value(s.DeleteBy(t.Context(), ids["refused and deleted"], "al", nil))(t)
	testkit.Value(s.Erase(t.Context(), store.Erasure{Subject: "eveal"}))(t)
	it := testkit.Value(s.Projector().Table().Get(t.Context(), "the tombstone", table.Key(key.Comment(ids["erased"]))))(t)
	left := slices.Sorted(maps.Keys(it))
	testkit.Equal(t, fmt.Sprint(left), "[PK SK dec deleted lang of place rating st w]", "a tombstone")
	want := func(about string) {
		t.Helper()
		testkit.Equal(t, fmt.Sprint(reportOf(t, s, "p/1", "2026-10", "2026-10")),
			"[1: 8 = 1 published, 1 wait, 2 refused [{OTHER 1} {SPAM 1}], 3 withdrawn, 1 removed]", about)
		testkit.Equal(t, len(reportOf(t, s, "p/1", "2026-11", "2027-01")), 0, about+", later")
		testkit.Equal(t, fmt.Sprint(reportOf(t, s, "p", "2025-01", "2026-12")), "[5: 1 = 0 published, 1 wait, 0 refused [], 0 withdrawn, 0 removed]", about+", another product")
		testkit.Equal(t, len(reportOf(t, s, "", "2026-10", "2026-10")), 2, about+", all products")
		recounted(t, s)
	}
	want("before")
	r := testkit.Value(s.Moderation().ModerationReport(t.Context(), "p/1", "2026-11", "2026-11"))(t)
	testkit.Check(t, r.DecisionCount == 7 && math.Abs(float64(*r.MedianDecisionSeconds)/3600-1) < .1 && *r.P90DecisionSeconds == *r.MedianDecisionSeconds, "%+v", r)
	if testkit.All(t) { // it waits for all processes
		real := storeOn(t, storetest.Client(t), s.Table()) // whose clock runs
		consumer, stop := storetest.Consume(t, real.Projector(), stream.Options{Poll: 5 * time.Millisecond})
		testkit.Must(t, consumer.Rebuild(t.Context(), stream.RebuildOptions{}))
		stop()
		want("after a rebuild")
	}
	testkit.Value(s.Delete(t.Context(), other, nil))(t)
	importAll(t, s, []store.Comment{{ID: other, ProductID: "q", Rating: 4, Language: "en", CreatedAt: now}})
	testkit.Equal(t, fmt.Sprint(reportOf(t, s, "p", "2026-10", "2026-11"), reportOf(t, s, "q", "2026-10", "2026-11")),
		"[] [4: 1 = 1 published, 0 wait, 0 refused [], 0 withdrawn, 0 removed]", "imported over a tombstone")
	recounted(t, s)
	for _, wrong := range [][3]string{{"", "2026-01", "from"}, {"2026-13", "2026-01", "from"}, {"2026-01", "2026-1", "to"}, {"2026-02", "2026-01", "to"},
		{"2016-01", "2026-01", "to"}, {"2026-01\x00", "2026-01", "from"}, {"2026-01", "\u202e2026-01", "to"}} {
		_, err := s.Moderation().ModerationReport(t.Context(), "p", wrong[0], wrong[1])
		var coded *errs.Error
		testkit.Check(t, errors.As(err, &coded) && coded.Code == errs.BadUserInput && coded.Field == wrong[2], "%q: %v", wrong, err)
	}
	_, err := s.Moderation().ModerationReport(t.Context(), "p", "2016-02", "2026-01")
	testkit.Must(t, err)
}
