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

	"product-comments/store"
	"product-comments/store/attributes"
	"product-comments/store/authors"
	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/list"
	"product-comments/store/moderation"
	"product-comments/store/stats"
	"product-comments/store/storetest"
	"product-comments/store/table"
	"product-comments/store/votes"
)

// moderated returns a store that moderates.
func moderated(t testing.TB, o moderation.Options) *store.Store {
	t.Helper()
	return storeWith(t, store.Options{PlaceAge: -1, MetaAge: -1, Moderation: o})
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
	c, err := s.Decide(t.Context(), r)
	must(t, err)
	return c
}

func wantShown(t testing.TB, s *store.Store, product string, want ...string) {
	t.Helper()
	page := pageOf(t, s, filterOf(product, "", 0), store.Window{Limit: 100})
	var got []string
	for _, c := range page.Items {
		got = append(got, c.ID)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("shown are %q, want %q", got, want)
	}
}

// Only published comments have index keys, through all transitions; each is in the
// history; and what is not shown is in no list.
func TestStates(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Pre})
	c := mustCreate(t, s, by("alice"))
	if c.State != item.Pending || c.Reason == "" || len(keysOf(t, s, c.ID)) != 0 {
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
		if after.State != step.state || after.Version != 1 {
			t.Fatalf("%+v", after)
		}
		shown := []string{}
		if step.state == item.Published {
			shown = append(shown, c.ID)
		}
		wantShown(t, s, "42", shown...)
		if keys := keysOf(t, s, c.ID); len(keys) != 5*len(shown) {
			t.Errorf("%s has the keys %q", step.state, keys)
		}
		queued := raw(t, s, key.Case(c.ID), key.QueuedSK) != nil
		if queued != (step.state != item.Published) {
			t.Errorf("%s: in the queue %t", step.state, queued)
		}
		for state := range item.States {
			mark := raw(t, s, key.User("alice"), key.Authored(state.String(), c.Position())) != nil
			if mark != (state == step.state) {
				t.Errorf("%s: a mark in %s: %t", step.state, state, mark)
			}
		}
	}
	for _, v := range []moderation.Verb{moderation.Approve, moderation.Reject} {
		_, err := s.Decide(t.Context(), ruling(c.ID, v))
		wantCode(t, err, errs.Conflict)
	}
	_, err := s.Update(t.Context(), store.Change{ID: c.ID, Rating: aws.Int(1)})
	wantCode(t, err, errs.Conflict)
	_, err = s.Reply(t.Context(), c.ID, "Thank you", nil)
	wantCode(t, err, errs.Conflict)
	history, err := s.Moderation().History(t.Context(), c.ID)
	must(t, err)
	var told []string
	for _, d := range history {
		told = append(told, fmt.Sprintf("%s-%s by %q because %q, new %t", d.From, d.To, d.By, d.Reason, d.New))
		if d.At.IsZero() {
			t.Error("a decision without a time")
		}
	}
	want := []string{
		`PUBLISHED-WITHDRAWN by "mia" because "because", new false`, `REJECTED-PUBLISHED by "mia" because "because", new false`,
		`PUBLISHED-REJECTED by "mia" because "because", new false`, `PENDING-PUBLISHED by "mia" because "because", new false`,
		`PENDING-PENDING by "" because "it is new", new true`,
	}
	if strings.Join(told, "\n") != strings.Join(want, "\n") {
		t.Errorf("the history is\n%s", strings.Join(told, "\n"))
	}
	remove(t, s, c.ID)
	if raw(t, s, key.Case(c.ID), key.QueuedSK) != nil || raw(t, s, key.User("alice"), key.Authored("WITHDRAWN", c.Position())) != nil {
		t.Error("something stands beside a deleted comment")
	}
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
	if after := edit(1, false); after.State != item.Pending || after.Reason != moderation.ReasonNew {
		t.Errorf("%+v", after)
	}
	decide(t, s, c.ID, moderation.Approve)
	if after := edit(2, true); after.State != item.Published {
		t.Errorf("after a moderator's change: %+v", after)
	}
	if after := edit(3, false); after.State != item.Pending || after.Reason != moderation.ReasonEdited {
		t.Errorf("after the author's: %+v", after)
	}
	wantShown(t, s, "42")
	decide(t, s, c.ID, moderation.Reject)
	if after := edit(4, false); after.State != item.Pending {
		t.Errorf("what was rejected: %+v", after)
	}
	trusted := by("mia")
	trusted.Trusted = true
	if after := mustCreate(t, s, trusted); after.State != item.Published {
		t.Errorf("a moderator's own: %+v", after)
	}
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
	if again := mustCreate(t, s, n); again.ID != c.ID || again.State != item.Published {
		t.Errorf("%+v", again)
	}
	got, err := s.Statistics(t.Context(), []stats.Scope{{ProductID: "42"}})
	if err != nil || got[0].Total() != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

func report(t testing.TB, s *store.Store, id, who string) store.Comment {
	t.Helper()
	c, err := s.Report(t.Context(), id, who, "rude")
	must(t, err)
	return c
}

// Each person's report counts once, however often they send it, and enough of them
// return a comment to a moderator, who may keep it.
func TestReports(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Post})
	c := mustCreate(t, s, by("alice"))
	report(t, s, c.ID, "bob")
	if after := report(t, s, c.ID, "bob"); after.Reports != 1 || after.State != item.Published {
		t.Errorf("%+v", after)
	}
	if raw(t, s, key.Case(c.ID), key.QueuedSK) == nil {
		t.Error("what was reported is not in the queue")
	}
	report(t, s, c.ID, "carol")
	if after := report(t, s, c.ID, "dan"); after.State != item.Pending || after.Reports != 3 || after.Reason != moderation.ReasonReported {
		t.Errorf("%+v", after)
	}
	wantShown(t, s, "42")
	_, err := s.Report(t.Context(), c.ID, "erin", "")
	wantCode(t, err, errs.NotFound)
	if after := decide(t, s, c.ID, moderation.Approve); after.Reports != 0 {
		t.Errorf("%+v", after)
	}
	if after := report(t, s, c.ID, "dan"); after.Reports != 0 {
		t.Errorf("a report that was decided about counts again: %+v", after)
	}
	if after := report(t, s, c.ID, "erin"); after.Reports != 1 || after.State != item.Published {
		t.Errorf("%+v", after)
	}
	reports, err := s.Moderation().Reports(t.Context(), c.ID)
	if err != nil || len(reports) != 4 {
		t.Errorf("%+v, %v", reports, err)
	}
}

// Of many reports at once each is counted.
func TestReportsAtOnce(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Post, Reports: 100})
	c := mustCreate(t, s, by("alice"))
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for range 2 {
				if _, err := s.Report(t.Context(), c.ID, fmt.Sprint("user", i), ""); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if got := get(t, s, c.ID); got.Reports != 8 {
		t.Errorf("%+v", got)
	}
}

// The shop's reply is on the page that is read without a further read, and changes
// neither version nor time of the comment.
func TestReplies(t *testing.T) {
	s := moderated(t, moderation.Options{})
	c := mustCreate(t, s, by("alice"))
	for _, text := range []string{"Thank you, and  come again\n ", "Thanks"} {
		after, err := s.Reply(t.Context(), c.ID, text, nil)
		must(t, err)
		page, err := s.Page(t.Context(), filterOf("42", "", 0), store.Window{Limit: 10})
		if err != nil || len(page.Items) != 1 {
			t.Fatal(err)
		}
		got := page.Items[0]
		if got.Reply == nil || *got.Reply != *after.Reply || got.Reply.Text != text || got.Version != 1 || !got.UpdatedAt.Equal(c.UpdatedAt) || page.Cost.Queries != 1 {
			t.Errorf("%+v", got)
		}
	}
	if after, err := s.Reply(t.Context(), c.ID, "", nil); err != nil || after.Reply != nil {
		t.Errorf("%+v, %v", after, err)
	}
	_, err := s.Reply(t.Context(), c.ID, strings.Repeat("x", item.MaxReply+1), nil)
	wantCode(t, err, errs.BadUserInput)
}

// Of more comments within an hour than an author may write, also at once, exactly the
// rest wait; and a product can have a way of its own.
func TestPaceAndModes(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Post, Rules: moderation.Rules{Pace: 3}})
	var group sync.WaitGroup
	states := make([]item.State, 6)
	for i := range states {
		group.Go(func() {
			c, err := s.Create(t.Context(), by("alice"))
			if err != nil {
				t.Error(err)
			}
			states[i] = c.State
		})
	}
	group.Wait()
	waiting := 0
	for _, state := range states {
		if state == item.Pending {
			waiting++
		}
	}
	if waiting != 3 {
		t.Errorf("of six %v wait", states)
	}
	pre := moderation.Pre
	must(t, s.Moderation().SetMode(t.Context(), "42", &pre))
	if c := mustCreate(t, s, by("bob")); c.State != item.Pending {
		t.Errorf("%+v", c)
	}
	other := by("bob")
	other.ProductID = "43"
	if c := mustCreate(t, s, other); c.State != item.Published {
		t.Errorf("%+v", c)
	}
	must(t, s.Moderation().SetMode(t.Context(), "42", nil))
	if c := mustCreate(t, s, by("bob")); c.State != item.Published {
		t.Errorf("%+v", c)
	}
}

// The hour of a bound moves on with the clock; what a clock noted that was wrong by more
// than that keeps nobody waiting.
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
		if c := mustCreate(t, s, by("alice")); c.State != step.want {
			t.Errorf("step %d: %s, want %s", i, c.State, step.want)
		}
	}
}

// Imports keep states, of new comments those that they bring along.
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
		if got := get(t, s, id); got.State != want {
			t.Errorf("%s: %+v", id, got)
		}
	}
	wantShown(t, s, "42")
}

// queue returns which comments are in a part of the queue.
func queue(t testing.TB, s *store.Store, q moderation.Queue, w store.Window) (ids []string, page list.Page[store.Placed]) {
	t.Helper()
	page, err := s.Queue(t.Context(), q, w)
	must(t, err)
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
		ids, page := queue(t, s, moderation.Queue{State: item.Pending}, w)
		forward = append(forward, ids...)
		if !page.HasNext {
			break
		}
		w.After = &page.Items[len(ids)-1].At
	}
	if !slices.Equal(forward, waiting) {
		t.Errorf("got %q, want %q", forward, waiting)
	}
	ids, page := queue(t, s, moderation.Queue{State: item.Pending}, store.Window{Limit: 3, Backward: true})
	if !slices.Equal(ids, waiting[len(waiting)-3:]) || !page.HasPrevious {
		t.Errorf("the last are %q", ids)
	}
	totals, err := s.Moderation().Counts(t.Context())
	must(t, err)
	yes, no := true, false
	for _, q := range []moderation.Queue{
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
		if !slices.Equal(got, want) || totals.Of(q) != len(want) {
			t.Errorf("%s: got %q, counted %d, want %q", q.Scope(), got, totals.Of(q), want)
		}
	}
}

// A comment that is rejected while somebody votes on it is not shown to them.
func TestAVoteOnACommentThatIsRejectedMeanwhile(t *testing.T) {
	s := moderated(t, moderation.Options{})
	c := mustCreate(t, s, by("alice"))
	reject := sync.OnceFunc(func() { decide(t, s, c.ID, moderation.Reject) })
	m := storetest.Before(storetest.Client(t), func(_ context.Context, in *dynamodb.GetItemInput) {
		if partitionOf(in.Key) == key.Comment(c.ID) {
			reject()
		}
	})
	got, err := storeOn(t, m, s.Table()).Vote(t.Context(), c.ID, key.VoterOf("bob"), votes.Helpful)
	wantCode(t, err, errs.NotFound)
	if got.ID != "" {
		t.Errorf("Bob is shown %+v", got)
	}
}

// A page of what waits, or of what somebody wrote, is as long as was asked for although
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
		return s.Queue(t.Context(), moderation.Queue{State: pending}, w)
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
			page, err := c.read(storeOn(t, m, s.Table()), store.Window{Limit: 3, Backward: c.backward})
			must(t, err)
			var got []string
			for _, p := range page.Items {
				got = append(got, p.Comment.ID)
			}
			if !slices.Equal(got, want) || page.HasNext == c.backward || page.HasPrevious != c.backward {
				t.Errorf("got %q, next %t, previous %t; want %q", got, page.HasNext, page.HasPrevious, want)
			}
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
		if c, err := s.Update(t.Context(), store.Change{ID: c.ID, Attributes: []attributes.Input{attribute}, By: "alice"}); err != nil || c.State != want {
			t.Errorf("%+v, by an edit: %s %q, %v", attribute, c.State, c.Reason, err)
		}
	}
}

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
