package access_test

import (
	"context"
	"testing"

	"product-comments/access"
	"product-comments/internal/testing/testkit"
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
		{access.SetIncentive, "", []access.Answer{access.NeedsToken, access.No, access.No, access.No, access.Yes}},
		{access.UpdateComment, alice, []access.Answer{access.NeedsToken, access.Yes, access.NotOwner, access.Yes, access.No}},
		{access.DeleteComment, alice, []access.Answer{access.NeedsToken, access.Yes, access.NotOwner, access.Yes, access.No}},
		{access.WithdrawComment, alice, []access.Answer{access.NeedsToken, access.Yes, access.NotOwner, access.NotOwner, access.NotOwner}},
		{access.WithdrawComment, "", []access.Answer{access.NeedsToken, access.NotOwner, access.NotOwner, access.NotOwner, access.NotOwner}},
		{access.Moderate, "", []access.Answer{access.NeedsToken, access.No, access.No, access.Yes, access.Yes}},
		{access.DefineAttributes, "", []access.Answer{access.NeedsToken, access.No, access.No, access.Yes, access.Yes}},
		{access.SeeOrders, alice, []access.Answer{access.NeedsToken, access.Yes, access.NotOwner, access.Yes, access.Yes}},
		{access.SeeOpenOrders, "", []access.Answer{access.NeedsToken, access.No, access.No, access.Yes, access.Yes}},
		{access.ManageRequests, "", []access.Answer{access.NeedsToken, access.No, access.No, access.Yes, access.Yes}},
		{access.SeeReports, "", []access.Answer{access.NeedsToken, access.No, access.No, access.Yes, access.Yes}},
		{access.RecordOrders, "", []access.Answer{access.NeedsToken, access.No, access.No, access.No, access.Yes}},
		{access.ManageWebhooks, "", []access.Answer{access.NeedsToken, access.No, access.No, access.No, access.Yes}},
		{access.UpdateComment, "", []access.Answer{access.NeedsToken, access.NotOwner, access.NotOwner, access.Yes, access.No}},
		{access.DeleteComment, "", []access.Answer{access.NeedsToken, access.NotOwner, access.NotOwner, access.Yes, access.No}},
	} {
		for i, v := range viewers {
			testkit.Equal(t, (access.Rules{}).May(v, c.do, c.owner), c.want[i], "%+v does %d to a comment of %q", v, c.do, c.owner)
			testkit.Equal(t, (access.Rules{Writes: access.ByEveryone}).May(v, c.do, c.owner), access.Yes, "%+v on a developer's machine", v)
			testkit.Equal(t, (access.Rules{Writes: access.ByNone}).May(v, c.do, c.owner), access.WritesOff, "%+v without authentication", v)
		}
	}
}

// A vote is a person's: a person's, or where the shop wants it a visitor's.
func TestWhoMayVote(t *testing.T) {
	viewers := []access.Viewer{anonymous, author, moderator, service}
	for _, c := range []struct {
		rules access.Rules
		want  []access.Answer
	}{
		{access.Rules{}, []access.Answer{access.NeedsToken, access.Yes, access.Yes, access.Yes}},
		{access.Rules{AnonymousVotes: true}, []access.Answer{access.Yes, access.Yes, access.Yes, access.Yes}},
		{access.Rules{Writes: access.ByEveryone}, []access.Answer{access.NeedsToken, access.Yes, access.Yes, access.Yes}},
		{access.Rules{Writes: access.ByNone}, []access.Answer{access.WritesOff, access.WritesOff, access.WritesOff, access.WritesOff}},
		{access.Rules{Writes: access.ByNone, AnonymousVotes: true}, []access.Answer{access.Yes, access.WritesOff, access.WritesOff, access.WritesOff}},
	} {
		for i, v := range viewers {
			testkit.Equal(t, c.rules.May(v, access.Vote, ""), c.want[i], "%+v votes under %+v", v, c.rules)
		}
	}
	for _, do := range []access.Action{access.CreateComment, access.ReportComment} {
		testkit.Equal(t, (access.Rules{AnonymousVotes: true}).May(anonymous, do, ""), access.NeedsToken, "an anonymous visitor does %d", do)
	}
	testkit.Equal(t, (access.Rules{Writes: access.ByEveryone}).May(anonymous, access.ReportComment, ""), access.NeedsToken, "an anonymous viewer reports")
}

// Reports are for everyone if the shop publishes them, and nothing else is.
func TestPublicReports(t *testing.T) {
	for _, writes := range []access.Writes{access.ByToken, access.ByNone} {
		rules := access.Rules{Writes: writes, PublicReports: true}
		testkit.Equal(t, rules.May(anonymous, access.SeeReports, ""), access.Yes, "an anonymous visitor sees reports")
		testkit.Check(t, rules.May(anonymous, access.Moderate, "") != access.Yes, "an anonymous visitor moderates")
	}
}

// What is not published its owner sees, and staff.
func TestWhoSeesUnpublished(t *testing.T) {
	for v, want := range map[access.Viewer]bool{anonymous: false, author: true, other: false, moderator: true, service: true} {
		testkit.Equal(t, (access.Rules{}).CanSee(v, alice), want, "%+v sees it", v)
		testkit.Equal(t, (access.Rules{}).CanSee(v, ""), (want && v != author), "%+v sees a comment without an owner", v)
	}
}

// A visitor is remembered once a request, whether they were known or not.
func TestVisitors(t *testing.T) {
	if v := access.VisitorOf(context.Background()); v.ID() != "" {
		t.Errorf("without a visitor the id is %q", v.ID())
	}
	for id, want := range map[string]string{"": "new", "old": "old"} {
		calls := 0
		v := access.VisitorOf(access.WithVisitor(context.Background(), id, func(is string) string {
			calls++
			testkit.Equal(t, is, id, "is")
			return want
		}))
		testkit.Check(t, v.ID() == id && v.Remember() == want && v.Remember() == want && v.ID() == want && calls == 1, "%q is %q, after %d calls", id, v.ID(), calls)
	}
}

// A subject that is missing on both sides is not the same person.
func TestACommentWithoutAnOwnerHasNone(t *testing.T) {
	testkit.Check(t, !access.Owns(access.Viewer{Role: access.Author}, ""), "an author without a subject owns a comment without one")
}

func TestWhatAServiceCreatesHasNoOwner(t *testing.T) {
	for v, want := range map[access.Viewer]string{anonymous: "", author: alice, moderator: "mia", service: ""} {
		testkit.Equal(t, access.OwnerOf(v), want, "%+v creates for", v)
	}
}

func TestPlansAreASettingOfTheServer(t *testing.T) {
	for _, v := range []access.Viewer{anonymous, author, moderator, service} {
		testkit.Equal(t, (access.Rules{}).May(v, access.SeePlans, ""), access.No, "%+v sees plans", v)
		testkit.Equal(t, (access.Rules{Plans: true, Writes: access.ByNone}).May(v, access.SeePlans, ""), access.Yes, "%+v does not see plans", v)
	}
}

func TestRolesHaveNames(t *testing.T) {
	for _, r := range []access.Role{access.Author, access.Moderator, access.Service} {
		got, ok := access.ParseRole(r.String())
		testkit.Check(t, ok && got == r, "%s became %s, %t", r, got, ok)
	}
	for _, name := range []string{"anonymous", "", "Moderator", "admin"} {
		got, ok := access.ParseRole(name)
		testkit.Check(t, !ok && got == access.Anonymous, "%q is a role: %s", name, got)
	}
}

func TestTheViewerTravelsWithTheContext(t *testing.T) {
	testkit.Equal(t, access.From(context.Background()), anonymous, "without a viewer it is")
	testkit.Equal(t, access.From(access.With(context.Background(), author)), author, "the author")
}
