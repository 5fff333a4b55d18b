package store_test

import (
	"fmt"
	"testing"

	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/moderation"
	"product-comments/store/votes"
)

// wantCase compares the reports and decisions that a comment has, and the count of the
// former.
func wantCase(t *testing.T, s *store.Store, id string, count int, reporters string, decisions int) {
	t.Helper()
	reports, err := s.Moderation().Reports(t.Context(), id)
	must(t, err)
	by := ""
	for i := len(reports) - 1; i >= 0; i-- { // the last key comes first
		by += reports[i].By + " "
	}
	history, err := s.Moderation().History(t.Context(), id)
	must(t, err)
	c, err := s.Get(t.Context(), id)
	if err != nil || c == nil {
		t.Fatal(c, err)
	}
	if c.Reports != count || by != reporters || len(history) != decisions {
		t.Errorf("%d reports are counted, by %q, and there are %d decisions; want %d, %q, %d", c.Reports, by, len(history), count, reporters, decisions)
	}
}

// A comment that comes again after it was deleted is another one: it has neither votes nor
// reports nor history of the former, and whoever voted on that or reported it may do so
// again, which counts.
func TestACommentThatComesAgain(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Post})
	ctx := t.Context()
	for round := range 3 {
		importAll(t, s, []store.Comment{saying("1", 1)})
		wantCase(t, s, "1", 0, "", 0)
		if v := voteOf(t, s, "1", alice); v != votes.None {
			t.Errorf("round %d: the viewer's vote is %d", round, v)
		}
		vote(t, s, "1", alice, votes.Helpful)
		wantVotes(t, s, "1", 1, 0)
		report(t, s, "1", "bob")
		for range 2 {
			if after := report(t, s, "1", "carol"); after.Reports != 2 {
				t.Errorf("round %d: %+v", round, after)
			}
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

	// One that nobody sees keeps from who reported a former one that it is there.
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
		if it := raw(t, s, key.Case("1"), key.Report(who)); it != nil {
			t.Errorf("the erasure left %v", it)
		}
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
