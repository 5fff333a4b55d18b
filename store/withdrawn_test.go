package store_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/moderation"
	"product-comments/store/pack"
	"product-comments/store/votes"
)

// Nothing changes a withdrawn comment: neither its item, nor its history, nor its place in
// the queue. Who may see that it is there is told so. Deletion and erasure remove it.
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
		history, err := s.Moderation().History(ctx, c.ID)
		must(t, err)
		reports, err := s.Moderation().Reports(ctx, c.ID)
		must(t, err)
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
		{"a vote", func(ctx context.Context) error { _, err := s.Vote(ctx, c.ID, bob, votes.Helpful); return err }, errs.NotFound},
		{"its author's vote", func(ctx context.Context) error { _, err := s.Vote(ctx, c.ID, alice, votes.Helpful); return err }, errs.NotFound},
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
		{"packing", func(ctx context.Context) error {
			samples := make([]pack.Words, 300)
			for i := range samples {
				samples[i] = pack.Words{Title: "Title", Text: strings.Repeat(fmt.Sprintf("some words %d ", i), 5)}
			}
			if _, err := s.TrainTexts(ctx, samples); err != nil {
				return err
			}
			_, err := s.PackTexts(ctx, store.ScanOptions{})
			return err
		}, ""},
		{"the backfill", func(ctx context.Context) error { _, err := s.Backfill(ctx, store.ScanOptions{}); return err }, ""},
	} {
		if err := step.do(ctx); errs.CodeOf(err) != step.code && (err != nil || step.code != "") {
			t.Errorf("%s: got %v, want %q", step.name, err, step.code)
		}
		settle(t, s)
		if got := look(); !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: it is\n%v\nit was\n%v", step.name, got, want)
		}
	}
	if _, err := s.Erase(ctx, store.Erasure{Subject: "alice", Anonymous: true}); err != nil {
		t.Fatal(err)
	}
	if left, err := s.Get(ctx, c.ID); err != nil || left != nil {
		t.Errorf("the erasure left %+v, %v", left, err)
	}
}
