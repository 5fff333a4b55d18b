package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/comment/stats"
	"product-comments/store/comment/votes"
	"product-comments/store/errs"
	"product-comments/store/index/authors"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// moderated returns a store that moderates.
func moderated(t testing.TB, o moderation.Options) *store.Store {
	t.Helper()
	// dismissing many reports is one call, and some engines of the tests are slow
	return storeWith(t, store.Options{PlaceAge: -1, MetaAge: -1, Moderation: o, CallTimeout: time.Minute})
}

// keysOf returns which index keys a comment's item has.
func keysOf(t testing.TB, s *store.Store, id string) (has []string) {
	t.Helper()
	it := storedItem(t, s, id)
	for _, name := range []string{key.GSIPK, key.GSI2PK, key.GSI3PK, key.GSI4PK, key.GSISK} {
		if it[name] != nil {
			has = append(has, name)
		}
	}
	return has
}

func ruling(id string, v moderation.Verb) store.Ruling {
	return store.Ruling{ID: id, Verb: v, By: "mia", Reason: "because"}
}

func decide(t testing.TB, s *store.Store, id string, v moderation.Verb) store.Comment {
	t.Helper()
	return rule(t, s, ruling(id, v))
}

func rule(t testing.TB, s *store.Store, r store.Ruling) store.Comment {
	t.Helper()
	return testkit.Value(s.Decide(t.Context(), r))(t)
}

func wantShown(t testing.TB, s *store.Store, product string, want ...string) {
	t.Helper()
	page := pageOf(t, s, filterOf(product, "", 0), store.Window{Limit: 100})
	var got []string
	for _, c := range page.Items {
		got = append(got, c.ID)
	}
	testkit.Check(t, fmt.Sprint(got) == fmt.Sprint(want), "shown are %q, want %q", got, want)
}

// Only published comments have index keys, through all transitions; each is in the
// history; and what is not shown is in no list.
func TestStates(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Pre})
	c := mustCreate(t, s, by("alice"))
	if c.State != item.Pending || c.Code == "" || len(keysOf(t, s, c.ID)) != 0 {
		t.Fatalf("%+v with the keys %q", c, keysOf(t, s, c.ID))
	}
	wantShown(t, s, "42")
	wantWrote(t, s, "alice", "42", c.ID)
	for _, step := range []struct {
		verb  moderation.Verb
		state item.State
	}{
		{moderation.Approve, item.Published}, {moderation.Approve, item.Published}, {moderation.Reject, item.Rejected},
		{moderation.Approve, item.Published}, {moderation.Withdraw, item.Withdrawn}, {moderation.Withdraw, item.Withdrawn},
	} {
		after := decide(t, s, c.ID, step.verb)
		testkit.Need(t, after.State == step.state && after.Version == 1, "%+v", after)
		shown := []string{}
		if step.state == item.Published {
			shown = append(shown, c.ID)
		}
		wantShown(t, s, "42", shown...)
		keys := keysOf(t, s, c.ID)
		testkit.Check(t, len(keys) == 5*len(shown), "%s has the keys %q", step.state, keys)
		queued := raw(t, s, key.Case(c.ID), key.QueuedSK) != nil
		testkit.Equal(t, queued, (step.state != item.Published), "%s: in the queue", step.state)
		for state := range item.States {
			mark := raw(t, s, key.User("alice"), key.Authored(state.String(), c.Position())) != nil
			testkit.Equal(t, mark, (state == step.state), "%s: a mark in %s", step.state, state)
		}
	}
	for _, v := range []moderation.Verb{moderation.Approve, moderation.Reject} {
		wantCode(t, testkit.Err(s.Decide(t.Context(), ruling(c.ID, v))), errs.Conflict)
	}
	wantCode(t, testkit.Err(s.Update(t.Context(), store.Change{ID: c.ID, Rating: aws.Int(1)})), errs.Conflict)
	wantCode(t, testkit.Err(s.Reply(t.Context(), c.ID, "Thank you", nil)), errs.Conflict)
	history := testkit.Value(s.Moderation().History(t.Context(), c.ID))(t)
	var told []string
	for _, d := range history {
		told = append(told, fmt.Sprintf("%s-%s by %q because %s%q, new %t", d.From, d.To, d.By, d.Code, d.Reason, d.New))
		testkit.Check(t, !d.At.IsZero(), "a decision without a time")
	}
	want := []string{
		`PUBLISHED-WITHDRAWN by "mia" because "because", new false`, `REJECTED-PUBLISHED by "mia" because "because", new false`,
		`PUBLISHED-REJECTED by "mia" because "because", new false`, `PENDING-PUBLISHED by "mia" because "because", new false`,
		`PENDING-PENDING by "" because MODE"", new true`,
	}
	testkit.Equal(t, strings.Join(told, "\n"), strings.Join(want, "\n"), "the history")
	remove(t, s, c.ID)
	testkit.Check(t, raw(t, s, key.Case(c.ID), key.QueuedSK) == nil && raw(t, s, key.User("alice"), key.Authored("WITHDRAWN", c.Position())) == nil, "a deleted comment left something behind")
}

// What an author changes is looked at again where what is written is; a moderator's
// change is not.
func TestEditsAreLookedAtAgain(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Pre})
	c := mustCreate(t, s, by("alice"))
	edit := func(rating int, trusted bool) store.Comment {
		t.Helper()
		after := update(t, s, store.Change{ID: c.ID, Rating: &rating, By: "alice", Trusted: trusted})
		return after
	}
	after := edit(1, false)
	testkit.Check(t, after.State == item.Pending && after.Code == item.HeldByMode, "%+v", after)
	decide(t, s, c.ID, moderation.Approve)
	after = edit(2, true)
	testkit.Check(t, after.State == item.Published, "after a moderator's change: %+v", after)
	after = edit(3, false)
	testkit.Check(t, after.State == item.Pending && after.Code == item.HeldByEdit, "after the author's: %+v", after)
	wantShown(t, s, "42")
	decide(t, s, c.ID, moderation.Reject)
	after = edit(4, false)
	testkit.Check(t, after.State == item.Pending, "what was rejected: %+v", after)
	trusted := by("mia")
	trusted.Trusted = true
	after = mustCreate(t, s, trusted)
	testkit.Check(t, after.State == item.Published, "a moderator's own: %+v", after)
}

// A comment that waited, was approved at another server, and whose author repeats the
// call that made it, counts once.
func TestACreateThatIsRepeatedAfterAnApproval(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Pre})
	n := by("alice")
	n.IdempotencyKey = "once"
	c := mustCreate(t, s, n)
	decide(t, storeOn(t, storetest.Client(t), s.Table()), c.ID, moderation.Approve)
	project(t, s)
	again := mustCreate(t, s, n)
	testkit.Check(t, again.ID == c.ID && again.State == item.Published, "%+v", again)
	got, err := s.Statistics(t.Context(), []stats.Scope{{ProductID: "42"}})
	testkit.Check(t, err == nil && got[0].Total() == 1, "%+v, %v", got, err)
}

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

// The shop's reply is on the page that is read without a further read, and changes
// neither version nor time of the comment.
func TestReplies(t *testing.T) {
	s := moderated(t, moderation.Options{})
	c := mustCreate(t, s, by("alice"))
	for _, text := range []string{"Thank you, and  come again\n ", "Thanks"} {
		after, err := s.Reply(t.Context(), c.ID, text, nil)
		testkit.Must(t, err)
		page, err := s.Page(t.Context(), filterOf("42", "", 0), store.Window{Limit: 10})
		testkit.Need(t, err == nil && len(page.Items) == 1, "%v", err)
		got := page.Items[0]
		testkit.Check(t, got.Reply != nil && *got.Reply == *after.Reply && got.Reply.Text == text && got.Version == 1 && got.UpdatedAt.Equal(c.UpdatedAt) && page.Cost.Queries == 1, "%+v", got)
	}
	if after, err := s.Reply(t.Context(), c.ID, "", nil); err != nil || after.Reply != nil {
		t.Errorf("%+v, %v", after, err)
	}
	wantCode(t, testkit.Err(s.Reply(t.Context(), c.ID, strings.Repeat("x", item.MaxReply+1), nil)), errs.BadUserInput)
}

// Of more comments within an hour than an author may write, also at once, exactly the
// rest wait; and a product can have a way of its own.
func TestPaceAndModes(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Post, Rules: moderation.Rules{Pace: 3}})

	states := make([]item.State, 6)
	testkit.AtOnce(len(states), func(i int) {
		c, err := s.Create(t.Context(), by("alice"))
		testkit.Check(t, err == nil, "%v", err)
		states[i] = c.State
	})
	waiting := 0
	for _, state := range states {
		if state == item.Pending {
			waiting++
		}
	}
	testkit.Check(t, waiting == 3, "of six %v wait", states)
	pre := moderation.Pre
	testkit.Must(t, s.Moderation().SetMode(t.Context(), "42", &pre))
	c := mustCreate(t, s, by("bob"))
	testkit.Check(t, c.State == item.Pending, "%+v", c)
	other := by("bob")
	other.ProductID = "43"
	c = mustCreate(t, s, other)
	testkit.Check(t, c.State == item.Published, "%+v", c)
	testkit.Must(t, s.Moderation().SetMode(t.Context(), "42", nil))
	c = mustCreate(t, s, by("bob"))
	testkit.Check(t, c.State == item.Published, "%+v", c)
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

// The hour of a bound moves on with the clock; what a clock noted that was wrong by more
// than that keeps no one waiting.
func TestPaceWhereClocksJump(t *testing.T) {
	var now clock
	s := storeWith(t, store.Options{PlaceAge: -1, MetaAge: -1, Now: now.now, Moderation: moderation.Options{Mode: moderation.Post, Rules: moderation.Rules{Pace: 2}}})
	for i, step := range []struct {
		later time.Duration
		want  item.State
	}{
		{0, item.Published}, {time.Minute, item.Published}, {time.Minute, item.Pending},
		{57 * time.Minute, item.Pending}, // 59 minutes after the second
		{2 * time.Minute, item.Pending},  // the last two within an hour wait, and count
		{time.Hour, item.Published},
		{48 * time.Hour, item.Published}, {0, item.Published}, {0, item.Pending}, // a clock that is wrong
		{-48 * time.Hour, item.Published},
		{-time.Second, item.Published}, {0, item.Pending}, // one that is slow by a little
	} {
		now.advance(step.later)
		c := mustCreate(t, s, by("alice"))
		testkit.Check(t, c.State == step.want, "step %d: %s, want %s", i, c.State, step.want)
	}
}

// Imports keep states, of new comments the ones that they bring along.
func TestImportsKeepStates(t *testing.T) {
	s := moderated(t, moderation.Options{})
	c := mustCreate(t, s, by("alice"))
	decide(t, s, c.ID, moderation.Reject)
	again := c
	again.Title = "changed"
	hidden := c
	hidden.ID, hidden.State = "other", item.Pending
	importAll(t, s, []store.Comment{again, hidden})
	for id, want := range map[string]item.State{c.ID: item.Rejected, "other": item.Pending} {
		got := get(t, s, id)
		testkit.Check(t, got.State == want, "%s: %+v", id, got)
	}
	wantShown(t, s, "42")
}

// queue returns which comments are in a part of the queue.
func queue(t testing.TB, s *store.Store, q store.Queue, w store.Window) (ids []string, page list.Page[store.Placed]) {
	t.Helper()
	page = testkit.Value(s.Queue(t.Context(), q, w))(t)
	for _, c := range page.Items {
		ids = append(ids, c.Comment.ID)
	}
	return ids, page
}

// The queue has what waits, oldest first, by language and whether it was reported; it is
// paged from both ends, and counted.
func TestQueue(t *testing.T) {
	s := moderated(t, moderation.Options{})
	var waiting []string
	var all []store.Comment
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 30 {
		c := store.Comment{ID: fmt.Sprintf("c%02d", i), ProductID: fmt.Sprint("p", i%3), Rating: 1 + i%5, Language: []string{"en", "de"}[i%2], CreatedAt: at.Add(time.Duration(i) * time.Minute)}
		if i%3 > 0 {
			c.State = item.Pending
			waiting = append(waiting, c.ID)
		}
		if i%5 == 0 {
			c.Reports = 1
		}
		all = append(all, c)
	}
	importAll(t, s, all)
	project(t, s)
	var forward []string
	w := store.Window{Limit: 7}
	for {
		ids, page := queue(t, s, store.Queue{State: item.Pending}, w)
		forward = append(forward, ids...)
		if !page.HasNext {
			break
		}
		w.After = &page.Items[len(ids)-1].At
	}
	testkit.Check(t, slices.Equal(forward, waiting), "got %q, want %q", forward, waiting)
	ids, page := queue(t, s, store.Queue{State: item.Pending}, store.Window{Limit: 3, Backward: true})
	testkit.Check(t, slices.Equal(ids, waiting[len(waiting)-3:]) && page.HasPrevious, "the last are %q", ids)
	totals := testkit.Value(s.Moderation().Counts(t.Context()))(t)
	yes, no := true, false
	for _, q := range []store.Queue{
		{State: item.Pending}, {State: item.Pending, Language: "de"}, {State: item.Pending, Reported: &yes}, {State: item.Pending, Language: "en", Reported: &no},
		{State: item.Published}, {State: item.Published, Language: "en", Reported: &yes}, {State: item.Rejected}, {State: item.Pending, Language: "fr"},
	} {
		var want []string
		for _, c := range all {
			if q.Has(&item.Stored{Comment: c}) {
				want = append(want, c.ID)
			}
		}
		got, _ := queue(t, s, q, store.Window{Limit: 100})
		if !slices.Equal(got, want) || totals.Count(q) != len(want) {
			t.Errorf("%s: got %q, counted %d, want %q", q.Scope(), got, totals.Count(q), want)
		}
	}
}

// A comment that is rejected while someone votes on it is not shown to them.
func TestAVoteOnACommentThatIsBeingRejected(t *testing.T) {
	s := moderated(t, moderation.Options{})
	c := mustCreate(t, s, by("alice"))
	reject := sync.OnceFunc(func() { decide(t, s, c.ID, moderation.Reject) })
	m := storetest.Before(storetest.Client(t), func(_ context.Context, in *dynamodb.GetItemInput) {
		if partitionOf(in.Key) == key.Comment(c.ID) {
			reject()
		}
	})
	got, err := storeOn(t, m, s.Table()).Vote(t.Context(), c.ID, key.VoterOf("bob"), votes.Helpful, nil)
	wantCode(t, err, errs.NotFound)
	testkit.Check(t, got.ID == "", "Bob is shown %+v", got)
}

// A page of what waits, or of what someone wrote, is as long as was asked for although
// some of it went elsewhere while it was read.
func TestPagesAreFilledUp(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Pre})
	var all []string // newest first
	for range 6 {
		all = append([]string{mustCreate(t, s, by("alice")).ID}, all...)
	}
	pending := item.Pending
	authored := func(s *store.Store, w store.Window) (list.Page[store.Placed], error) {
		return s.Authored(t.Context(), authors.Filter{Author: "alice", State: &pending}, w)
	}
	inQueue := func(s *store.Store, w store.Window) (list.Page[store.Placed], error) {
		return s.Queue(t.Context(), store.Queue{State: pending}, w)
	}
	oldest := slices.Clone(all)
	slices.Reverse(oldest)
	for _, c := range []struct {
		name     string
		read     func(*store.Store, store.Window) (list.Page[store.Placed], error)
		in       []string
		backward bool
	}{{"authored", authored, all, false}, {"authored, backward", authored, all, true}, {"queue", inQueue, oldest, false}, {"queue, backward", inQueue, oldest, true}} {
		t.Run(c.name, func(t *testing.T) {
			leave, want := c.in[:2], c.in[2:5]
			if c.backward {
				leave, want = c.in[4:], c.in[1:4]
			}
			approve := sync.OnceFunc(func() {
				for _, id := range leave {
					decide(t, s, id, moderation.Approve)
				}
			})
			m := storetest.Before(storetest.Client(t), func(_ context.Context, in *dynamodb.BatchGetItemInput) {
				if slices.ContainsFunc(in.RequestItems[s.Table()].Keys, func(k table.Item) bool { return partitionOf(k) == key.Comment(leave[0]) }) {
					approve()
				}
			})
			page := testkit.Value(c.read(storeOn(t, m, s.Table()), store.Window{Limit: 3, Backward: c.backward}))(t)
			var got []string
			for _, p := range page.Items {
				got = append(got, p.Comment.ID)
			}
			testkit.Check(t, slices.Equal(got, want) && page.HasNext != c.backward && page.HasPrevious == c.backward, "got %q, next %t, previous %t; want %q", got, page.HasNext, page.HasPrevious, want)
			for _, id := range leave { // come back, for the next case
				update(t, s, store.Change{ID: id, Title: &c.name, By: "alice"})
			}
		})
	}
}

// A photo's address is held as a link unless the shop defined the attribute for addresses,
// when a comment is written as when it is edited.
func TestAddressesInAttributes(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Post, Rules: moderation.Rules{Links: true}})
	define(t, s, "42", []attributes.Definition{{Key: "photo", Type: attributes.Text, Address: true}, {Key: "tip", Type: attributes.Text}})
	const photo = "https://cdn.shop.example/1.jpg"
	for attribute, want := range map[attributes.Input]item.State{
		{Key: "photo", Value: photo}:                  item.Published,
		{Key: "photo", Value: photo + " or " + photo}: item.Pending,
		{Key: "tip", Value: photo}:                    item.Pending,
	} {
		new := by("alice")
		new.Attributes = []attributes.Input{attribute}
		if c, err := s.Create(t.Context(), new); err != nil || c.State != want {
			t.Errorf("%+v: %s %q, %v", attribute, c.State, c.Reason, err)
		}
		c := mustCreate(t, s, by("alice"))
		c, err := s.Update(t.Context(), store.Change{ID: c.ID, Attributes: []attributes.Input{attribute}, By: "alice"})
		testkit.Check(t, err == nil && c.State == want, "%+v, by an edit: %s %q, %v", attribute, c.State, c.Reason, err)
	}
}

// What stands in the way of an approval is about the comment that was chosen: its language
// is none of the moderator's inputs. What no one is shown knows no bound.
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
	testkit.Check(t, errors.As(err, &coded) && coded.Code == errs.BadUserInput && coded.Field == "id" && coded.Reason == errs.TooMany, "%+v", err)
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
	testkit.Check(t, err == nil && got[0].Total() == 1, "%+v, %v", got, err)
}

// A comment that comes again, as no one's, is shown to its former author only if it is
// published.
func TestARepeatedCreateWithoutAnOwner(t *testing.T) {
	s := moderated(t, moderation.Options{})
	n := by("alice")
	n.IdempotencyKey = "once"
	c := mustCreate(t, s, n)
	remove(t, s, c.ID)
	again := saying(c.ID, 1)
	again.State = item.Pending
	importAll(t, s, []store.Comment{again})
	wantCode(t, testkit.Err(s.Create(t.Context(), n)), errs.Conflict)
	decide(t, s, c.ID, moderation.Approve)
	got := mustCreate(t, s, n)
	testkit.Check(t, got.ID == c.ID, "%+v", got)
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

// A moderator who has looked at an earlier version decides nothing about a later one.
func TestADecisionIsAboutWhatWasSeen(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Pre})
	c := mustCreate(t, s, by("alice"))
	update(t, s, store.Change{ID: c.ID, Title: aws.String("buy this"), By: "alice"})
	for _, v := range []moderation.Verb{moderation.Approve, moderation.Reject} {
		r := ruling(c.ID, v)
		r.ExpectedVersion = aws.Int(1)
		wantCode(t, testkit.Err(s.Decide(t.Context(), r)), errs.Conflict)
	}
	r := ruling(c.ID, moderation.Approve)
	r.ExpectedVersion = aws.Int(2)
	after, err := s.Decide(t.Context(), r)
	testkit.Check(t, err == nil && after.State == item.Published, "%+v, %v", after, err)
}

// A reply that is edited where the clock is behind was edited later all the same.
func TestAReplyWhereClocksJump(t *testing.T) {
	var now clock
	s := storeWith(t, store.Options{Now: now.now})
	c := mustCreate(t, s, by("alice"))
	last := time.Time{}
	for _, text := range []string{"Thanks", "Thank you", "Thank you!"} {
		after, err := s.Reply(t.Context(), c.ID, text, nil)
		testkit.Need(t, err == nil && after.Reply.UpdatedAt.After(last) && !after.Reply.UpdatedAt.Before(after.Reply.CreatedAt), "%+v after %s, %v", after.Reply, last, err)
		last = after.Reply.UpdatedAt
		now.advance(-time.Hour)
	}
}
