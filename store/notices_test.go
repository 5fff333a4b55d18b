package store_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/errs"
	"product-comments/store/key/sealed"
	"product-comments/store/table"
)

// noticed returns a store that takes notices.
func noticed(t testing.TB) *store.Store {
	t.Helper()
	return storeWith(t, store.Options{PlaceAge: -1, MetaAge: -1, Moderation: moderation.Options{Mode: moderation.Post, Reports: 2},
		Keys: testkit.Value(sealed.NewSet(bytes.Repeat([]byte{7}, sealed.MinSecret)))(t)})
}

func noticeOf(email string) moderation.Notice {
	return moderation.Notice{Name: "Ann Other", Email: email, Reason: "It names me."}
}

func notify(t testing.TB, s *store.Store, id, email string) (store.Comment, string) {
	t.Helper()
	c, receipt, err := s.Notify(t.Context(), id, noticeOf(email))
	testkit.Must(t, err)
	return c, receipt
}

// contactsOf returns the names and addresses that a comment's reports have, in order.
func contactsOf(t testing.TB, s *store.Store, id string) (all []string) {
	t.Helper()
	for _, r := range testkit.Value(s.Moderation().Reports(t.Context(), id))(t) {
		name, email, err := s.Moderation().Contact(r)
		testkit.Must(t, err)
		all = append(all, strings.TrimSpace(name+" "+email))
	}
	slices.Sort(all)
	return all
}

// tableHas reports whether any item has a text.
func tableHas(t testing.TB, s *store.Store, text string) bool {
	t.Helper()
	var has atomic.Bool // segments are scanned at once
	testkit.Must(t, s.Projector().Table().NewScanner(table.ScanOptions{}).Run(t.Context(), func(_ context.Context, it table.Item) error {
		for name := range it {
			if strings.Contains(strings.ToLower(table.Text(it, name)+string(table.Bytes(it, name))), text) {
				has.Store(true)
			}
		}
		return nil
	}))
	return has.Load()
}

// A notice counts once an address and comment, hides nothing, and every decision forgets who made it.
func TestNotices(t *testing.T) {
	for verb, origin := range map[moderation.Verb]moderation.Origin{moderation.Approve: "", moderation.Reject: moderation.ByNotice, moderation.Withdraw: ""} {
		s := noticed(t)
		c, other := mustCreate(t, s, by("alice")), mustCreate(t, s, by("carl"))
		after, first := notify(t, s, c.ID, "Ann@Example.org")
		testkit.Check(t, after.Reports == 1 && after.State == item.Published && len(first) == 16, "%+v, receipt %s", after, first)
		if _, again := notify(t, s, c.ID, "ann@EXAMPLE.org"); again != first {
			t.Errorf("the receipt of the same address is %s, not %s", again, first)
		}
		_, second := notify(t, s, c.ID, "bea@example.org")
		_, third := notify(t, s, c.ID, "cy@example.org")
		_, elsewhere := notify(t, s, other.ID, "ann@example.org")
		testkit.Check(t, len(slices.Compact([]string{first, second, third, elsewhere})) == 4, "receipts are the same")
		after = report(t, s, c.ID, "bob")
		testkit.Check(t, after.Reports == 4 && after.State == item.Published, "three notices and a report hide it: %+v", after)
		testkit.Equal(t, fmt.Sprint(contactsOf(t, s, c.ID)), "[ Ann Other Ann@example.org Ann Other bea@example.org Ann Other cy@example.org]", "contacts")
		testkit.Check(t, !tableHas(t, s, "ann other") && !tableHas(t, s, "example.org"), "a name or an address is not encrypted")
		decide(t, s, c.ID, verb)
		testkit.Equal(t, fmt.Sprint(contactsOf(t, s, c.ID)), "[   ]", "contacts after "+fmt.Sprint(verb))
		testkit.Equal(t, fmt.Sprint(contactsOf(t, s, other.ID)), "[Ann Other ann@example.org]", "contacts of another comment")
		history := testkit.Value(s.Moderation().History(t.Context(), c.ID))(t)
		testkit.Equal(t, history[0].Origin, origin, "the origin of the decision")
		_, err := s.Delete(t.Context(), other.ID, nil)
		testkit.Must(t, err)
		project(t, s)
		testkit.Equal(t, len(contactsOf(t, s, other.ID)), 0, "reports of a deleted comment")
	}
}

// A comment has a bound of notices, a decision makes room, and what led to it is known.
func TestManyNotices(t *testing.T) {
	s := noticed(t)
	c := mustCreate(t, s, by("alice"))
	for i := range 20 {
		notify(t, s, c.ID, fmt.Sprintf("a%d@example.org", i))
	}
	_, _, err := s.Notify(t.Context(), c.ID, noticeOf("more@example.org"))
	wantCode(t, err, errs.Conflict)
	decide(t, s, c.ID, moderation.Approve)
	notify(t, s, c.ID, "more@example.org")
	decide(t, s, c.ID, moderation.Approve)
	report(t, s, c.ID, "bob")
	after := report(t, s, c.ID, "dan")
	testkit.Equal(t, after.State, item.Pending, "a comment with two reports")
	_, _, err = s.Notify(t.Context(), c.ID, noticeOf("late@example.org"))
	wantCode(t, err, errs.NotFound)
	decide(t, s, c.ID, moderation.Reject)
	testkit.Equal(t, testkit.Value(s.Moderation().History(t.Context(), c.ID))(t)[0].Origin, moderation.ByReport, "the origin")
	again := ruling(c.ID, moderation.Reject)
	again.Reason = "another reason"
	rule(t, s, again)
	history := testkit.Value(s.Moderation().History(t.Context(), c.ID))(t)
	testkit.Check(t, history[0].Reason == "another reason" && history[0].Origin == moderation.ByReport, "another reason changes the origin: %+v", history[0])
}

// What is hostile, empty or too long is refused, by its field, before anything is read.
func TestHostileNotices(t *testing.T) {
	s := noticed(t)
	c := mustCreate(t, s, by("alice"))
	long := strings.Repeat("x", 501)
	for _, wrong := range []struct {
		n     moderation.Notice
		field string
	}{
		{moderation.Notice{Name: "", Email: "a@example.org", Reason: "x"}, "notice.name"},
		{moderation.Notice{Name: "   ", Email: "a@example.org", Reason: "x"}, "notice.name"},
		{moderation.Notice{Name: "A\nB", Email: "a@example.org", Reason: "x"}, "notice.name"},
		{moderation.Notice{Name: "A\u202eB", Email: "a@example.org", Reason: "x"}, "notice.name"},
		{moderation.Notice{Name: "\u200b", Email: "a@example.org", Reason: "x"}, "notice.name"},
		{moderation.Notice{Name: "A\x00", Email: "a@example.org", Reason: "x"}, "notice.name"},
		{moderation.Notice{Name: "A\xff", Email: "a@example.org", Reason: "x"}, "notice.name"},
		{moderation.Notice{Name: long, Email: "a@example.org", Reason: "x"}, "notice.name"},
		{moderation.Notice{Name: "A", Email: "", Reason: "x"}, "notice.email"},
		{moderation.Notice{Name: "A", Email: "A <a@example.org>", Reason: "x"}, "notice.email"},
		{moderation.Notice{Name: "A", Email: "a@example.org\r\nBcc: b@example.org", Reason: "x"}, "notice.email"},
		{moderation.Notice{Name: "A", Email: "a@example.org,b@example.org", Reason: "x"}, "notice.email"},
		{moderation.Notice{Name: "A", Email: "a@127.0.0.1", Reason: "x"}, "notice.email"},
		{moderation.Notice{Name: "A", Email: long + "@example.org", Reason: "x"}, "notice.email"},
		{moderation.Notice{Name: "A", Email: "a@example.org", Reason: ""}, "reason"},
		{moderation.Notice{Name: "A", Email: "a@example.org", Reason: "\u2066x"}, "reason"},
		{moderation.Notice{Name: "A", Email: "a@example.org", Reason: long}, "reason"},
	} {
		_, _, err := s.Notify(t.Context(), c.ID, wrong.n)
		testkit.Check(t, errs.CodeOf(err) == errs.BadUserInput && strings.Contains(err.Error(), wrong.field), "%q: %v", wrong.n, err)
	}
	testkit.Equal(t, get(t, s, c.ID).Reports, 0, "reports")
	for _, kind := range []string{"<script>alert(1)</script>", `"; DROP TABLE`, "{{.}}", "Zoë 😀"} {
		_, _, err := s.Notify(t.Context(), c.ID, moderation.Notice{Name: kind, Email: fmt.Sprintf("x%d@example.org", len(kind)), Reason: kind})
		testkit.Must(t, err)
		testkit.Check(t, slices.ContainsFunc(contactsOf(t, s, c.ID), func(of string) bool { return strings.HasPrefix(of, kind) }), "%q is not kept as it is", kind)
	}
}

// Without keys nothing is stored.
func TestNoticesWithoutKeys(t *testing.T) {
	s := moderated(t, moderation.Options{Mode: moderation.Post})
	c := mustCreate(t, s, by("alice"))
	_, _, err := s.Notify(t.Context(), c.ID, noticeOf("a@example.org"))
	wantCode(t, err, errs.Internal)
	testkit.Equal(t, get(t, s, c.ID).Reports, 0, "reports")
}
