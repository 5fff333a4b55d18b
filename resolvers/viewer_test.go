package resolvers_test

import (
	"fmt"
	"strings"
	"testing"

	"product-comments/access"
	"product-comments/internal/apitest"
	"product-comments/internal/httpapi"
	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/item"
)

// A person sees all comments of theirs about a product, and no others, in every state, page by
// page in both directions.
func TestViewerComments(t *testing.T) {
	s := serve(t)
	comments := apitest.Comments(8)
	var ids []string // newest first
	for i := range comments {
		c := &comments[i]
		if c.ProductID, c.Owner = "42", "alice"; i == 7 {
			c.Owner = "bob"
		} else {
			ids = append([]string{c.ID}, ids...)
		}
		if i%3 == 1 {
			c.State, c.Code = item.Rejected, "SPAM"
		}
	}
	s.Fill(t, comments...)
	s.Fill(t, store.Comment{ID: "elsewhere", ProductID: "43", Rating: 1, Language: "en", CreatedAt: comments[0].CreatedAt, Owner: "alice"})
	alice := s.As(apitest.Alice)
	page := func(arguments string) (got []string, info map[string]any) {
		t.Helper()
		a := alice.Post(t, `{product(id:"42"){viewerComments(`+arguments+`){nodes{commentId}pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}}`, nil)
		testkit.Need(t, len(a.Errors) == 0, "%s: %+v", arguments, a.Errors)
		for i := range a.At(t, "product", "viewerComments", "nodes").([]any) {
			got = append(got, a.At(t, "product", "viewerComments", "nodes", i, "commentId").(string))
		}
		return got, a.At(t, "product", "viewerComments", "pageInfo").(map[string]any)
	}
	rejected := []string{ids[2], ids[5]}
	for state, want := range map[string][]string{"": ids, ",state:REJECTED": rejected, ",state:PENDING": nil} {
		for size := 1; size <= len(ids)+1; size++ {
			for _, backward := range []bool{false, true} {
				limit, cursor, from, more, to := "first", "after", "endCursor", "hasNextPage", ""
				if backward {
					limit, cursor, from, more = "last", "before", "startCursor", "hasPreviousPage"
				}
				var all []string
				for range len(ids) + 1 {
					got, info := page(fmt.Sprintf("%s:%d%s%s", limit, size, state, to))
					if backward {
						all = append(got, all...)
					} else {
						all = append(all, got...)
					}
					testkit.Check(t, info[more] == (len(all) < len(want)), "%s %d%s: %v after %d of %d", limit, size, state, info, len(all), len(want))
					if info[more] != true {
						break
					}
					to = fmt.Sprintf(",%s:%q", cursor, info[from])
				}
				testkit.Equal(t, strings.Join(all, " "), strings.Join(want, " "), "%s %d%s", limit, size, state)
			}
		}
	}
	_, info := page("first:2")
	between, _ := page(fmt.Sprintf(`last:3,after:%q`, info["endCursor"]))
	testkit.Equal(t, strings.Join(between, " "), strings.Join(ids[4:], " "), "the last three after the second")
	none, info := page("first:0")
	testkit.Check(t, len(none) == 0 && info["hasNextPage"] == true, "none: %v %v", none, info)
	a := alice.Post(t, fmt.Sprintf(`{product(id:"43"){viewerComments(after:%q){nodes{id}}}}`, func() any { _, i := page("first:1"); return i["endCursor"] }()), nil)
	testkit.Check(t, len(a.Errors) == 1 && a.Errors[0].Extensions["reason"] == "NOT_A_CURSOR", "%+v", a.Errors)
	alice.Want(t, `{product(id:"42"){viewerComments(first:0){totalCount facets{withTextCount}}}}`, `{"product":{"viewerComments":{"totalCount":null,"facets":null}}}`)
}

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
