package resolvers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"product-comments/graph"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
)

func TestMutations(t *testing.T) {
	s := serve(t)
	a := s.Post(t, `mutation($in:CreateCommentInput!){createComment(input:$in){comment{id commentId product{productId}
		rating language title text author version createdAt updatedAt} commentEdge{cursor node{commentId}}}}`,
		map[string]any{"in": map[string]any{"productId": "42", "rating": 4, "language": "pt_br", "title": "Bom",
			"text": "Linha 1\nLinha 2", "idempotencyKey": "k"}})
	testkit.Need(t, len(a.Errors) == 0, "%+v", a.Errors)
	made := a.At(t, "createComment", "comment").(map[string]any)
	id := made["commentId"].(string)
	if made["rating"] != 4.0 || made["language"] != "pt-BR" || made["author"] != nil || made["version"] != 1.0 ||
		made["createdAt"] != made["updatedAt"] || a.At(t, "createComment", "commentEdge", "node", "commentId") != id {
		t.Errorf("%s", a.Data)
	}
	s.Want(t, fmt.Sprintf(`{product(id:"42"){comments(after:%q){nodes{id}pageInfo{hasPreviousPage}}}}`,
		a.At(t, "createComment", "commentEdge", "cursor")),
		`{"product":{"comments":{"nodes":[],"pageInfo":{"hasPreviousPage":true}}}}`)
	s.Want(t, `mutation{createComment(input:{productId:"42",rating:4,language:"pt-BR",idempotencyKey:"k"}){comment{commentId}}}`, fmt.Sprintf(`{"createComment":{"comment":{"commentId":%q}}}`, id))
	// A field that is left out stays, and so does one that is null or empty.
	s.Want(t, fmt.Sprintf(`mutation{updateComment(input:{id:%q,rating:2}){comment{rating title text version}}}`, made["id"]),
		`{"updateComment":{"comment":{"rating":2,"title":"Bom","text":"Linha 1\nLinha 2","version":2}}}`)
	for _, none := range []string{`null`, `""`} {
		s.Want(t, fmt.Sprintf(`mutation{updateComment(input:{id:%q,title:%s,text:%[2]s,language:%[2]s,rating:null,clear:null,expectedVersion:null}){comment{rating
			language title text version}}}`, id, none),
			`{"updateComment":{"comment":{"rating":2,"language":"pt-BR","title":"Bom","text":"Linha 1\nLinha 2","version":2}}}`)
	}
	s.Want(t, fmt.Sprintf(`mutation{updateComment(input:{id:%q,title:"",clear:[TITLE,TITLE],language:"en"}){comment{rating
		language title text version}}}`, id),
		`{"updateComment":{"comment":{"rating":2,"language":"en","title":null,"text":"Linha 1\nLinha 2","version":3}}}`)
	s.WantError(t, fmt.Sprintf(`mutation{updateComment(input:{id:%q,rating:5,expectedVersion:2}){comment{id}}}`, id),
		"CONFLICT", "expectedVersion")
	s.Want(t, `{product(id:"42"){comments(language:"en",ratings:[2]){nodes{commentId}}}}`,
		fmt.Sprintf(`{"product":{"comments":{"nodes":[{"commentId":%q}]}}}`, id))
	s.Want(t, fmt.Sprintf(`mutation{deleteComment(input:{id:%q}){deletedId product{productId comments{nodes{id}}}}}`, id),
		fmt.Sprintf(`{"deleteComment":{"deletedId":%q,"product":{"productId":"42","comments":{"nodes":[]}}}}`, made["id"]))
	s.WantError(t, fmt.Sprintf(`mutation{deleteComment(input:{id:%q}){deletedId}}`, id), "NOT_FOUND", "")
	s.WantError(t, fmt.Sprintf(`mutation{updateComment(input:{id:%q,rating:1}){comment{id}}}`, id), "NOT_FOUND", "")
	s.WantError(t, `mutation{createComment(input:{productId:"42",rating:4,language:"pt-BR",idempotencyKey:"k"}){comment{id}}}`, "CONFLICT", "")
}

// A mutation that is refused is null, and those before and after it in the request are
// answered all the same.
func TestOneOfThreeMutationsIsRefused(t *testing.T) {
	s := serve(t)
	a := s.Post(t, `mutation{
		first:createComment(input:{productId:"42",rating:5,language:"en"}){comment{rating}}
		second:deleteComment(input:{id:"none"}){deletedId}
		third:createComment(input:{productId:"42",rating:3,language:"en"}){comment{rating}}}`, nil)
	want := `{"first":{"comment":{"rating":5}},"second":null,"third":{"comment":{"rating":3}}}`
	testkit.Check(t, string(a.Data) == want, "got  %s\nwant %s", a.Data, want)
	testkit.Check(t, len(a.Errors) == 1 && a.Errors[0].Extensions["code"] == "NOT_FOUND" && fmt.Sprint(a.Errors[0].Path) == "[second]", "%+v", a.Errors)
	s.Want(t, `{product(id:"42"){comments{nodes{rating}}}}`, `{"product":{"comments":{"nodes":[{"rating":3},{"rating":5}]}}}`)
	for _, f := range graph.NewExecutableSchema(graph.Config{}).Schema().Mutation.Fields {
		testkit.Check(t, !f.Type.NonNull, "when %s is refused, the other mutations of the request are null, too", f.Name)
	}
}

// A payload's `query` reads what the mutation wrote, also where the same request has read
// it before.
func TestPayloadsQueryWhatWasWritten(t *testing.T) {
	s := serve(t)
	s.order(t, "o1", "alice", "42")
	id := s.write(t, apitest.Alice)
	s.Project(t)
	replace := strings.NewReplacer("$id", id).Replace
	const product = `query{product(id:"42"){stats{totalCount averageRating}comments{nodes{commentId rating}}viewerComments{nodes{commentId rating}}}}`
	alice := s.As(apitest.Alice)
	alice.Want(t, replace(`mutation{a:updateComment(input:{id:"$id",rating:1}){`+product+`}b:updateComment(input:{id:"$id",rating:2}){`+product+`}}`),
		replace(`{"a":{"query":{"product":{"stats":{"totalCount":1,"averageRating":1},"comments":{"nodes":[{"commentId":"$id","rating":1}]},"viewerComments":{"nodes":[{"commentId":"$id","rating":1}]}}}},
			"b":{"query":{"product":{"stats":{"totalCount":1,"averageRating":2},"comments":{"nodes":[{"commentId":"$id","rating":2}]},"viewerComments":{"nodes":[{"commentId":"$id","rating":2}]}}}}}`))
	const vote = `query{comment(id:"$id"){helpfulCount viewerVote}}`
	s.As(apitest.Bob).Want(t, replace(`mutation{a:voteHelpful(input:{id:"$id",vote:HELPFUL}){`+vote+`}b:voteHelpful(input:{id:"$id"}){`+vote+`}}`),
		`{"a":{"query":{"comment":{"helpfulCount":1,"viewerVote":"HELPFUL"}}},"b":{"query":{"comment":{"helpfulCount":0,"viewerVote":null}}}}`)
	const moderated = `query{comment(id:"$id"){state}product(id:"42"){stats{totalCount}}}`
	s.Want(t, replace(`mutation{a:rejectComment(input:{id:"$id",reason:"rude"}){`+moderated+`}b:approveComment(input:{id:"$id"}){`+moderated+`}}`),
		`{"a":{"query":{"comment":{"state":"REJECTED"},"product":{"stats":{"totalCount":0}}}},"b":{"query":{"comment":{"state":"PUBLISHED"},"product":{"stats":{"totalCount":1}}}}}`)
	const group = `query{product(id:"43"){attributes{key}}}`
	s.define(t, `group:"shoes",definitions:[{key:"fit",type:NUMBER}]`)
	s.Want(t, `mutation{a:assignGroup(input:{id:"43",group:"shoes"}){`+group+`}b:assignGroup(input:{id:"43"}){`+group+`}}`,
		`{"a":{"query":{"product":{"attributes":[{"key":"fit"}]}}},"b":{"query":{"product":{"attributes":[]}}}}`)
	const order = `query{order(id:"o1"){status}}`
	s.As(apitest.Shop).Want(t, `mutation{a:setOrderStatus(input:{id:"o1",status:PAID,at:"2023-01-02T00:00:00Z"}){`+order+`}b:setOrderStatus(input:{id:"o1",status:SHIPPED,at:"2023-01-03T00:00:00Z"}){`+order+`}}`,
		`{"a":{"query":{"order":{"status":"PAID"}}},"b":{"query":{"order":{"status":"SHIPPED"}}}}`)
	alice.Want(t, replace(`mutation{deleteComment(input:{id:"$id"}){`+product+`}}`),
		`{"deleteComment":{"query":{"product":{"stats":{"totalCount":0,"averageRating":null},"comments":{"nodes":[]},"viewerComments":{"nodes":[]}}}}}`)
}

// What is not published is neither listed nor counted, for the client; its author has it.
// Who finds it by its id is in the table of roles.
func TestWhatIsNotPublishedIsNotListed(t *testing.T) {
	s := serve(t)
	s.reject(t, s.write(t, apitest.Alice))
	s.Project(t)
	for _, v := range viewers {
		s.As(v).Want(t, `{product(id:"42"){comments{totalCount nodes{id}} stats{totalCount}}}`, `{"product":{"comments":{"totalCount":0,"nodes":[]},"stats":{"totalCount":0}}}`)
	}
	s.As(apitest.Alice).Want(t, `{product(id:"42"){viewerComments{nodes{state stateReason rejectionCode heldBy}}}}`,
		`{"product":{"viewerComments":{"nodes":[{"state":"REJECTED","stateReason":"rude","rejectionCode":"OTHER","heldBy":null}]}}}`)
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
	a := mia.Post(t, `{moderationQueue(filter:{state:REJECTED}, first:1){edges{cursor node{commentId}}pageInfo{hasNextPage}totalCount counts{state count}}}`, nil)
	if a.At(t, "moderationQueue", "edges", 0, "node", "commentId") != first || a.At(t, "moderationQueue", "totalCount") != 2.0 || a.At(t, "moderationQueue", "pageInfo", "hasNextPage") != true {
		t.Errorf("%s", a.Data)
	}
	got := fmt.Sprint(a.At(t, "moderationQueue", "counts"))
	testkit.Check(t, strings.Contains(got, "REJECTED") && strings.Contains(got, "count:2"), "%s", got)
	one := mia.Post(t, `{moderationQueue(filter:{state:REJECTED}){totalCount}}`, nil).Extensions.Cost
	both := mia.Post(t, `{moderationQueue(filter:{state:REJECTED}){totalCount counts{state count}}}`, nil).Extensions.Cost
	if both.ReadUnits > one.ReadUnits+2 { // they take 4, and what a server reads of its settings now and then 1 at most
		t.Errorf("the counts of the queue were read again: %g read units, one of them %g", both.ReadUnits, one.ReadUnits)
	}
	cursor := a.At(t, "moderationQueue", "edges", 0, "cursor")
	mia.Want(t, fmt.Sprintf(`{moderationQueue(filter:{state:REJECTED}, after:%q){nodes{commentId}pageInfo{hasNextPage}}}`, cursor), fmt.Sprintf(`{"moderationQueue":{"nodes":[{"commentId":%q}],"pageInfo":{"hasNextPage":false}}}`, second))
	mia.WantError(t, fmt.Sprintf(`{moderationQueue(filter:{state:PENDING}, after:%q){nodes{id}}}`, cursor), "BAD_USER_INPUT", "after")
	mia.WantError(t, fmt.Sprintf(`mutation{rejectComment(input:{id:%q,reason:""}){comment{id}}}`, first), "BAD_USER_INPUT", "reason")
	mia.WantError(t, fmt.Sprintf(`mutation{approveComment(input:{id:%q,expectedVersion:2}){comment{id}}}`, first), "CONFLICT", "expectedVersion")
	mia.WantError(t, fmt.Sprintf(`mutation{approveComment(input:{id:%q,expectedState:PENDING}){comment{id}}}`, first), "CONFLICT", "expectedState")
	mia.Want(t, fmt.Sprintf(`mutation{approveComment(input:{id:%q,expectedVersion:1,expectedState:REJECTED}){comment{state history{from to by reason}}}}`, first),
		`{"approveComment":{"comment":{"state":"PUBLISHED","history":[{"from":"REJECTED","to":"PUBLISHED","by":"mia","reason":null},{"from":"PUBLISHED","to":"REJECTED","by":"mia","reason":"look again"}]}}}`)
	s.As(apitest.Bob).Want(t, fmt.Sprintf(`mutation{reportComment(input:{id:%q,reason:"rude"}){comment{state}}}`, first), `{"reportComment":{"comment":{"state":"PUBLISHED"}}}`)
	mia.Want(t, fmt.Sprintf(`{comment(id:%q){reportCount reports{by reason}}}`, first), `{"comment":{"reportCount":1,"reports":[{"by":"bob","reason":"rude"}]}}`)
	mia.Want(t, `{product(id:"42"){comments{nodes{commentId reportCount}}}}`, fmt.Sprintf(`{"product":{"comments":{"nodes":[{"commentId":%q,"reportCount":1}]}}}`, first))
	mia.Want(t, `{product(id:"42"){comments{nodes{helpful reportCount}}}}`, `{"product":{"comments":{"nodes":[{"helpful":null,"reportCount":1}]}}}`)
	mia.Want(t, fmt.Sprintf(`mutation{replyToComment(input:{id:%q,text:"Thank you"}){comment{reply{text}}}}`, first), `{"replyToComment":{"comment":{"reply":{"text":"Thank you"}}}}`)
	s.As(apitest.Anonymous).Want(t, `{product(id:"42"){comments{nodes{reply{text} version}}}}`, `{"product":{"comments":{"nodes":[{"reply":{"text":"Thank you"},"version":1}]}}}`)
	s.As(apitest.Alice).Want(t, fmt.Sprintf(`mutation{withdrawComment(input:{id:%q}){comment{state viewerCanUpdate viewerCanDelete}}}`, first), `{"withdrawComment":{"comment":{"state":"WITHDRAWN","viewerCanUpdate":false,"viewerCanDelete":true}}}`)
	mia.WantError(t, fmt.Sprintf(`mutation{approveComment(input:{id:%q}){comment{id}}}`, first), "CONFLICT", "")
}

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
		as.Want(t, fmt.Sprintf(`mutation{voteHelpful(input:{id:%q,vote:%s}){comment{commentId helpfulCount unhelpfulCount viewerVote version}}}`, id, to),
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
	alice.Want(t, `mutation{a:voteHelpful(input:{id:"c001"}){comment{viewerVote helpfulCount}}b:voteHelpful(input:{id:"c001",vote:UNHELPFUL}){comment{viewerVote unhelpfulCount}}}`,
		`{"a":{"comment":{"viewerVote":null,"helpfulCount":3}},"b":{"comment":{"viewerVote":"UNHELPFUL","unhelpfulCount":2}}}`)
	alice.WantError(t, `mutation{voteHelpful(input:{id:"none",vote:HELPFUL}){comment{id}}}`, "NOT_FOUND", "")
	alice.WantError(t, `mutation{voteHelpful(input:{id:"",vote:HELPFUL}){comment{id}}}`, "BAD_USER_INPUT", "id")
}

// A page reads its comments in one batch, and the viewer's votes in another: none of
// comments that have no votes, and none for who is not known.
func TestWhatVotesCost(t *testing.T) {
	s := serve(t)
	s.Fill(t, apitest.Comments(5)...)
	alice := s.As(apitest.Alice)
	for _, id := range []string{"c000", "c003"} {
		alice.Want(t, fmt.Sprintf(`mutation{voteHelpful(input:{id:%q,vote:HELPFUL}){comment{commentId}}}`, id), fmt.Sprintf(`{"voteHelpful":{"comment":{"commentId":%q}}}`, id))
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
		testkit.Check(t, slices.Equal(got, c.want), "%q of %s: batches of %v, want %v", c.as.Viewer.Subject, c.fields, got, c.want)
	}
}
