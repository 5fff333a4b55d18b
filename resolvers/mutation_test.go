package resolvers_test

import (
	"fmt"
	"strings"
	"testing"

	"product-comments/graph"
	"product-comments/internal/apitest"
	"product-comments/internal/testkit"
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
		if f.Type.NonNull {
			t.Errorf("when %s is refused, the other mutations of the request are null, too", f.Name)
		}
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
	const product = `query{product(id:"42"){stats{totalCount averageRating}comments{nodes{commentId rating}}viewerComment{commentId rating}}}`
	alice := s.As(apitest.Alice)
	alice.Want(t, replace(`mutation{a:updateComment(input:{id:"$id",rating:1}){`+product+`}b:updateComment(input:{id:"$id",rating:2}){`+product+`}}`),
		replace(`{"a":{"query":{"product":{"stats":{"totalCount":1,"averageRating":1},"comments":{"nodes":[{"commentId":"$id","rating":1}]},"viewerComment":{"commentId":"$id","rating":1}}}},
			"b":{"query":{"product":{"stats":{"totalCount":1,"averageRating":2},"comments":{"nodes":[{"commentId":"$id","rating":2}]},"viewerComment":{"commentId":"$id","rating":2}}}}}`))
	const vote = `query{comment(id:"$id"){helpfulCount viewerVote}}`
	s.As(apitest.Bob).Want(t, replace(`mutation{a:voteHelpful(input:{commentId:"$id",vote:HELPFUL}){`+vote+`}b:voteHelpful(input:{commentId:"$id"}){`+vote+`}}`),
		`{"a":{"query":{"comment":{"helpfulCount":1,"viewerVote":"HELPFUL"}}},"b":{"query":{"comment":{"helpfulCount":0,"viewerVote":null}}}}`)
	const moderated = `query{comment(id:"$id"){status}product(id:"42"){stats{totalCount}}}`
	s.Want(t, replace(`mutation{a:rejectComment(input:{id:"$id",reason:"rude"}){`+moderated+`}b:approveComment(input:{id:"$id"}){`+moderated+`}}`),
		`{"a":{"query":{"comment":{"status":"REJECTED"},"product":{"stats":{"totalCount":0}}}},"b":{"query":{"comment":{"status":"PUBLISHED"},"product":{"stats":{"totalCount":1}}}}}`)
	const group = `query{product(id:"43"){attributes{key}}}`
	s.define(t, `group:"shoes",definitions:[{key:"fit",type:NUMBER}]`)
	s.Want(t, `mutation{a:assignGroup(input:{productId:"43",group:"shoes"}){`+group+`}b:assignGroup(input:{productId:"43"}){`+group+`}}`,
		`{"a":{"query":{"product":{"attributes":[{"key":"fit"}]}}},"b":{"query":{"product":{"attributes":[]}}}}`)
	const order = `query{order(id:"o1"){status}}`
	s.As(apitest.Shop).Want(t, `mutation{a:setOrderStatus(input:{orderId:"o1",status:PAID,at:"2023-01-02T00:00:00Z"}){`+order+`}b:setOrderStatus(input:{orderId:"o1",status:SHIPPED,at:"2023-01-03T00:00:00Z"}){`+order+`}}`,
		`{"a":{"query":{"order":{"status":"PAID"}}},"b":{"query":{"order":{"status":"SHIPPED"}}}}`)
	alice.Want(t, replace(`mutation{deleteComment(input:{id:"$id"}){`+product+`}}`),
		`{"deleteComment":{"query":{"product":{"stats":{"totalCount":0,"averageRating":null},"comments":{"nodes":[]},"viewerComment":null}}}}`)
}
