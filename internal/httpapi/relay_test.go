package httpapi_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"product-comments/store"
)

// page queries product 42's comments and returns ids, cursors and page info.
func (s *service) page(t *testing.T, arguments string) (ids []string, cursors []string, info map[string]any) {
	t.Helper()
	if arguments != "" {
		arguments = "(" + arguments + ")"
	}
	a := s.post(t, `{product(id:"42"){comments`+arguments+`{edges{cursor node{commentId}} nodes{commentId} pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}}`, nil)
	if len(a.Errors) > 0 {
		t.Fatalf("%s: %+v", arguments, a.Errors)
	}
	for i, e := range a.at(t, "product", "comments", "edges").([]any) {
		edge := e.(map[string]any)
		id := edge["node"].(map[string]any)["commentId"].(string)
		ids, cursors = append(ids, id), append(cursors, edge["cursor"].(string))
		if node := a.at(t, "product", "comments", "nodes", i, "commentId"); node != id {
			t.Errorf("%s: edge %d is %s, node %v", arguments, i, id, node)
		}
	}
	info = a.at(t, "product", "comments", "pageInfo").(map[string]any)
	if n := len(cursors); n > 0 && (info["startCursor"] != cursors[0] || info["endCursor"] != cursors[n-1]) {
		t.Errorf("%s: page info %v does not match the edges", arguments, info)
	}
	return ids, cursors, info
}

func TestConnection(t *testing.T) {
	s := serve(t)
	s.fill(t, comments(45)...)
	wantPage := func(arguments, first, last string, n int, next, previous bool) []string {
		t.Helper()
		ids, cursors, info := s.page(t, arguments)
		if len(ids) != n || (n > 0 && (ids[0] != first || ids[n-1] != last)) || info["hasNextPage"] != next || info["hasPreviousPage"] != previous {
			t.Errorf("%s: %v, %v", arguments, ids, info)
		}
		return cursors
	}
	c := wantPage("", "c044", "c025", 20, true, false)
	// A negative first or last is refused; 0 is legal and still knows whether there is more.
	_, _, info := s.page(t, "first:0")
	if info["startCursor"] != nil || info["endCursor"] != nil || info["hasNextPage"] != true {
		t.Errorf("first 0: %v", info)
	}
	// The order is the same in both directions.
	wantPage(fmt.Sprintf("first:10,after:%q", c[19]), "c024", "c015", 10, true, true)
	wantPage(fmt.Sprintf("last:5,before:%q", c[19]), "c030", "c026", 5, true, true)
	wantPage("last:5", "c004", "c000", 5, false, true)
	wantPage("last:100", "c044", "c000", 45, false, false)
	wantPage("first:45", "c044", "c000", 45, false, false)
	wantPage("first:44", "c044", "c001", 44, true, false)
	wantPage(fmt.Sprintf("last:3,before:%q", c[2]), "c044", "c043", 2, true, false)
	wantPage(fmt.Sprintf("first:100,after:%q,before:%q", c[4], c[8]), "c039", "c037", 3, true, true)
	wantPage(fmt.Sprintf("last:2,after:%q,before:%q", c[4], c[8]), "c038", "c037", 2, true, true)
	wantPage(fmt.Sprintf("first:5,after:%q,before:%q", c[8], c[4]), "", "", 0, true, true)
	// The same request over the same data is the same, byte for byte.
	for range 3 {
		if again := wantPage("", "c044", "c025", 20, true, false); strings.Join(again, " ") != strings.Join(c, " ") {
			t.Error("cursors changed")
		}
	}
	// A cursor whose comment is gone still resumes at its place.
	if _, err := s.store.Delete(t.Context(), "c025"); err != nil {
		t.Fatal(err)
	}
	wantPage(fmt.Sprintf("first:2,after:%q", c[19]), "c024", "c023", 2, true, true)
	wantPage(fmt.Sprintf("last:2,before:%q", c[19]), "c027", "c026", 2, true, true)
	// Null and every rating are no filter.
	for _, none := range []string{"ratings:null", "ratings:[]", "ratings:[5,4,3,2,1]", "language:null,first:null"} {
		if ids, _, _ := s.page(t, none); len(ids) != 20 || ids[0] != "c044" {
			t.Errorf("%s: %v", none, ids)
		}
	}
	if ids, _, _ := s.page(t, `ratings:[5,1,1],language:"EN",first:4`); strings.Join(ids, " ") != "c044 c040 c039 c035" {
		t.Errorf("ratings 1 and 5: %v", ids)
	}
	if ids, _, info := s.page(t, `language:"pt"`); len(ids) != 0 || info["hasNextPage"] != false || info["startCursor"] != nil {
		t.Errorf("an empty list: %v, %v", ids, info)
	}
	// A product without comments resolves.
	s.want(t, `{product(id:"none"){productId comments{nodes{id}}}}`, `{"product":{"productId":"none","comments":{"nodes":[]}}}`)
}

func TestBadArgumentsNameTheField(t *testing.T) {
	s := serve(t)
	s.fill(t, comments(3)...)
	_, cursors, _ := s.page(t, "first:1")
	_, filtered, _ := s.page(t, "first:1,ratings:[1,2,3]")
	in := func(arguments string) string {
		return `{product(id:"42"){comments(` + arguments + `){nodes{id}}}}`
	}
	long := strings.Repeat("x", 200)
	for _, c := range []struct{ query, field string }{
		{in("first:-1"), "first"},
		{in("last:-1"), "last"},
		{in("first:101"), "first"},
		{in("last:101"), "last"},
		{in("first:1,last:1"), "last"},
		{in("ratings:[0]"), "ratings"},
		{in("ratings:[3,6]"), "ratings"},
		{in(`language:"not a language"`), "language"},
		{in(`language:""`), "language"},
		{in(`after:"garbage"`), "after"},
		{in(`before:""`), "before"},
		{in(fmt.Sprintf("after:%q", filtered[0])), "after"},
		{in(fmt.Sprintf("ratings:[1],before:%q", cursors[0])), "before"},
		{fmt.Sprintf(`{product(id:"43"){comments(after:%q){nodes{id}}}}`, cursors[0]), "after"},
		{in(fmt.Sprintf("after:%q", cursors[0][:len(cursors[0])-2]+"AA")), "after"},
		{`{product(id:""){id}}`, "id"},
		{`{product(id:"` + long + `"){id}}`, "id"},
		{`{product(id:"a\u0000b"){id}}`, "id"},
		{`{products(ids:["42",""]){id}}`, "ids"},
		{`{comment(id:""){id}}`, "id"},
		{`{products(ids:[` + strings.Repeat(`"a",`, 101) + `]){id}}`, "ids"},
		{`{nodes(ids:[` + strings.Repeat(`"a",`, 101) + `]){id}}`, "ids"},
		{`mutation{createComment(input:{productId:"42",rating:6,language:"en"}){comment{id}}}`, "rating"},
		{`mutation{createComment(input:{productId:"42",rating:5,language:"zzzz-"}){comment{id}}}`, "language"},
		{`mutation{createComment(input:{productId:"",rating:5,language:"en"}){comment{id}}}`, "productId"},
		{`mutation{createComment(input:{productId:"42",rating:5,language:"en",title:"a\nb"}){comment{id}}}`, "title"},
		{`mutation{createComment(input:{productId:"42",rating:5,language:"en",idempotencyKey:""}){comment{id}}}`, "idempotencyKey"},
		{`mutation{updateComment(input:{id:"c001",rating:0}){comment{id}}}`, "rating"},
	} {
		s.wantError(t, c.query, "BAD_USER_INPUT", c.field)
	}
	if bad := s.post(t, in("first:99999999999"), nil); len(bad.Errors) != 1 {
		t.Errorf("a number of more than 32 bits: %+v", bad)
	}
}

func TestGlobalIDs(t *testing.T) {
	s := serve(t)
	s.fill(t, comments(2)...)
	a := s.post(t, `{product(id:"42"){id} comment(id:"c001"){id product{id}} none:comment(id:"none"){id}}`, nil)
	product, comment := a.at(t, "product", "id").(string), a.at(t, "comment", "id").(string)
	if product == "42" || comment == "c001" || a.at(t, "comment", "product", "id") != product || a.at(t, "none") != nil {
		t.Errorf("%s", a.Data)
	}
	s.want(t, fmt.Sprintf(`{product(id:%q){productId} comment(id:%q){commentId} p:node(id:%q){__typename id} c:node(id:%q){__typename ...on Comment{commentId}}}`, product, comment, product, comment),
		fmt.Sprintf(`{"product":{"productId":"42"},"comment":{"commentId":"c001"},"p":{"__typename":"Product","id":%q},"c":{"__typename":"Comment","commentId":"c001"}}`, product))
	gone := base64.RawURLEncoding.EncodeToString([]byte("Comment:none"))
	s.want(t, fmt.Sprintf(`{nodes(ids:[%q,%q,"nonsense","42",%q,%q]){...on Comment{commentId} ...on Product{productId}}}`, comment, gone, product, comment),
		`{"nodes":[{"commentId":"c001"},null,null,null,{"productId":"42"},{"commentId":"c001"}]}`)
	s.want(t, `{products(ids:["7","42","7"]){productId}}`, `{"products":[{"productId":"7"},{"productId":"42"},{"productId":"7"}]}`)
	s.wantError(t, fmt.Sprintf(`{product(id:%q){id}}`, comment), "BAD_USER_INPUT", "id")
	s.wantError(t, fmt.Sprintf(`{comment(id:%q){id}}`, product), "BAD_USER_INPUT", "id")
	if _, err := s.store.Delete(t.Context(), "c001"); err != nil {
		t.Fatal(err)
	}
	s.want(t, fmt.Sprintf(`{node(id:%q){id} comment(id:%q){id}}`, comment, comment), `{"node":null,"comment":null}`)
}

// Whatever fans out is read in batches. Usually it is one; a busy machine may
// take longer to resolve siblings than a loader waits, so a few pass too.
func TestLoaders(t *testing.T) {
	s := serve(t)
	list := comments(120)
	for i := range list {
		list[i].ProductID = fmt.Sprint(i % 3)
		if i%2 == 0 {
			list[i].Text = strings.Repeat("long", store.InlineText)
		}
	}
	s.fill(t, list...)
	wantBatches := func(what, query string, keys int) {
		t.Helper()
		s.api.batches = nil
		if a := s.post(t, query, nil); len(a.Errors) > 0 {
			t.Fatalf("%s: %+v", what, a.Errors)
		}
		sum := 0
		for _, n := range s.api.batches {
			sum += n
		}
		if sum != keys || len(s.api.batches) > 1+keys/5 {
			t.Errorf("%s: batches of %v, want %d keys", what, s.api.batches, keys)
		}
	}
	var ids []string
	for i := range 100 {
		ids = append(ids, fmt.Sprintf("%q", base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "Comment:c%03d", i))))
	}
	wantBatches("nodes", `{nodes(ids:[`+strings.Join(ids, ",")+`]){id}}`, 100)
	wantBatches("comments", `{a:comment(id:"c001"){id product{id}} b:comment(id:"c001"){text} c:comment(id:"c002"){id}}`, 2)
	const pages = `{products(ids:["0","1","2"]){comments(first:10){%s}}}`
	wantBatches("long texts", fmt.Sprintf(pages, "nodes{text}"), 15)
	wantBatches("long texts through fragments", fmt.Sprintf(pages, "edges{node{...F}}")+` fragment F on Comment{...on Node{...on Comment{t:text}}}`, 15)
	wantBatches("no texts", fmt.Sprintf(pages, "nodes{title} edges{node{text @skip(if:true)}}"), 0)
	a := s.post(t, `{product(id:"0"){comments(first:2){nodes{commentId text}}}}`, nil)
	for i := range 2 {
		id, text := a.at(t, "product", "comments", "nodes", i, "commentId").(string), a.at(t, "product", "comments", "nodes", i, "text").(string)
		for _, c := range list {
			if c.ID == id && c.Text != text {
				t.Errorf("%s: %d of %d bytes", id, len(text), len(c.Text))
			}
		}
	}
}

func TestMutations(t *testing.T) {
	s := serve(t)
	a := s.post(t, `mutation($in:CreateCommentInput!){createComment(input:$in){comment{id commentId product{productId} rating language title text author version createdAt updatedAt} commentEdge{cursor node{commentId}}}}`,
		map[string]any{"in": map[string]any{"productId": "42", "rating": 4, "language": "pt_br", "title": "Bom", "text": "Linha 1\nLinha 2", "idempotencyKey": "k"}})
	if len(a.Errors) > 0 {
		t.Fatalf("%+v", a.Errors)
	}
	made := a.at(t, "createComment", "comment").(map[string]any)
	id := made["commentId"].(string)
	if made["rating"] != 4.0 || made["language"] != "pt-BR" || made["author"] != nil || made["version"] != 1.0 || made["createdAt"] != made["updatedAt"] || a.at(t, "createComment", "commentEdge", "node", "commentId") != id {
		t.Errorf("%s", a.Data)
	}
	s.want(t, fmt.Sprintf(`{product(id:"42"){comments(after:%q){nodes{id}pageInfo{hasPreviousPage}}}}`, a.at(t, "createComment", "commentEdge", "cursor")),
		`{"product":{"comments":{"nodes":[],"pageInfo":{"hasPreviousPage":true}}}}`)
	s.want(t, `mutation{createComment(input:{productId:"42",rating:4,language:"pt-BR",idempotencyKey:"k"}){comment{commentId}}}`, fmt.Sprintf(`{"createComment":{"comment":{"commentId":%q}}}`, id))
	// What is left out stays; null removes.
	s.want(t, fmt.Sprintf(`mutation{updateComment(input:{id:%q,rating:2}){comment{rating title text version}}}`, made["id"]),
		`{"updateComment":{"comment":{"rating":2,"title":"Bom","text":"Linha 1\nLinha 2","version":2}}}`)
	s.want(t, fmt.Sprintf(`mutation{updateComment(input:{id:%q,title:null,rating:null,language:"en"}){comment{rating language title text version}}}`, id),
		`{"updateComment":{"comment":{"rating":2,"language":"en","title":null,"text":"Linha 1\nLinha 2","version":3}}}`)
	s.wantError(t, fmt.Sprintf(`mutation{updateComment(input:{id:%q,rating:5,expectedVersion:2}){comment{id}}}`, id), "CONFLICT", "expectedVersion")
	s.want(t, `{product(id:"42"){comments(language:"en",ratings:[2]){nodes{commentId}}}}`, fmt.Sprintf(`{"product":{"comments":{"nodes":[{"commentId":%q}]}}}`, id))
	s.want(t, fmt.Sprintf(`mutation{deleteComment(input:{id:%q}){deletedId product{productId comments{nodes{id}}}}}`, id),
		fmt.Sprintf(`{"deleteComment":{"deletedId":%q,"product":{"productId":"42","comments":{"nodes":[]}}}}`, made["id"]))
	s.wantError(t, fmt.Sprintf(`mutation{deleteComment(input:{id:%q}){deletedId}}`, id), "NOT_FOUND", "")
	s.wantError(t, fmt.Sprintf(`mutation{updateComment(input:{id:%q,rating:1}){comment{id}}}`, id), "NOT_FOUND", "")
	s.wantError(t, `mutation{createComment(input:{productId:"42",rating:4,language:"pt-BR",idempotencyKey:"k"}){comment{id}}}`, "CONFLICT", "")
}
