package resolvers_test

import (
	"fmt"
	"strings"
	"testing"

	"product-comments/internal/apitest"
)

// Clients that send every argument send empty strings and nulls for those that they
// have nothing to say about.
func TestEmptyArgumentsAreNone(t *testing.T) {
	s := serve(t)
	s.Fill(t, apitest.Comments(3)...)
	s.Project(t)
	const all = `{"product":{"comments":{"totalCount":3,"nodes":[{"commentId":"c002"},{"commentId":"c001"},{"commentId":"c000"}]},"stats":{"totalCount":3}},"leaderboard":{"nodes":[]}}`
	for _, none := range []string{`""`, `null`} {
		s.Want(t, strings.ReplaceAll(`{product(id:"42"){comments(language:NONE,after:NONE,before:NONE){totalCount nodes{commentId}}
			stats(language:NONE){totalCount}} leaderboard(language:NONE,after:NONE,before:NONE){nodes{productId}}}`, "NONE", none), all)
		// Without a key a mutation that is sent twice makes two comments.
		create := fmt.Sprintf(`mutation{createComment(input:{productId:"43",rating:1,language:"de",title:%s,text:%[1]s,author:%[1]s,idempotencyKey:%[1]s}){comment{title}}}`, none)
		s.Want(t, create, `{"createComment":{"comment":{"title":null}}}`)
		s.Want(t, create, `{"createComment":{"comment":{"title":null}}}`)
	}
	if made := s.Post(t, `{product(id:"43"){comments{nodes{id}}}}`, nil).At(t, "product", "comments", "nodes").([]any); len(made) != 4 {
		t.Errorf("%d comments, not 4", len(made))
	}
}

func TestBadArgumentsNameTheField(t *testing.T) {
	s := serve(t)
	s.Fill(t, apitest.Comments(3)...)
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
		{in(`languages:["en","not a language"]`), "languages"},
		{in(`languages:[""]`), "languages"},
		{in(`languages:[]`), "languages"},
		{in(`language:"en",languages:["de"]`), "languages"},
		{in(`languages:["` + strings.Repeat(`en","`, 10) + `de"]`), "languages"},
		{in(fmt.Sprintf(`withText:true,after:%q`, cursors[0])), "after"},
		{in(fmt.Sprintf(`languages:["en"],after:%q`, cursors[0])), "after"},
		{in(`after:"garbage"`), "after"},
		{in(`before:"x"`), "before"},
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
		{`mutation{createComment(input:{productId:"42",rating:5,language:""}){comment{id}}}`, "language"},
		{`mutation{updateComment(input:{id:"c001",title:"a",clear:[TITLE]}){comment{id}}}`, "clear"},
		{`mutation{updateComment(input:{id:"c001",rating:0}){comment{id}}}`, "rating"},
	} {
		s.WantError(t, c.query, "BAD_USER_INPUT", c.field)
	}
	if bad := s.Post(t, in("first:99999999999"), nil); len(bad.Errors) != 1 {
		t.Errorf("a number of more than 32 bits: %+v", bad)
	}
}
