package resolvers_test

import (
	"fmt"
	"testing"

	"product-comments/internal/apitest"
	"product-comments/internal/testkit"
)

// Authors see all that they wrote, in whatever state, page by page; others do not.
func TestUserComments(t *testing.T) {
	s := serve(t)
	var ids []string
	for range 3 {
		ids = append(ids, s.write(t, apitest.Alice))
	}
	s.write(t, apitest.Bob)
	s.As(apitest.Mia).Post(t, fmt.Sprintf(`mutation{rejectComment(input:{id:%q,reason:"rude"}){comment{id}}}`, ids[1]), nil)
	alice := s.As(apitest.Alice)
	alice.Want(t, `{user(username:"alice"){comments{nodes{commentId status}pageInfo{hasNextPage}}}}`, fmt.Sprintf(
		`{"user":{"comments":{"nodes":[{"commentId":%q,"status":"PUBLISHED"},{"commentId":%q,"status":"REJECTED"},{"commentId":%q,"status":"PUBLISHED"}],"pageInfo":{"hasNextPage":false}}}}`, ids[2], ids[1], ids[0]))
	alice.Want(t, `{user(username:"alice"){comments(status:REJECTED){nodes{commentId}}}}`, fmt.Sprintf(`{"user":{"comments":{"nodes":[{"commentId":%q}]}}}`, ids[1]))
	alice.Want(t, `{user(username:"alice"){comments(createdBefore:"2020-01-01T00:00:00Z"){nodes{commentId}}}}`, `{"user":{"comments":{"nodes":[]}}}`)
	alice.Want(t, `{user(username:"alice"){comments(first:0){totalCount facets{withText}}}}`, `{"user":{"comments":{"totalCount":null,"facets":null}}}`) // never counted
	first := alice.Post(t, `{user(username:"alice"){comments(first:2){pageInfo{endCursor hasNextPage}}}}`, nil)
	after := first.At(t, "user", "comments", "pageInfo", "endCursor")
	alice.Want(t, fmt.Sprintf(`{user(username:"alice"){comments(first:2,after:%q){nodes{commentId}pageInfo{hasNextPage}}}}`, after), fmt.Sprintf(`{"user":{"comments":{"nodes":[{"commentId":%q}],"pageInfo":{"hasNextPage":false}}}}`, ids[0]))
	alice.Want(t, fmt.Sprintf(`{user(username:"alice"){comments(last:1,before:%q){nodes{commentId}}}}`, after), fmt.Sprintf(`{"user":{"comments":{"nodes":[{"commentId":%q}]}}}`, ids[2]))
	a := s.As(apitest.Bob).Post(t, `{user(username:"alice"){comments{nodes{commentId}}}}`, nil)
	testkit.Check(t, len(a.Errors) > 0, "Bob sees %s", a.Data)
}
