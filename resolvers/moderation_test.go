package resolvers_test

import (
	"fmt"
	"strings"
	"testing"

	"product-comments/internal/apitest"
	"product-comments/internal/testkit"
)

// What is not published is neither listed nor counted, for whoever asks; its author has it.
// Who finds it by its id is in the table of roles.
func TestWhatIsNotPublishedIsNotListed(t *testing.T) {
	s := serve(t)
	s.reject(t, s.write(t, apitest.Alice))
	s.Project(t)
	for _, v := range viewers {
		s.As(v).Want(t, `{product(id:"42"){comments{totalCount nodes{id}} stats{totalCount}}}`, `{"product":{"comments":{"totalCount":0,"nodes":[]},"stats":{"totalCount":0}}}`)
	}
	s.As(apitest.Alice).Want(t, `{product(id:"42"){viewerComment{status statusReason}}}`, `{"product":{"viewerComment":{"status":"REJECTED","statusReason":"rude"}}}`)
}

// What moderators do, from the queue to the reply.
func TestModerators(t *testing.T) {
	s := serve(t)
	first, second := s.write(t, apitest.Alice), s.write(t, apitest.Bob)
	mia := s.As(apitest.Mia)
	for _, id := range []string{first, second} {
		mia.Post(t, fmt.Sprintf(`mutation{rejectComment(input:{id:%q,reason:"look again"}){comment{id}}}`, id), nil)
	}
	s.Project(t)
	a := mia.Post(t, `{moderationQueue(state:REJECTED,first:1){edges{cursor node{commentId}}pageInfo{hasNextPage}totalCount counts{status count}}}`, nil)
	if a.At(t, "moderationQueue", "edges", 0, "node", "commentId") != first || a.At(t, "moderationQueue", "totalCount") != 2.0 || a.At(t, "moderationQueue", "pageInfo", "hasNextPage") != true {
		t.Errorf("%s", a.Data)
	}
	got := fmt.Sprint(a.At(t, "moderationQueue", "counts"))
	testkit.Check(t, strings.Contains(got, "REJECTED") && strings.Contains(got, "count:2"), "%s", got)
	one := mia.Post(t, `{moderationQueue(state:REJECTED){totalCount}}`, nil).Extensions.Cost
	both := mia.Post(t, `{moderationQueue(state:REJECTED){totalCount counts{status count}}}`, nil).Extensions.Cost
	if both.ReadUnits > one.ReadUnits+2 { // they take 4, and what a server reads of its settings now and then 1 at the most
		t.Errorf("the counts of the queue were read again: %g read units, one of them %g", both.ReadUnits, one.ReadUnits)
	}
	cursor := a.At(t, "moderationQueue", "edges", 0, "cursor")
	mia.Want(t, fmt.Sprintf(`{moderationQueue(state:REJECTED,after:%q){nodes{commentId}pageInfo{hasNextPage}}}`, cursor), fmt.Sprintf(`{"moderationQueue":{"nodes":[{"commentId":%q}],"pageInfo":{"hasNextPage":false}}}`, second))
	mia.WantError(t, fmt.Sprintf(`{moderationQueue(state:PENDING,after:%q){nodes{id}}}`, cursor), "BAD_USER_INPUT", "after")
	mia.WantError(t, fmt.Sprintf(`mutation{rejectComment(input:{id:%q,reason:""}){comment{id}}}`, first), "BAD_USER_INPUT", "reason")
	mia.WantError(t, fmt.Sprintf(`mutation{approveComment(input:{id:%q,expectedVersion:2}){comment{id}}}`, first), "CONFLICT", "expectedVersion")
	mia.Want(t, fmt.Sprintf(`mutation{approveComment(input:{id:%q,expectedVersion:1}){comment{status history{from to by reason}}}}`, first),
		`{"approveComment":{"comment":{"status":"PUBLISHED","history":[{"from":"REJECTED","to":"PUBLISHED","by":"mia","reason":null},{"from":"PUBLISHED","to":"REJECTED","by":"mia","reason":"look again"}]}}}`)
	s.As(apitest.Bob).Want(t, fmt.Sprintf(`mutation{reportComment(input:{id:%q,reason:"rude"}){comment{status}}}`, first), `{"reportComment":{"comment":{"status":"PUBLISHED"}}}`)
	mia.Want(t, fmt.Sprintf(`{comment(id:%q){reportCount reports{by reason}}}`, first), `{"comment":{"reportCount":1,"reports":[{"by":"bob","reason":"rude"}]}}`)
	mia.Want(t, `{product(id:"42"){comments{nodes{commentId reportCount}}}}`, fmt.Sprintf(`{"product":{"comments":{"nodes":[{"commentId":%q,"reportCount":1}]}}}`, first))
	mia.Want(t, `{product(id:"42"){comments{nodes{helpful reportCount}}}}`, `{"product":{"comments":{"nodes":[{"helpful":null,"reportCount":1}]}}}`)
	mia.Want(t, fmt.Sprintf(`mutation{replyToComment(input:{id:%q,text:"Thank you"}){comment{reply{text}}}}`, first), `{"replyToComment":{"comment":{"reply":{"text":"Thank you"}}}}`)
	s.As(apitest.Anonymous).Want(t, `{product(id:"42"){comments{nodes{reply{text} version}}}}`, `{"product":{"comments":{"nodes":[{"reply":{"text":"Thank you"},"version":1}]}}}`)
	s.As(apitest.Alice).Want(t, fmt.Sprintf(`mutation{withdrawComment(input:{id:%q}){comment{status viewerCanUpdate viewerCanDelete}}}`, first), `{"withdrawComment":{"comment":{"status":"WITHDRAWN","viewerCanUpdate":false,"viewerCanDelete":true}}}`)
	mia.WantError(t, fmt.Sprintf(`mutation{approveComment(input:{id:%q}){comment{id}}}`, first), "CONFLICT", "")
}
