package store_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/comment/votes"
	"product-comments/store/errs"
	"product-comments/store/key"
)

// wantCase compares the reports and decisions that a comment has, and the count of the
// former.
func wantCase(t *testing.T, s *store.Store, id string, count int, reporters string, decisions int) {
	t.Helper()
	reports, err := s.Moderation().Reports(t.Context(), id)
	testkit.Must(t, err)
	by := ""
	for i := len(reports) - 1; i >= 0; i-- { // the last key comes first
		by += reports[i].By + " "
	}
	history, err := s.Moderation().History(t.Context(), id)
	testkit.Must(t, err)
	c, err := s.Get(t.Context(), id)
	testkit.Need(t, err == nil && c != nil, "%v, %v", c, err)
	if c.Reports != count || by != reporters || len(history) != decisions {
		t.Errorf("%d reports are counted, by %q, and there are %d decisions; want %d, %q, %d", c.Reports, by, len(history), count, reporters, decisions)
	}
}

// A comment that is imported again after it was deleted is a new one: it has neither votes
// nor reports nor history of the deleted one, and people who voted on that or reported it
// may do so again, which counts.
func TestACommentThatComesAgain(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Post})
	ctx := t.Context()
	for round := range 3 {
		importAll(t, s, []store.Comment{saying("1", 1)})
		wantCase(t, s, "1", 0, "", 0)
		testkit.Equal(t, voteOf(t, s, "1", alice), votes.None, "round %d: the viewer's vote", round)
		vote(t, s, "1", alice, votes.Helpful)
		wantVotes(t, s, "1", 1, 0)
		report(t, s, "1", "bob")
		for range 2 {
			after := report(t, s, "1", "carol")
			testkit.Check(t, after.Reports == 2, "round %d: %+v", round, after)
		}
		wantCase(t, s, "1", 2, "bob carol ", 0)
		decide(t, s, "1", moderation.Approve)
		if after := report(t, s, "1", "carol"); after.Reports != 0 {
			t.Errorf("round %d: what was decided about counts again: %+v", round, after)
		}
		wantCase(t, s, "1", 0, "bob carol ", 1)
		// To import it while it is there makes no other comment of it.
		changed := saying("1", 2)
		importAll(t, s, []store.Comment{changed})
		wantCase(t, s, "1", 0, "bob carol ", 1)
		wantVotes(t, s, "1", 1, 0)
		remove(t, s, "1")
	}

	// One that no one sees keeps from who reported a former one that it is there.
	hidden := saying("1", 1)
	hidden.State = item.Pending
	importAll(t, s, []store.Comment{hidden})
	_, err := s.Report(ctx, "1", "bob", "")
	wantCode(t, err, errs.NotFound)

	// The erasure of its reporter finds the reports of former comments, too; that of its
	// author leaves nothing of any.
	if did, err := s.Erase(ctx, store.Erasure{Subject: "bob"}); err != nil || did.Reports != 1 {
		t.Errorf("%+v, %v", did, err)
	}
	again := saying("1", 1)
	again.Owner = "dan"
	remove(t, s, "1")
	importAll(t, s, []store.Comment{again})
	report(t, s, "1", "erin")
	if _, err := s.Erase(ctx, store.Erasure{Subject: "dan"}); err != nil {
		t.Fatal(err)
	}
	for _, who := range []string{"carol", "erin"} {
		it := raw(t, s, key.Case("1"), key.Report(who))
		testkit.Check(t, it == nil, "the erasure left %v", it)
	}
}

// More reports of former comments than are read at once hide none of this one.
func TestManyReportsOfFormerComments(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Post, Reports: 1000})
	importAll(t, s, []store.Comment{saying("1", 1)})
	for i := range 210 {
		report(t, s, "1", fmt.Sprint("z", i))
	}
	remove(t, s, "1")
	importAll(t, s, []store.Comment{saying("1", 1)})
	report(t, s, "1", "alice")
	report(t, s, "1", "z7")
	wantCase(t, s, "1", 2, "alice z7 ", 0)
}

// Nothing changes a withdrawn comment: neither its item, nor its history, nor its place in
// the queue. A viewer who may see that it exists gets an error. Deletion and erasure remove it.
func TestNothingChangesAWithdrawnComment(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Post})
	ctx := t.Context()
	c := mustCreate(t, s, by("alice"))
	report(t, s, c.ID, "bob")
	withdraw := store.Ruling{ID: c.ID, Verb: moderation.Withdraw, By: "alice", Reason: "I was wrong"}
	if after, err := s.Decide(ctx, withdraw); err != nil || after.State != item.Withdrawn {
		t.Fatal(after, err)
	}
	settle(t, s)
	look := func() []any {
		t.Helper()
		history := testkit.Value(s.Moderation().History(ctx, c.ID))(t)
		reports := testkit.Value(s.Moderation().Reports(ctx, c.ID))(t)
		return []any{raw(t, s, key.Comment(c.ID), key.Comment(c.ID)), raw(t, s, key.Case(c.ID), key.QueuedSK), history, reports}
	}
	want := look()
	guarded := func(owner string) error {
		if owner != "alice" {
			return errs.Errorf(errs.Forbidden, "It is not yours")
		}
		return nil
	}
	ruled := func(verb moderation.Verb, by, reason string) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := s.Decide(ctx, store.Ruling{ID: c.ID, Verb: verb, By: by, Reason: reason, Guard: guarded})
			return err
		}
	}
	same, other := c, c
	same.State, same.Reason = item.Withdrawn, "I was wrong"
	other.Text, other.State = "another text", item.Published
	for _, step := range []struct {
		name string
		do   func(context.Context) error
		code errs.Code // empty if it succeeds without an effect
	}{
		{"its author's edit", func(ctx context.Context) error {
			_, err := s.Update(ctx, store.Change{ID: c.ID, Text: &other.Text, By: "alice", Guard: guarded})
			return err
		}, errs.Conflict},
		{"a moderator's edit", func(ctx context.Context) error {
			_, err := s.Update(ctx, store.Change{ID: c.ID, Rating: new(1), By: "mia", Trusted: true})
			return err
		}, errs.Conflict},
		{"a reply", func(ctx context.Context) error { _, err := s.Reply(ctx, c.ID, "Why?", nil); return err }, errs.Conflict},
		{"approval", ruled(moderation.Approve, "mia", ""), errs.Conflict},
		{"rejection", ruled(moderation.Reject, "mia", "rude"), errs.Conflict},
		{"another withdrawal", ruled(moderation.Withdraw, "alice", "for another reason"), ""},
		{"another withdrawal without a reason", ruled(moderation.Withdraw, "alice", ""), ""},
		{"a vote", func(ctx context.Context) error { _, err := s.Vote(ctx, c.ID, bob, votes.Helpful, nil); return err }, errs.NotFound},
		{"its author's vote", func(ctx context.Context) error { _, err := s.Vote(ctx, c.ID, alice, votes.Helpful, nil); return err }, errs.NotFound},
		{"a report", func(ctx context.Context) error { _, err := s.Report(ctx, c.ID, "carol", "rude"); return err }, errs.NotFound},
		{"a report of who reported it before", func(ctx context.Context) error { _, err := s.Report(ctx, c.ID, "bob", "rude"); return err }, ""},
		{"an import of another content", func(ctx context.Context) error {
			did, err := s.Import(ctx, []store.Comment{other})
			if err == nil && did[0] != store.IsWithdrawn {
				t.Errorf("an import of another content had the outcome %d", did[0])
			}
			return err
		}, ""},
		{"an import of the same content", func(ctx context.Context) error {
			did, err := s.Import(ctx, []store.Comment{same})
			if err == nil && did[0] != store.Unchanged {
				t.Errorf("an import of the same content had the outcome %d", did[0])
			}
			return err
		}, ""},
	} {
		err := step.do(ctx)
		testkit.Check(t, errs.CodeOf(err) == step.code || err == nil && step.code == "", "%s: got %v, want %q", step.name, err, step.code)
		settle(t, s)
		got := look()
		testkit.Need(t, reflect.DeepEqual(got, want), "%s: it is\n%v\nit was\n%v", step.name, got, want)
	}
	if _, err := s.Erase(ctx, store.Erasure{Subject: "alice", Anonymous: true}); err != nil {
		t.Fatal(err)
	}
	if left, err := s.Get(ctx, c.ID); err != nil || left != nil {
		t.Errorf("the erasure left %+v, %v", left, err)
	}
}
