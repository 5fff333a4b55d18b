package resolvers_test

import (
	"fmt"
	"strings"
	"testing"

	"product-comments/internal/apitest"
	"product-comments/internal/testkit"
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
	made := s.Post(t, `{product(id:"43"){comments{nodes{id}}}}`, nil).At(t, "product", "comments", "nodes").([]any)
	testkit.Check(t, len(made) == 4, "%d comments, not 4", len(made))
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
		{in("last:101"), "last"},
		{in("ratings:[0]"), "ratings"},
		{in(`languages:["en","not a language"]`), "languages"},
		{in(`languages:[""]`), "languages"},
		{in(`languages:[]`), "languages"},
		{in(`language:"en",languages:["de"]`), "languages"},
		{in(`languages:["` + strings.Repeat(`en","`, 10) + `de"]`), "languages"},
		{in(fmt.Sprintf(`withText:true,after:%q`, cursors[0])), "after"},
		{in(fmt.Sprintf(`languages:["en"],after:%q`, cursors[0])), "after"},
		{in(fmt.Sprintf("after:%q", filtered[0])), "after"},
		{in(fmt.Sprintf("ratings:[1],before:%q", cursors[0])), "before"},
		{fmt.Sprintf(`{product(id:"43"){comments(after:%q){nodes{id}}}}`, cursors[0]), "after"},
		{in(fmt.Sprintf("after:%q", cursors[0][:len(cursors[0])-2]+"AA")), "after"},
		{`{product(id:""){id}}`, "id"},
		{`{product(id:"` + long + `"){id}}`, "id"},
		{`{product(id:"a\u0000b"){id}}`, "id"},
		{`{products(ids:["42",""]){id}}`, "ids"},
		{`{comment(id:""){id}}`, "id"},
		{`{nodes(ids:[` + strings.Repeat(`"a",`, 101) + `]){id}}`, "ids"},
		{`mutation{updateComment(input:{id:"c001",rating:0}){comment{id}}}`, "rating"},
	} {
		s.WantError(t, c.query, "BAD_USER_INPUT", c.field)
	}
	bad := s.Post(t, in("first:99999999999"), nil)
	testkit.Check(t, len(bad.Errors) == 1, "a number of more than 32 bits: %+v", bad)
}

// White space alone says nothing, whatever it is made of; what has no width is refused.
func TestWhiteSpaceIsNoText(t *testing.T) {
	s := serve(t)
	alice, mia := s.As(apitest.Alice), s.As(apitest.Mia)
	const fields = `comment{title text author version reply{text}}`
	const create = `mutation($t:String){createComment(input:{productId:"42",rating:1,language:"de",title:$t,text:$t,author:$t}){comment{commentId title text author}}}`
	const change = `mutation($id:ID!,$t:String){updateComment(input:{id:$id,title:$t,text:$t}){` + fields + `}}`
	const reply = `mutation($id:ID!,$t:String){replyToComment(input:{id:$id,text:$t}){` + fields + `}}`
	a := alice.Post(t, `mutation{createComment(input:{productId:"42",rating:1,language:"de",title:"A",text:"B"}){comment{commentId}}}`, nil)
	written := a.At(t, "createComment", "comment", "commentId")
	spaces := []string{" ", "   ", "\t", "\n \r\n", "\u00a0", "\u2003\u3000", "\u2028", "\u0085 "}
	for _, space := range spaces {
		a := mia.Post(t, create, map[string]any{"t": space})
		made, _ := a.At(t, "createComment", "comment").(map[string]any)
		testkit.Check(t, made["title"] == nil && made["text"] == nil && made["author"] == nil, "%q is written as %s", space, a.Data)
		ofWritten := map[string]any{"id": written, "t": space}
		if a := alice.Post(t, change, ofWritten); string(a.Data) != `{"updateComment":{"comment":{"title":"A","text":"B","author":null,"version":1,"reply":null}}}` {
			t.Errorf("a change to %q: %s %+v", space, a.Data, a.Errors)
		}
		mia.Post(t, reply, map[string]any{"id": written, "t": "Sorry"}).At(t, "replyToComment", "comment", "reply", "text")
		a = mia.Post(t, reply, ofWritten)
		testkit.Check(t, a.At(t, "replyToComment", "comment", "reply") == nil, "a reply of %q: %s", space, a.Data)
		a = mia.Post(t, `mutation($id:ID!,$t:String!){rejectComment(input:{id:$id,reason:$t}){comment{id}}}`, ofWritten)
		got := problemsOf(a)
		testkit.Check(t, fmt.Sprint(got) == "[BAD_USER_INPUT reason REQUIRED]", "rejected for %q: %q", space, got)
	}
	for _, none := range []string{"\u200b", " \ufeff\u200d ", "\u3164", "\u2800"} {
		a := mia.Post(t, create, map[string]any{"t": none})
		testkit.Equal(t, fmt.Sprint(problemsOf(a)), "[BAD_USER_INPUT author INVISIBLE BAD_USER_INPUT text INVISIBLE BAD_USER_INPUT title INVISIBLE]", "%q", none)
	}
	s.Project(t)
	s.Want(t, `{product(id:"42"){comments(withText:true){totalCount nodes{commentId}}}}`, fmt.Sprintf(`{"product":{"comments":{"totalCount":1,"nodes":[{"commentId":%q}]}}}`, written))
	s.Want(t, `{product(id:"42"){comments{totalCount}}}`, fmt.Sprintf(`{"product":{"comments":{"totalCount":%d}}}`, 1+len(spaces)))
}
