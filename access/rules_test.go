package access_test

import (
	"context"
	"testing"

	"product-comments/access"
)

const alice = "alice"

var (
	anonymous = access.Viewer{}
	author    = access.Viewer{Subject: alice, Role: access.Author}
	other     = access.Viewer{Subject: "bob", Role: access.Author}
	moderator = access.Viewer{Subject: "mia", Role: access.Moderator}
	service   = access.Viewer{Subject: "shop", Role: access.Service}
)

func TestWhoMayWrite(t *testing.T) {
	viewers := []access.Viewer{anonymous, author, other, moderator, service}
	for _, c := range []struct {
		do    access.Action
		owner string
		want  []access.Answer // of anonymous, author, other author, moderator, service
	}{
		{access.CreateComment, "", []access.Answer{access.NeedsToken, access.Yes, access.Yes, access.Yes, access.Yes}},
		{access.UpdateComment, alice, []access.Answer{access.NeedsToken, access.Yes, access.NotOwner, access.Yes, access.No}},
		{access.DeleteComment, alice, []access.Answer{access.NeedsToken, access.Yes, access.NotOwner, access.Yes, access.No}},
		{access.WithdrawComment, alice, []access.Answer{access.NeedsToken, access.Yes, access.NotOwner, access.NotOwner, access.NotOwner}},
		{access.WithdrawComment, "", []access.Answer{access.NeedsToken, access.NotOwner, access.NotOwner, access.NotOwner, access.NotOwner}},
		{access.Moderate, "", []access.Answer{access.NeedsToken, access.No, access.No, access.Yes, access.Yes}},
		{access.DefineAttributes, "", []access.Answer{access.NeedsToken, access.No, access.No, access.Yes, access.Yes}},
		{access.SeeOrders, alice, []access.Answer{access.NeedsToken, access.Yes, access.NotOwner, access.Yes, access.Yes}},
		{access.SeeOpenOrders, "", []access.Answer{access.NeedsToken, access.No, access.No, access.Yes, access.Yes}},
		{access.RecordOrders, "", []access.Answer{access.NeedsToken, access.No, access.No, access.No, access.Yes}},
		{access.UpdateComment, "", []access.Answer{access.NeedsToken, access.NotOwner, access.NotOwner, access.Yes, access.No}},
		{access.DeleteComment, "", []access.Answer{access.NeedsToken, access.NotOwner, access.NotOwner, access.Yes, access.No}},
	} {
		for i, v := range viewers {
			if got := (access.Rules{}).May(v, c.do, c.owner); got != c.want[i] {
				t.Errorf("%+v does %d to a comment of %q: %d, want %d", v, c.do, c.owner, got, c.want[i])
			}
			if got := (access.Rules{Writes: access.ByAnybody}).May(v, c.do, c.owner); got != access.Yes {
				t.Errorf("%+v on a developer's machine: %d", v, got)
			}
			if got := (access.Rules{Writes: access.ByNobody}).May(v, c.do, c.owner); got != access.WritesOff {
				t.Errorf("%+v where nobody can be known: %d", v, got)
			}
		}
	}
}

// A vote is somebody's: a person's, or where the shop wants it a visitor's.
func TestWhoMayVote(t *testing.T) {
	viewers := []access.Viewer{anonymous, author, moderator, service}
	for _, c := range []struct {
		rules access.Rules
		want  []access.Answer
	}{
		{access.Rules{}, []access.Answer{access.NeedsToken, access.Yes, access.Yes, access.Yes}},
		{access.Rules{AnonymousVotes: true}, []access.Answer{access.Yes, access.Yes, access.Yes, access.Yes}},
		{access.Rules{Writes: access.ByAnybody}, []access.Answer{access.NeedsToken, access.Yes, access.Yes, access.Yes}},
		{access.Rules{Writes: access.ByNobody}, []access.Answer{access.WritesOff, access.WritesOff, access.WritesOff, access.WritesOff}},
		{access.Rules{Writes: access.ByNobody, AnonymousVotes: true}, []access.Answer{access.Yes, access.WritesOff, access.WritesOff, access.WritesOff}},
	} {
		for i, v := range viewers {
			if got := c.rules.May(v, access.Vote, ""); got != c.want[i] {
				t.Errorf("%+v votes under %+v: %d, want %d", v, c.rules, got, c.want[i])
			}
		}
	}
	for _, do := range []access.Action{access.CreateComment, access.ReportComment} {
		if got := (access.Rules{AnonymousVotes: true}).May(anonymous, do, ""); got != access.NeedsToken {
			t.Errorf("an anonymous visitor does %d: %d", do, got)
		}
	}
	if got := (access.Rules{Writes: access.ByAnybody}).May(anonymous, access.ReportComment, ""); got != access.NeedsToken {
		t.Errorf("nobody reports: %d", got)
	}
}

// What is not published its owner sees, and staff.
func TestWhoSeesUnpublished(t *testing.T) {
	for v, want := range map[access.Viewer]bool{anonymous: false, author: true, other: false, moderator: true, service: true} {
		if got := (access.Rules{}).Sees(v, alice); got != want {
			t.Errorf("%+v sees it: %t", v, got)
		}
		if got := (access.Rules{}).Sees(v, ""); got != (want && v != author) {
			t.Errorf("%+v sees nobody's: %t", v, got)
		}
	}
}

// A visitor is remembered once a request, whether they were known or not.
func TestVisitors(t *testing.T) {
	if v := access.VisitorOf(context.Background()); v.ID() != "" {
		t.Errorf("nobody is %q", v.ID())
	}
	for id, want := range map[string]string{"": "new", "old": "old"} {
		calls := 0
		v := access.VisitorOf(access.WithVisitor(context.Background(), id, func(is string) string {
			calls++
			if is != id {
				t.Errorf("%q is remembered as %q", id, is)
			}
			return want
		}))
		if v.ID() != id || v.Remember() != want || v.Remember() != want || v.ID() != want || calls != 1 {
			t.Errorf("%q is %q, after %d calls", id, v.ID(), calls)
		}
	}
}

// A subject that is missing on both sides is not the same person.
func TestNobodyOwnsWhatHasNoOwner(t *testing.T) {
	if access.Owns(access.Viewer{Role: access.Author}, "") {
		t.Error("an author without a subject owns a comment without one")
	}
}

func TestWhatAServiceCreatesIsNobodys(t *testing.T) {
	for v, want := range map[access.Viewer]string{anonymous: "", author: alice, moderator: "mia", service: ""} {
		if got := access.OwnerOf(v); got != want {
			t.Errorf("%+v creates for %q, want %q", v, got, want)
		}
	}
}

func TestPlansAreASettingOfTheServer(t *testing.T) {
	for _, v := range []access.Viewer{anonymous, author, moderator, service} {
		if got := (access.Rules{}).May(v, access.SeePlans, ""); got != access.No {
			t.Errorf("%+v sees plans: %d", v, got)
		}
		if got := (access.Rules{Plans: true, Writes: access.ByNobody}).May(v, access.SeePlans, ""); got != access.Yes {
			t.Errorf("%+v does not see plans: %d", v, got)
		}
	}
}

func TestRolesHaveNames(t *testing.T) {
	for _, r := range []access.Role{access.Author, access.Moderator, access.Service} {
		if got, ok := access.ParseRole(r.String()); !ok || got != r {
			t.Errorf("%s became %s, %t", r, got, ok)
		}
	}
	for _, name := range []string{"anonymous", "", "Moderator", "admin"} {
		if got, ok := access.ParseRole(name); ok || got != access.Anonymous {
			t.Errorf("%q is a role: %s", name, got)
		}
	}
}

func TestTheViewerTravelsWithTheContext(t *testing.T) {
	if got := access.From(context.Background()); got != anonymous {
		t.Errorf("nobody is %+v", got)
	}
	if got := access.From(access.With(context.Background(), author)); got != author {
		t.Errorf("the author is %+v", got)
	}
}
