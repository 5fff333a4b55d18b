package resolvers_test

import (
	"fmt"
	"testing"

	"product-comments/access"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/storetest"
)

// The viewer leads to the person, with nothing yet or with what they wrote, and to nothing
// without a token.
func TestViewerLeadsToThePerson(t *testing.T) {
	s := serve(t)
	const query = `{viewer{subject user{subject comments{nodes{commentId}} orders{nodes{orderId}}}}}`
	s.As(apitest.Anonymous).Want(t, query, `{"viewer":null}`)
	s.As(apitest.Alice).Want(t, query, `{"viewer":{"subject":"alice","user":{"subject":"alice","comments":{"nodes":[]},"orders":{"nodes":[]}}}}`)
	id := s.write(t, apitest.Alice)
	s.order(t, "o1", "alice", "42")
	s.As(apitest.Alice).Want(t, query, fmt.Sprintf(`{"viewer":{"subject":"alice","user":{"subject":"alice","comments":{"nodes":[{"commentId":%q}]},"orders":{"nodes":[{"orderId":"o1"}]}}}}`, id))
}

// What a viewer reported shows at once, also after a moderator's decision, in one batch for a
// page, and not of a later comment with the same id.
func TestViewerHasReported(t *testing.T) {
	s := serve(t)
	list := apitest.Comments(20)
	s.Fill(t, list...)
	s.Project(t)
	alice, id := s.As(apitest.Alice), list[3].ID
	alice.Want(t, fmt.Sprintf(`mutation{reportComment(input:{id:%q}){comment{viewerHasReported}}}`, id), `{"reportComment":{"comment":{"viewerHasReported":true}}}`)
	s.Post(t, fmt.Sprintf(`mutation{approveComment(input:{id:%q}){comment{id}}}`, id), nil)
	const page = `{product(id:"42"){comments{nodes{commentId viewerHasReported}}}}`
	var a apitest.Answer
	batches := s.Batches.Fewest(func() { a = alice.Post(t, page, nil) })
	testkit.Check(t, fmt.Sprint(batches) == "[20 1]", "batches of %v keys", batches)
	for i := range 20 {
		node := a.At(t, "product", "comments", "nodes", i).(map[string]any)
		testkit.Check(t, node["viewerHasReported"] == (node["commentId"] == id), "%v", node)
	}
	one := fmt.Sprintf(`{comment(id:%q){viewerHasReported}}`, id)
	s.As(apitest.Bob).Want(t, one, `{"comment":{"viewerHasReported":false}}`)
	s.As(apitest.Anonymous).Want(t, one, `{"comment":{"viewerHasReported":null}}`)
	testkit.Value(s.Store.Delete(t.Context(), id, nil))(t)
	s.Fill(t, list[3])
	alice.Want(t, one, `{"comment":{"viewerHasReported":false}}`)
}

// No one votes on their own comment, whatever their role, and it says so beforehand, in lists
// as by its id.
func TestVotesOnOwnComments(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) { c.Rules.AnonymousVotes = true })
	s.Fill(t, apitest.Comments(1)...)
	for _, author := range []access.Viewer{apitest.Alice, apitest.Mia} {
		id := s.write(t, author)
		vote := fmt.Sprintf(`mutation{voteHelpful(input:{id:%q,vote:HELPFUL}){comment{viewerVote}}}`, id)
		a := s.As(author).Post(t, vote, nil)
		testkit.Check(t, len(a.Errors) == 1 && a.Errors[0].Extensions["code"] == "FORBIDDEN" && a.Errors[0].Extensions["reason"] == "own_comment", "%q: %+v", author.Subject, a.Errors)
		for _, v := range viewers {
			can := v != author && v != apitest.Anonymous // whom no cookie identifies here
			s.As(v).Want(t, fmt.Sprintf(`{comment(id:%q){viewerCanVote helpfulCount}}`, id), fmt.Sprintf(`{"comment":{"viewerCanVote":%t,"helpfulCount":0}}`, can))
			a := s.As(v).Post(t, `{product(id:"42"){comments(first:1){nodes{viewerCanVote}}}}`, nil)
			testkit.Check(t, a.At(t, "product", "comments", "nodes", 0, "viewerCanVote") == can, "%q: %s", v.Subject, a.Data)
		}
		s.As(apitest.Bob).Want(t, vote, `{"voteHelpful":{"comment":{"viewerVote":"HELPFUL"}}}`)
		s.reject(t, id)
		s.As(apitest.Mia).Want(t, fmt.Sprintf(`{comment(id:%q){viewerCanVote}}`, id), `{"comment":{"viewerCanVote":false}}`)
	}
}

// Staff see who wrote a comment, wherever they find it; an imported one, and one of a service, has
// no writer.
func TestWriters(t *testing.T) {
	s := serve(t)
	s.Fill(t, apitest.Comments(1)...)
	id := s.write(t, apitest.Alice)
	s.write(t, apitest.Shop)
	s.Project(t)
	const page = `{product(id:"42"){comments(orderBy:{field:CREATED_AT,direction:ASC}){nodes{writer{subject comments{nodes{commentId}}}}}}}`
	for _, v := range []access.Viewer{apitest.Mia, apitest.Shop} {
		s.As(v).Want(t, page, fmt.Sprintf(`{"product":{"comments":{"nodes":[{"writer":null},{"writer":{"subject":"alice","comments":{"nodes":[{"commentId":%q}]}}},{"writer":null}]}}}`, id))
		s.As(v).Want(t, fmt.Sprintf(`{comment(id:%q){writer{subject}}}`, id), `{"comment":{"writer":{"subject":"alice"}}}`)
	}
	s.As(apitest.Alice).WantError(t, fmt.Sprintf(`{comment(id:%q){writer{subject}}}`, id), "FORBIDDEN", "") // not even their own
	operator := store.New(storetest.Client(t), s.Store.Table(), store.Options{})
	testkit.Value(operator.Erase(t.Context(), store.Erasure{Subject: "alice", Anonymous: true}))(t)
	s.As(apitest.Mia).Want(t, fmt.Sprintf(`{comment(id:%q){writer{subject}}}`, id), `{"comment":{"writer":null}}`)
}
