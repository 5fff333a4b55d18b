package resolvers_test

import (
	"fmt"
	"testing"
)

func TestMutations(t *testing.T) {
	s := serve(t)
	a := s.Post(t, `mutation($in:CreateCommentInput!){createComment(input:$in){comment{id commentId product{productId}
		rating language title text author version createdAt updatedAt} commentEdge{cursor node{commentId}}}}`,
		map[string]any{"in": map[string]any{"productId": "42", "rating": 4, "language": "pt_br", "title": "Bom",
			"text": "Linha 1\nLinha 2", "idempotencyKey": "k"}})
	if len(a.Errors) > 0 {
		t.Fatalf("%+v", a.Errors)
	}
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
