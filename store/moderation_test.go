package store_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/comment/stats"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/storetest"
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
