package resolvers_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/internal/testing/testkit/manual"
	"product-comments/store/errs"
	"product-comments/store/key/cursor"
	"product-comments/store/key/invitations"
)

// Clients that send every argument send empty strings and nulls for the ones that they
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
	_, cursors := s.page(t, "first:1")
	_, filtered := s.page(t, "first:1,ratings:[1,2,3]")
	in := func(arguments string) string {
		return `{product(id:"42"){comments(` + arguments + `){nodes{id}}}}`
	}
	long := strings.Repeat("x", 200)
	for _, c := range []struct{ query, field string }{
		{in("ratings:[0]"), "ratings"},
		{in(`filter:{languages:["en","not a language"]}`), "filter.languages"},
		{in(`filter:{languages:[""]}`), "filter.languages"},
		{in(`filter:{languages:[]}`), "filter.languages"},
		{in(`language:"en",filter:{languages:["de"]}`), "filter.languages"},
		{in(`filter:{languages:["` + strings.Repeat(`en","`, 10) + `de"]}`), "filter.languages"},
		{in(fmt.Sprintf(`filter:{withText:true},after:%q`, cursors[0])), "after"},
		{in(fmt.Sprintf(`filter:{languages:["en"]},after:%q`, cursors[0])), "after"},
		{in(fmt.Sprintf("after:%q", filtered[0])), "after"},
		{in(fmt.Sprintf("ratings:[1],before:%q", cursors[0])), "before"},
		{fmt.Sprintf(`{product(id:"43"){comments(after:%q){nodes{id}}}}`, cursors[0]), "after"},
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
	others := s.Post(t, `{product(id:""){id} products(ids:[""]){id} node(id:"x"){id}}`, nil)
	testkit.Equal(t, string(others.Data), `{"product":null,"products":null,"node":null}`, "a wrong id takes nothing else away")
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
	s.Want(t, `{product(id:"42"){comments(filter:{withText:true}){totalCount nodes{commentId}}}}`, fmt.Sprintf(`{"product":{"comments":{"totalCount":1,"nodes":[{"commentId":%q}]}}}`, written))
	s.Want(t, `{product(id:"42"){comments{totalCount}}}`, fmt.Sprintf(`{"product":{"comments":{"totalCount":%d}}}`, 1+len(spaces)))
}

// problemsOf returns what a form gets of the errors of an answer.
func problemsOf(a apitest.Answer) (list []string) {
	for _, e := range a.Errors {
		line := fmt.Sprint(e.Extensions["code"], " ", e.Extensions["field"], " ", e.Extensions["reason"])
		if limit, ok := e.Extensions["limit"]; ok {
			line += fmt.Sprintf(" %v of %v", e.Extensions["value"], limit)
		}
		list = append(list, line)
	}
	slices.Sort(list)
	return list
}

// Everything that is wrong with an input is said at once, each field by itself.
// Together these requests meet every reason that there is.
func TestProblemsOfForms(t *testing.T) {
	s := serve(t)
	s.define(t, `productId:"42",definitions:[{key:"size",type:CHOICE,choices:[{value:"M"}]},{key:"fit",type:NUMBER}]`)
	s.Fill(t, apitest.Comments(1)...)
	const create = `mutation($in:CreateCommentInput!){createComment(input:$in){comment{id}}}`
	const update = `mutation($in:UpdateCommentInput!){updateComment(input:$in){comment{id}}}`
	page := func(arguments string) string { return `{product(id:"42"){comments(` + arguments + `){nodes{id}}}}` }
	long := strings.Repeat("é", 301)
	expired := testkit.Value(testkit.Value(invitations.New(make([]byte, cursor.MinSecret)))(t).Token(invitations.Invitation{Expires: time.Unix(0, 0)}))(t)
	type object = map[string]any
	met := map[string]bool{}
	written := string(s.Post(t, `{product(id:"42"){comments{nodes{commentId version title helpfulCount unhelpfulCount}}}}`, nil).Data)
	for _, c := range []struct {
		name, query string
		variables   object
		want        []string
	}{
		{"a form with everything wrong", create, object{"in": object{
			"productId": "", "rating": 9, "language": "english", "title": long, "text": "a\u0007", "author": "\u200b", "idempotencyKey": strings.Repeat("k", 129),
		}}, []string{
			"BAD_USER_INPUT author INVISIBLE", "BAD_USER_INPUT idempotencyKey TOO_LONG 129 of 128", "BAD_USER_INPUT language NOT_A_LANGUAGE",
			"BAD_USER_INPUT productId REQUIRED", "BAD_USER_INPUT rating OUT_OF_RANGE 9 of 5", "BAD_USER_INPUT text BAD_CHARACTER", "BAD_USER_INPUT title TOO_LONG 301 of 300",
		}},
		{"with a product", create, object{"in": object{"productId": "42", "rating": 0, "language": "", "title": "a\nb"}}, []string{
			"BAD_USER_INPUT language REQUIRED", "BAD_USER_INPUT rating OUT_OF_RANGE 0 of 1", "BAD_USER_INPUT title BAD_CHARACTER",
		}},
		{"a change", update, object{"in": object{"id": "c000", "rating": 6, "language": "x-shop", "title": long, "text": strings.Repeat("t", 20_001)}}, []string{
			"BAD_USER_INPUT language NOT_A_LANGUAGE", "BAD_USER_INPUT rating OUT_OF_RANGE 6 of 5", "BAD_USER_INPUT text TOO_LONG 20001 of 20000", "BAD_USER_INPUT title TOO_LONG 301 of 300",
		}},
		{"a change of no comment", update, object{"in": object{"id": "UHJvZHVjdDo0Mg", "rating": 6, "title": "a", "clear": []any{"TITLE"}}}, []string{
			"BAD_USER_INPUT clear CONTRADICTION", "BAD_USER_INPUT id OTHER_KIND", "BAD_USER_INPUT rating OUT_OF_RANGE 6 of 5",
		}},
		{"types", create, object{"in": object{"productId": 42, "rating": "5", "text": []any{"a"}, "stars": 5, "title": "a\nb", "attributes": []any{object{"key": nil, "value": 1}, object{"key": "colour"}}}}, []string{
			"BAD_USER_INPUT attributes.0.key REQUIRED", "BAD_USER_INPUT attributes.0.value WRONG_TYPE", "BAD_USER_INPUT attributes.1.key NOT_AN_ATTRIBUTE", "BAD_USER_INPUT language REQUIRED",
			"BAD_USER_INPUT rating WRONG_TYPE", "BAD_USER_INPUT stars UNKNOWN_FIELD", "BAD_USER_INPUT text WRONG_TYPE", "BAD_USER_INPUT title BAD_CHARACTER",
		}},
		{"null", create, object{"in": object{"productId": "42", "language": "en", "rating": nil, "title": "a\nb"}}, []string{"BAD_USER_INPUT rating REQUIRED", "BAD_USER_INPUT title BAD_CHARACTER"}},
		{"an invitation", create, object{"in": object{"language": "en", "rating": 4, "invitation": "none"}}, []string{"BAD_USER_INPUT invitation NOT_AN_INVITATION"}},
		{"an expired one", create, object{"in": object{"language": "en", "rating": 4, "invitation": expired}}, []string{"BAD_USER_INPUT invitation EXPIRED"}},
		{"a missing input", create, nil, []string{"BAD_USER_INPUT input REQUIRED"}},
		{"a change of a wrong type", update, object{"in": object{"id": nil, "rating": 6, "clear": []any{"TITLE", "ALL"}, "expectedVersion": "1"}}, []string{
			"BAD_USER_INPUT clear WRONG_TYPE", "BAD_USER_INPUT expectedVersion WRONG_TYPE", "BAD_USER_INPUT id REQUIRED", "BAD_USER_INPUT rating OUT_OF_RANGE 6 of 5",
		}},
		{"a change that is right otherwise", update, object{"in": object{"id": "c000", "title": "New", "expectedVersion": "1"}}, []string{"BAD_USER_INPUT expectedVersion WRONG_TYPE"}},
		{"a vote", `mutation($v:Vote){voteHelpful(input:{id:"c000" vote:$v}){comment{id}}}`, object{"v": "YES"}, []string{"BAD_USER_INPUT vote WRONG_TYPE"}},
		{"a new comment that is right otherwise", create, object{"in": object{"productId": "42", "language": "en", "rating": 1, "title": 1}}, []string{"BAD_USER_INPUT title WRONG_TYPE"}},
		{"definitions", `mutation($in:DefineAttributesInput!){defineAttributes(input:$in){definitions{key}}}`, object{"in": object{"productId": "42", "definitions": []any{
			object{"key": "a", "type": "COLOUR", "choices": []any{object{"value": "red"}}}, object{"key": "", "type": "NUMBER"},
		}}}, []string{"BAD_USER_INPUT definitions.0.type WRONG_TYPE", "BAD_USER_INPUT definitions.1.key REQUIRED"}},
		{"variables", `query($n:Int $r:[Int!] $p:Int){product(id:"42"){comments(first:$n ratings:$r page:$p){nodes{id}}}}`, object{"n": "2", "r": []any{"5"}, "p": 0}, []string{
			"BAD_USER_INPUT first WRONG_TYPE", "BAD_USER_INPUT page OUT_OF_RANGE 0 of 1", "BAD_USER_INPUT ratings WRONG_TYPE",
		}},
		{"a filter of wrong types", `query($o:CommentOrder! $f:CommentFilter){product(id:"42"){comments(orderBy:$o filter:$f language:"english"){nodes{id}}}}`, object{
			"o": object{"field": "size", "direction": "DESC", "attribute": "size"}, "f": object{"createdAfter": "noon", "withText": 1, "languages": []any{"english"}},
		}, []string{"BAD_USER_INPUT filter.createdAfter WRONG_TYPE", "BAD_USER_INPUT filter.languages CONTRADICTION", "BAD_USER_INPUT filter.withText WRONG_TYPE", "BAD_USER_INPUT orderBy.field WRONG_TYPE"}},
		{"literals", page(`filter:{createdAfter:"noon" createdBefore:"x"} first:99999999999 ratings:[9]`), nil, []string{
			"BAD_USER_INPUT filter.createdAfter WRONG_TYPE", "BAD_USER_INPUT filter.createdBefore WRONG_TYPE", "BAD_USER_INPUT first WRONG_TYPE", "BAD_USER_INPUT ratings OUT_OF_RANGE 9 of 5",
		}},
		{"a directive", `query($n:Int $b:Boolean!){product(id:"42"){comments(first:$n) @skip(if:$b){nodes{id}}}}`, object{"n": "2"}, []string{"BAD_USER_INPUT variables.b REQUIRED", "BAD_USER_INPUT variables.n WRONG_TYPE"}},
		{"an operation", `query A{__typename} query B{__typename}`, nil, []string{"BAD_USER_INPUT operationName REQUIRED"}},
		{"a filter", page(`language:"english" ratings:[9]`), nil, []string{"BAD_USER_INPUT language NOT_A_LANGUAGE", "BAD_USER_INPUT ratings OUT_OF_RANGE 9 of 5"}},
		{"a page", page(`first:101 after:"a" before:"b"`), nil, []string{
			"BAD_USER_INPUT after NOT_A_CURSOR", "BAD_USER_INPUT before NOT_A_CURSOR", "BAD_USER_INPUT first OUT_OF_RANGE 101 of 100",
		}},
		{"a filter and a page", page(`ratings:[9] first:101 after:"a"`), nil, []string{"BAD_USER_INPUT first OUT_OF_RANGE 101 of 100", "BAD_USER_INPUT ratings OUT_OF_RANGE 9 of 5"}},
		{"the queue", `{moderationQueue(filter:{language:"english"} first:-1){nodes{id}}}`, nil, []string{"BAD_USER_INPUT filter.language NOT_A_LANGUAGE", "BAD_USER_INPUT first OUT_OF_RANGE -1 of 0"}},
		{"a decision", `mutation{rejectComment(input:{id:"" reason:" "}){comment{id}}}`, nil, []string{"BAD_USER_INPUT id REQUIRED", "BAD_USER_INPUT reason REQUIRED"}},
		{"a report", `mutation{reportComment(input:{id:"" reason:"\u0007"}){comment{id}}}`, nil, []string{"BAD_USER_INPUT id REQUIRED", "BAD_USER_INPUT reason BAD_CHARACTER"}},
		{"reports", `mutation{dismissReports(input:{id:"" reason:"\u0007"}){hasMore}}`, nil, []string{"BAD_USER_INPUT id REQUIRED", "BAD_USER_INPUT reason BAD_CHARACTER"}},
		{"a reply", `mutation{replyToComment(input:{id:"" text:"\u0007"}){comment{id}}}`, nil, []string{"BAD_USER_INPUT id REQUIRED", "BAD_USER_INPUT text BAD_CHARACTER"}},
		{"a group", `mutation{assignGroup(input:{id:"" group:"\u0007"}){product{id}}}`, nil, []string{"BAD_USER_INPUT group BAD_CHARACTER", "BAD_USER_INPUT id REQUIRED"}},
		{"times", page(`filter:{createdAfter:"2026-01-02T00:00:00Z" createdBefore:"2026-01-01T00:00:00Z"}`), nil, []string{"BAD_USER_INPUT filter.createdBefore CONTRADICTION"}},
		{"times by votes", page(`filter:{createdAfter:"2026-01-02T00:00:00Z"} orderBy:{field:HELPFUL direction:DESC}`), nil, []string{"BAD_USER_INPUT filter.createdAfter CONTRADICTION"}},
		{"page 0", page(`page:0 first:0`), nil, []string{"BAD_USER_INPUT first OUT_OF_RANGE 0 of 1", "BAD_USER_INPUT page OUT_OF_RANGE 0 of 1"}},
		{"page -1", page(`page:-1 first:101`), nil, []string{"BAD_USER_INPUT first OUT_OF_RANGE 101 of 100", "BAD_USER_INPUT page OUT_OF_RANGE -1 of 1"}},
		{"two starts", page(`page:1 last:1 around:"c000"`), nil, []string{"BAD_USER_INPUT around CONTRADICTION", "BAD_USER_INPUT last CONTRADICTION"}},
		{"around a product", page(`around:"UHJvZHVjdDo0Mg"`), nil, []string{"BAD_USER_INPUT around OTHER_KIND"}},
		{"page by votes", page(`page:1 orderBy:{field:HELPFUL direction:DESC}`), nil, []string{"BAD_USER_INPUT page CONTRADICTION"}},
		{"page cursors", `{product(id:"42"){comments{pageCursors(size:21){first{page}}}}}`, nil, []string{"BAD_USER_INPUT size OUT_OF_RANGE 21 of 20"}},
		{"two ends", page(`first:1 last:1`), nil, []string{"BAD_USER_INPUT last CONTRADICTION"}},
		{"attributes", create, object{"in": object{"productId": "42", "rating": 9, "language": "en", "attributes": []any{
			object{"key": "size", "value": "XL"}, object{"key": "colour", "value": "red"}, object{"key": "fit", "value": "tight"},
		}}}, []string{
			"BAD_USER_INPUT attributes.0.value NOT_A_CHOICE", "BAD_USER_INPUT attributes.1.key NOT_AN_ATTRIBUTE", "BAD_USER_INPUT attributes.2.value WRONG_TYPE", "BAD_USER_INPUT rating OUT_OF_RANGE 9 of 5",
		}},
		{"photos", create, object{"in": object{"productId": "42", "rating": 1, "language": "en", "photos": []any{object{"id": "x"}, object{"description": 1}}}}, []string{
			"BAD_USER_INPUT photos.0.id NOT_A_PHOTO", "BAD_USER_INPUT photos.1.description WRONG_TYPE", "BAD_USER_INPUT photos.1.id REQUIRED",
		}},
		{"a photo of a comment", `mutation{removePhoto(input:{id:"" photoId:"x" reason:"\u0007"}){comment{id}}}`, nil, []string{"BAD_USER_INPUT id REQUIRED", "BAD_USER_INPUT photoId NOT_A_PHOTO", "BAD_USER_INPUT reason BAD_CHARACTER"}},
		{"an id", `query($id:ID!){product(id:$id){id} comment(id:"c000"){id}}`, object{"id": 1.5}, []string{"BAD_USER_INPUT id WRONG_TYPE"}},
		{"ids", `query($ids:[ID!]!){products(ids:$ids){id}}`, object{"ids": slices.Repeat([]any{"1"}, 101)}, []string{"BAD_USER_INPUT ids TOO_MANY 101 of 100"}},
	} {
		headers := append(apitest.Authorization(t, apitest.Mia), "Content-Type", "application/json", "Accept", "application/graphql-response+json")
		body := testkit.Value(json.Marshal(object{"query": c.query, "variables": c.variables}))(t)
		a := s.Send(t, "POST", "/graphql", body, headers...)
		got := problemsOf(a)
		testkit.Check(t, slices.Equal(got, c.want), "%s:\n got %q\nwant %q", c.name, got, c.want)
		for _, e := range a.Errors {
			met[fmt.Sprint(e.Extensions["reason"])] = true
			field := fmt.Sprint(e.Extensions["field"])
			testkit.Check(t, strings.HasPrefix(e.Message, field+": "), "%s: %q does not name its field", c.name, e.Message)
			ofRequest := strings.HasPrefix(field, "variables.") || field == "operationName"
			testkit.Check(t, ofRequest == (a.Status == 400) && ofRequest == (a.Data == nil) && ofRequest == (len(e.Path) == 0), "%s: %d, data %s, path %v", c.name, a.Status, a.Data, e.Path)
		}
	}
	s.Want(t, `{product(id:"42"){comments{nodes{commentId version title helpfulCount unhelpfulCount}}}}`, written)
	if a := s.Send(t, "POST", "/graphql", []byte(`{"query":"query A{__typename}","operationName":"B"}`), "Content-Type", "application/json"); len(a.Errors) == 1 {
		met[fmt.Sprint(a.Errors[0].Extensions["reason"])] = true
	}
	a := s.As(apitest.Shop).WantError(t, `mutation{recordOrder(input:{orderId:"o",subject:"VXNlcjphbGljZQ",placedAt:"2026-01-01T00:00:00Z",lines:[{productId:"42",quantity:1}]}){order{id}}}`, "BAD_USER_INPUT", "subject")
	met[fmt.Sprint(a.Errors[0].Extensions["reason"])] = true
	rows := manual.Constants(t, "store/errs/reasons.go")
	testkit.Equal(t, len(rows), len(errs.Reasons), "the number of reasons")
	manual.Generated(t, "api.md", "reasons", manual.Table([]string{"reason", "what is wrong"}, rows))
	for _, reason := range errs.Reasons {
		testkit.Check(t, met[reason], "nothing was refused for %s", reason)
	}
}

func TestGlobalIDs(t *testing.T) {
	s := serve(t)
	s.Fill(t, apitest.Comments(2)...)
	a := s.Post(t, `{product(id:"42"){id} comment(id:"c001"){id product{id}} none:comment(id:"none"){id}}`, nil)
	product, comment := a.At(t, "product", "id").(string), a.At(t, "comment", "id").(string)
	testkit.Check(t, product != "42" && comment != "c001" && a.At(t, "comment", "product", "id") == product && a.At(t, "none") == nil, "%s", a.Data)
	s.Want(t, fmt.Sprintf(`{product(id:%q){productId} comment(id:%q){commentId} p:node(id:%q){__typename id}
		c:node(id:%q){__typename ...on Comment{commentId}}}`, product, comment, product, comment),
		fmt.Sprintf(`{"product":{"productId":"42"},"comment":{"commentId":"c001"},"p":{"__typename":"Product","id":%q},"c":{"__typename":"Comment","commentId":"c001"}}`, product))
	gone := base64.RawURLEncoding.EncodeToString([]byte("Comment:none"))
	s.Want(t, fmt.Sprintf(`{nodes(ids:[%q,%q,"nonsense","42",%q,%q]){...on Comment{commentId} ...on Product{productId}}}`,
		comment, gone, product, comment),
		`{"nodes":[{"commentId":"c001"},null,null,null,{"productId":"42"},{"commentId":"c001"}]}`)
	s.Want(t, `{products(ids:["7","42","7"]){productId}}`, `{"products":[{"productId":"7"},{"productId":"42"},{"productId":"7"}]}`)
	s.WantError(t, fmt.Sprintf(`{product(id:%q){id}}`, comment), "BAD_USER_INPUT", "id")
	s.WantError(t, fmt.Sprintf(`{comment(id:%q){id}}`, product), "BAD_USER_INPUT", "id")
	testkit.Value(s.Store.Delete(t.Context(), "c001", nil))(t)
	s.Want(t, fmt.Sprintf(`{node(id:%q){id} comment(id:%q){id}}`, comment, comment), `{"node":null,"comment":null}`)
}
