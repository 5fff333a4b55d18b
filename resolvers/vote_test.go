package resolvers_test

import (
	"fmt"
	"slices"
	"testing"

	"product-comments/internal/apitest"
	"product-comments/internal/testkit"
)

// The counts and the viewer's vote are right in every answer, and right after a vote.
func TestVotes(t *testing.T) {
	s := serve(t)
	three := 3
	comments := apitest.Comments(4)
	comments[1].Helpful = &three
	s.Fill(t, comments...)
	alice, bob := s.As(apitest.Alice), s.As(apitest.Bob)
	vote := func(as *apitest.Service, id, to, want string) {
		t.Helper()
		as.Want(t, fmt.Sprintf(`mutation{voteHelpful(input:{commentId:%q,vote:%s}){comment{commentId helpfulCount unhelpfulCount viewerVote version}}}`, id, to),
			fmt.Sprintf(`{"voteHelpful":{"comment":{"commentId":%q,%s,"version":1}}}`, id, want))
	}
	vote(alice, "c001", "HELPFUL", `"helpfulCount":4,"unhelpfulCount":0,"viewerVote":"HELPFUL"`)
	vote(alice, "c001", "HELPFUL", `"helpfulCount":4,"unhelpfulCount":0,"viewerVote":"HELPFUL"`)
	vote(bob, "c001", "UNHELPFUL", `"helpfulCount":4,"unhelpfulCount":1,"viewerVote":"UNHELPFUL"`)
	vote(alice, "c002", "UNHELPFUL", `"helpfulCount":0,"unhelpfulCount":1,"viewerVote":"UNHELPFUL"`)
	vote(bob, "c002", "null", `"helpfulCount":0,"unhelpfulCount":1,"viewerVote":null`)
	const page = `{product(id:"42"){comments{nodes{commentId helpful helpfulCount unhelpfulCount viewerVote}}}}`
	node := `{"commentId":"%s","helpful":%s,"helpfulCount":%d,"unhelpfulCount":%d,"viewerVote":%s}`
	nodes := func(first, second string) string {
		return `{"product":{"comments":{"nodes":[` + fmt.Sprintf(node, "c003", "null", 0, 0, "null") + "," + fmt.Sprintf(node, "c002", "null", 0, 1, second) + "," +
			fmt.Sprintf(node, "c001", "3", 4, 1, first) + "," + fmt.Sprintf(node, "c000", "null", 0, 0, "null") + `]}}}`
	}
	alice.Want(t, page, nodes(`"HELPFUL"`, `"UNHELPFUL"`))
	bob.Want(t, page, nodes(`"UNHELPFUL"`, "null"))
	s.As(apitest.Anonymous).Want(t, page, nodes("null", "null"))
	alice.Want(t, `{product(id:"42"){comments{nodes{viewerVote}}}}`,
		`{"product":{"comments":{"nodes":[{"viewerVote":null},{"viewerVote":"UNHELPFUL"},{"viewerVote":"HELPFUL"},{"viewerVote":null}]}}}`)
	alice.Want(t, `mutation{a:voteHelpful(input:{commentId:"c001"}){comment{viewerVote helpfulCount}}b:voteHelpful(input:{commentId:"c001",vote:UNHELPFUL}){comment{viewerVote unhelpfulCount}}}`,
		`{"a":{"comment":{"viewerVote":null,"helpfulCount":3}},"b":{"comment":{"viewerVote":"UNHELPFUL","unhelpfulCount":2}}}`)
	alice.WantError(t, `mutation{voteHelpful(input:{commentId:"none",vote:HELPFUL}){comment{id}}}`, "NOT_FOUND", "")
	alice.WantError(t, `mutation{voteHelpful(input:{commentId:"",vote:HELPFUL}){comment{id}}}`, "BAD_USER_INPUT", "commentId")
}

// A page reads its comments in one batch, and the viewer's votes in another: none of
// comments that have no votes, and none for who is not known.
func TestWhatVotesCost(t *testing.T) {
	s := serve(t)
	s.Fill(t, apitest.Comments(5)...)
	alice := s.As(apitest.Alice)
	for _, id := range []string{"c000", "c003"} {
		alice.Want(t, fmt.Sprintf(`mutation{voteHelpful(input:{commentId:%q,vote:HELPFUL}){comment{commentId}}}`, id), fmt.Sprintf(`{"voteHelpful":{"comment":{"commentId":%q}}}`, id))
	}
	for _, c := range []struct {
		as     *apitest.Service
		fields string
		want   []int
	}{
		{alice, "commentId", nil},
		{alice, "helpfulCount unhelpfulCount helpful", []int{5}},
		{alice, "helpfulCount viewerVote", []int{5, 2}},
		{alice, "viewerVote", []int{5, 2}}, // the comments that Alice voted on say whether it counts
		{s.As(apitest.Bob), "viewerVote", []int{5}},
		{s.As(apitest.Anonymous), "viewerVote", nil},
		{s.As(apitest.Anonymous), "helpfulCount viewerVote", []int{5}},
	} {
		got := s.Batches.Fewest(func() {
			a := c.as.Post(t, `{product(id:"42"){comments{nodes{`+c.fields+`}}}}`, nil)
			testkit.Check(t, len(a.Errors) == 0, "%+v", a.Errors)
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("%q of %s: batches of %v, want %v", c.as.Viewer.Subject, c.fields, got, c.want)
		}
	}
}
