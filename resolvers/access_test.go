package resolvers_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/access"
	"product-comments/graph"
	"product-comments/graph/model"
	"product-comments/internal/apitest"
	"product-comments/internal/httpapi"
)

// viewers are one of each kind. What the tests ask about is Alice's.
var viewers = []access.Viewer{apitest.Anonymous, apitest.Alice, apitest.Bob, apitest.Mia, apitest.Shop}

// answers are the codes of the errors that the viewers get, in their order; "" is
// an answer without error.
type answers [5]string

const (
	unknown = "UNAUTHENTICATED"
	denied  = "FORBIDDEN"
)

var (
	open      = answers{}
	someone   = answers{unknown}                         // who has a token
	theOwner  = answers{unknown, "", denied, "", denied} // the author and moderators
	theAuthor = answers{unknown, "", denied, denied, denied}
	theShop   = answers{unknown, denied, denied} // moderators and services
	nobody    = answers{denied, denied, denied, denied, denied}
	alices    = answers{unknown, "", denied, "", ""}         // whose it is, and staff
	services  = answers{unknown, denied, denied, denied, ""} // the shop's own systems
)

// whoMay says for every field of the schema who may ask for it, on a server that
// shows no plans. It is the whole contract: a field that is missing fails the test.
var whoMay = map[string]map[string]answers{
	"Query": and(and(and(and(with(open, "viewer node nodes product products comment leaderboard"), "moderationQueue", theShop), "user", alices), "order", someone), "openOrders", theShop),
	"Mutation": {
		"createComment": someone,
		"updateComment": theOwner,
		"deleteComment": theOwner,
		"voteHelpful":   someone,

		"approveComment":  theShop,
		"rejectComment":   theShop,
		"replyToComment":  theShop,
		"withdrawComment": theAuthor,
		"reportComment":   someone,

		"defineAttributes": theShop,
		"assignGroup":      theShop,

		"recordOrder":    services,
		"setOrderStatus": services,
	},
	"Node":    with(open, "id"),
	"Viewer":  with(open, "subject role"),
	"Product": with(open, "id productId comments attributes stats viewerComment attributeStats"),
	"Comment": withAnd("reportCount reports history", theShop, open, "status statusReason reply id commentId product rating language title text author verifiedPurchase helpful helpfulCount unhelpfulCount viewerVote attributes createdAt updatedAt version viewerCanUpdate viewerCanDelete"),

	"ShopReply":                 with(open, "text createdAt updatedAt"),
	"CommentDecision":           with(theShop, "from to by at reason"),
	"CommentReport":             with(theShop, "by at reason"),
	"ModerationQueueConnection": with(theShop, "edges nodes pageInfo totalCount counts"),
	"StatusCount":               with(theShop, "status count"),
	"ApproveCommentPayload":     with(theShop, "comment"),
	"RejectCommentPayload":      with(theShop, "comment"),
	"WithdrawCommentPayload":    with(theAuthor, "comment"),
	"ReportCommentPayload":      with(someone, "comment"),
	"ReplyToCommentPayload":     with(theShop, "comment"),

	"AttributeDefinition":  with(open, "key label labels type choices position shown locale group"),
	"AttributeChoice":      with(open, "value label labels"),
	"AttributeLabel":       with(open, "language label"),
	"AttributeStats":       with(open, "count average minimum maximum histogram choices"),
	"Bucket":               with(open, "from to count"),
	"ChoiceCount":          with(open, "choice count"),
	"Attribute":            with(open, "definition value number date boolean choice"),
	"UnconvertedAttribute": with(theShop, "key count"),

	"ProductStats":  with(open, "totalCount averageRating ratingCounts languageCounts verifiedCount"),
	"RatingCount":   with(open, "rating count"),
	"LanguageCount": with(open, "language count ratingCounts"),
	"CommentFacets": with(open, "languages ratings withText withoutText verified notVerified"),

	"CommentConnection":     and(with(open, "edges nodes pageInfo totalCount facets"), "plan", nobody),
	"CommentEdge":           with(open, "cursor node"),
	"LeaderboardConnection": with(open, "edges nodes pageInfo"),
	"LeaderboardEdge":       with(open, "cursor node fiveStarCount"),
	"PageInfo":              with(open, "hasNextPage hasPreviousPage startCursor endCursor"),

	"User":            with(alices, "id username createdAt orders comments"),
	"Order":           with(theShop, "id orderId user status placedAt shippedAt deliveredAt lines"),
	"OrderLine":       with(theShop, "product quantity unitPrice"),
	"Money":           with(theShop, "amount currency"),
	"OrderConnection": with(alices, "edges nodes pageInfo"),
	"OrderEdge":       with(alices, "cursor node"),

	"CreateCommentPayload": with(someone, "comment commentEdge"),
	"UpdateCommentPayload": with(theOwner, "comment"),
	"DeleteCommentPayload": with(theOwner, "deletedId product"),
	"VoteHelpfulPayload":   with(someone, "comment"),

	"DefineAttributesPayload": with(theShop, "definitions unconverted"),
	"AssignGroupPayload":      with(theShop, "product"),

	"RecordOrderPayload":    with(services, "order"),
	"SetOrderStatusPayload": with(services, "order"),

	// On a server that shows plans.
	"QueryPlan":        with(open, "strategy index reason estimate actual partitions skipped rejected text lines"),
	"PlanEstimate":     with(open, "readUnits queries roundTrips discarded"),
	"PlanActual":       with(open, "readUnits queries roundTrips itemsRead itemsShown"),
	"PlanPartition":    with(open, "partition index segment role limit filter languages withText verifiedOnly estimatedItems estimatedReadUnits actualItems actualReadUnits queries"),
	"SkippedPartition": with(open, "partition index reason"),
	"RejectedPlan":     with(open, "strategy index reason estimate"),
}

// ways lead to an object of each type; $mine is the id of a comment of Alice's.
var ways = map[string]string{
	"Query":    `{%s}`,
	"Mutation": `mutation{%s}`,
	"Node":     `{node(id:"$global"){%s}}`,
	"Viewer":   `{viewer{%s}}`,
	"Product":  `{product(id:"42"){%s}}`,
	"Comment":  `{comment(id:"$mine"){%s}}`,

	"ShopReply":                 `{comment(id:"$mine"){reply{%s}}}`,
	"CommentDecision":           `{comment(id:"$mine"){history{%s}}}`,
	"CommentReport":             `{comment(id:"$mine"){reports{%s}}}`,
	"ModerationQueueConnection": `{moderationQueue{%s}}`,
	"StatusCount":               `{moderationQueue{counts{%s}}}`,
	"ApproveCommentPayload":     `mutation{approveComment(input:{id:"$mine"}){%s}}`,
	"RejectCommentPayload":      `mutation{rejectComment(input:{id:"$mine",reason:"spam"}){%s}}`,
	"WithdrawCommentPayload":    `mutation{withdrawComment(input:{id:"$mine"}){%s}}`,
	"ReportCommentPayload":      `mutation{reportComment(input:{id:"$mine"}){%s}}`,
	"ReplyToCommentPayload":     `mutation{replyToComment(input:{id:"$mine",text:"Thank you"}){%s}}`,

	"AttributeDefinition":  `{product(id:"42"){attributes{%s}}}`,
	"AttributeChoice":      `{product(id:"42"){attributes{choices{%s}}}}`,
	"AttributeLabel":       `{product(id:"42"){attributes{labels{%s}}}}`,
	"AttributeStats":       `{product(id:"42"){attributeStats(key:"size"){%s}}}`,
	"Bucket":               `{product(id:"42"){attributeStats(key:"size"){histogram{%s}}}}`,
	"ChoiceCount":          `{product(id:"42"){attributeStats(key:"size"){choices{%s}}}}`,
	"Attribute":            `{product(id:"42"){comments{nodes{attributes{%s}}}}}`,
	"UnconvertedAttribute": `mutation{defineAttributes(input:{productId:"43",definitions:[]}){unconverted{%s}}}`,

	"ProductStats":  `{product(id:"42"){stats{%s}}}`,
	"RatingCount":   `{product(id:"42"){stats{ratingCounts{%s}}}}`,
	"LanguageCount": `{product(id:"42"){stats{languageCounts{%s}}}}`,

	"CommentConnection":     `{product(id:"42"){comments{%s}}}`,
	"CommentFacets":         `{product(id:"42"){comments{facets{%s}}}}`,
	"CommentEdge":           `{product(id:"42"){comments{edges{%s}}}}`,
	"LeaderboardConnection": `{leaderboard{%s}}`,
	"LeaderboardEdge":       `{leaderboard{edges{%s}}}`,
	"PageInfo":              `{product(id:"42"){comments{pageInfo{%s}}}}`,

	"User":            `{user(username:"alice"){%s}}`,
	"Order":           `{openOrders{nodes{%s}}}`,
	"OrderLine":       `{openOrders{nodes{lines{%s}}}}`,
	"Money":           `{openOrders{nodes{lines{unitPrice{%s}}}}}`,
	"OrderConnection": `{user(username:"alice"){orders{%s}}}`,
	"OrderEdge":       `{user(username:"alice"){orders{edges{%s}}}}`,

	"CreateCommentPayload": `mutation{createComment(input:{productId:"42",rating:4,language:"en"}){%s}}`,
	"UpdateCommentPayload": `mutation{updateComment(input:{id:"$mine",rating:3}){%s}}`,
	"DeleteCommentPayload": `mutation{deleteComment(input:{id:"$mine"}){%s}}`,
	"VoteHelpfulPayload":   `mutation{voteHelpful(input:{commentId:"$mine",vote:HELPFUL}){%s}}`,

	"DefineAttributesPayload": `mutation{defineAttributes(input:{productId:"43",definitions:[]}){%s}}`,
	"AssignGroupPayload":      `mutation{assignGroup(input:{productId:"43"}){%s}}`,

	"RecordOrderPayload":    `mutation{recordOrder(input:{orderId:"o1",username:"alice",placedAt:"2023-01-01T10:00:00Z",lines:[{productId:"42",quantity:1,unitPrice:{amount:"12.50",currency:"EUR"}}]}){%s}}`,
	"SetOrderStatusPayload": `mutation{setOrderStatus(input:{orderId:"o1",status:PLACED,at:"2023-01-01T00:00:00Z"}){%s}}`,

	"QueryPlan":        `{product(id:"42"){comments{plan{%s}}}}`,
	"PlanEstimate":     `{product(id:"42"){comments{plan{estimate{%s}}}}}`,
	"PlanActual":       `{product(id:"42"){comments{plan{actual{%s}}}}}`,
	"PlanPartition":    `{product(id:"42"){comments{plan{partitions{%s}}}}}`,
	"SkippedPartition": `{product(id:"42"){comments(ratings:[1,2,4,5]){plan{skipped{%s}}}}}`,
	"RejectedPlan":     `{product(id:"42"){comments(ratings:[1,2]){plan{rejected{%s}}}}}`,
}

// arguments are those of fields that must have some.
var arguments = map[string]string{
	"Query.node": `(id:"$global")`, "Query.nodes": `(ids:["$global"])`, "Query.product": `(id:"42")`, "Query.products": `(ids:["42"])`, "Query.comment": `(id:"$mine")`,
	"Mutation.createComment":  `(input:{productId:"42",rating:4,language:"en"})`,
	"Mutation.updateComment":  `(input:{id:"$mine",rating:3})`,
	"Mutation.deleteComment":  `(input:{id:"$mine"})`,
	"Mutation.approveComment": `(input:{id:"$mine"})`, "Mutation.rejectComment": `(input:{id:"$mine",reason:"spam"})`, "Mutation.withdrawComment": `(input:{id:"$mine"})`,
	"Mutation.reportComment": `(input:{id:"$mine"})`, "Mutation.replyToComment": `(input:{id:"$mine",text:"Thank you"})`,
	"Mutation.voteHelpful": `(input:{commentId:"$mine",vote:HELPFUL})`,

	"Query.user": `(username:"alice")`, "Query.order": `(id:"o1")`,
	"Mutation.recordOrder":    `(input:{orderId:"o1",username:"alice",placedAt:"2023-01-01T10:00:00Z",lines:[{productId:"42",quantity:1,unitPrice:{amount:"12.50",currency:"EUR"}}]})`,
	"Mutation.setOrderStatus": `(input:{orderId:"o1",status:PLACED,at:"2023-01-01T00:00:00Z"})`,

	"Product.attributeStats":    `(key:"size")`,
	"Mutation.defineAttributes": `(input:{productId:"43",definitions:[]})`,
	"Mutation.assignGroup":      `(input:{productId:"43"})`,
}

func with(a answers, fields string) map[string]answers {
	out := map[string]answers{}
	for _, f := range strings.Fields(fields) {
		out[f] = a
	}
	return out
}

func withAnd(some string, a answers, others answers, fields string) map[string]answers {
	out := with(others, fields)
	for _, f := range strings.Fields(some) {
		out[f] = a
	}
	return out
}

func and(m map[string]answers, field string, a answers) map[string]answers {
	m[field] = a
	return m
}

// Every field of the schema is asked for by every kind of viewer.
func TestWhoMayDoWhat(t *testing.T) {
	plain := serve(t)
	shown := serve(t, func(c *httpapi.Config) { c.Rules.Plans = true })
	for _, s := range []*service{plain, shown} {
		s.define(t, `productId:"42",definitions:[{key:"size",type:CHOICE,shown:true,choices:[{value:"M"}],labels:[{language:"en",label:"Size"}]}]`)
		comments := apitest.Rated("42", "en", [5]int{1, 1, 0, 1, 2})
		for i := range comments {
			comments[i].Attributes = json.RawMessage(`{"size":"M"}`)
		}
		s.Fill(t, comments...)
		s.Project(t)
		s.order(t, "o1", "alice", "42")
	}
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	asked := 0
	for name, def := range schema.Types {
		if def.BuiltIn || def.Kind != ast.Object && def.Kind != ast.Interface {
			continue
		}
		s := plain
		if strings.Contains(ways[name], "plan{") {
			s = shown
		}
		for _, f := range def.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			want, ok := whoMay[name][f.Name]
			if !ok || ways[name] == "" {
				t.Errorf("nothing says who may ask for %s.%s", name, f.Name)
				continue
			}
			selection := f.Name + arguments[name+"."+f.Name]
			if !schema.Types[f.Type.Name()].IsLeafType() {
				selection += "{__typename}"
			}
			query := fmt.Sprintf(ways[name], selection)
			mine := ""
			for i, viewer := range viewers {
				if mine == "" || strings.Contains(query, "delete") || strings.Contains(query, "reject") || strings.Contains(query, "withdraw") {
					mine = s.write(t, apitest.Alice)
				}
				spelled := strings.NewReplacer("$mine", mine, "$global", model.GlobalID(model.TypeComment, mine)).Replace(query)
				a := s.As(viewer).Post(t, spelled, nil)
				code := ""
				if len(a.Errors) > 0 {
					code, _ = a.Errors[0].Extensions["code"].(string)
				}
				if code != want[i] {
					t.Errorf("%s %q asks %s: %q, want %q: %s %+v", viewer.Role, viewer.Subject, spelled, code, want[i], a.Data, a.Errors)
				}
				asked++
			}
		}
	}
	t.Logf("%d questions", asked)
	for name, fields := range whoMay {
		for f := range fields {
			if def := schema.Types[name]; def == nil || def.Fields.ForName(f) == nil {
				t.Errorf("there is no %s.%s", name, f)
			}
		}
	}
}

// write makes a comment about product 42 and returns its id.
func (s *service) write(t *testing.T, as access.Viewer) string {
	t.Helper()
	a := s.As(as).Post(t, `mutation{createComment(input:{productId:"42",rating:5,language:"en"}){comment{commentId}}}`, nil)
	return a.At(t, "createComment", "comment", "commentId").(string)
}

// What the fields say that are about the viewer.
func TestWhatViewersSee(t *testing.T) {
	s := serve(t)
	s.Fill(t, apitest.Comments(3)...) // nobody's
	s.write(t, apitest.Bob)
	mine := s.write(t, apitest.Alice)
	for i, viewer := range viewers {
		as := s.As(viewer)
		as.Want(t, `{viewer{subject role}}`, [...]string{
			`{"viewer":null}`, `{"viewer":{"subject":"alice","role":"AUTHOR"}}`, `{"viewer":{"subject":"bob","role":"AUTHOR"}}`,
			`{"viewer":{"subject":"mia","role":"MODERATOR"}}`, `{"viewer":{"subject":"shop","role":"SERVICE"}}`,
		}[i])
		may := fmt.Sprint([...]bool{false, true, false, true, false}[i])
		want := fmt.Sprintf(`{"viewerCanUpdate":%s,"viewerCanDelete":%[1]s}`, may)
		as.Want(t, fmt.Sprintf(`{comment(id:%q){viewerCanUpdate viewerCanDelete}}`, mine), `{"comment":`+want+`}`)
		global := model.GlobalID(model.TypeComment, mine)
		as.Want(t, fmt.Sprintf(`{node(id:%q){... on Comment{viewerCanUpdate viewerCanDelete}}}`, global), `{"node":`+want+`}`)
		// The page is Alice's comment, Bob's, and three of nobody's.
		for _, fields := range []string{"viewerCanUpdate", "viewerCanUpdate product{viewerComment{rating}}"} { // written at once, or by gqlgen
			a := as.Post(t, `{product(id:"42"){comments{nodes{`+fields+`}edges{node{viewerCanDelete}}}}}`, nil)
			nodes := a.At(t, "product", "comments", "nodes").([]any)
			for k := range nodes {
				can := a.At(t, "product", "comments", "nodes", k, "viewerCanUpdate")
				if want := viewer == apitest.Mia || viewer == apitest.Alice && k == 0 || viewer == apitest.Bob && k == 1; can != want || a.At(t, "product", "comments", "edges", k, "node", "viewerCanDelete") != want {
					t.Errorf("%q, comment %d of the page: %v, want %t", viewer.Subject, k, can, want)
				}
			}
			if len(nodes) != 5 {
				t.Errorf("%d nodes", len(nodes))
			}
		}
		own := [...]string{"null", fmt.Sprintf(`{"commentId":%q}`, mine), "", "null", "null"}[i]
		if own != "" {
			as.Want(t, `{product(id:"42"){viewerComment{commentId}}}`, `{"product":{"viewerComment":`+own+`}}`)
		}
		as.Want(t, `{product(id:"43"){viewerComment{commentId}}}`, `{"product":{"viewerComment":null}}`)
	}
}

// Nobody is shown whose a comment is, whatever they ask for.
func TestNobodyIsShownTheOwner(t *testing.T) {
	for _, f := range graph.NewExecutableSchema(graph.Config{}).Schema().Types["Comment"].Fields {
		if slices.Contains([]string{"owner", "subject"}, f.Name) {
			t.Errorf("Comment has the field %s", f.Name)
		}
	}
	s := serve(t)
	secret := access.Viewer{Subject: "secret-subject", Role: access.Author}
	id := s.write(t, secret)
	for _, viewer := range viewers {
		a := s.As(viewer).Post(t, fmt.Sprintf(`{comment(id:%q){id commentId product{id productId}rating language title text author createdAt updatedAt version}}`, id), nil)
		if strings.Contains(string(a.Data), secret.Subject) {
			t.Errorf("%s", a.Data)
		}
	}
	if strings.Contains(s.Log.String(), secret.Subject) {
		t.Error("the log has a subject")
	}
}

// What a mutation changed shows in the same request and right after it.
func TestViewerCommentIsExact(t *testing.T) {
	s := serve(t)
	alice := s.As(apitest.Alice)
	for range 5 {
		a := alice.Post(t, `mutation{createComment(input:{productId:"42",rating:5,language:"en"}){comment{commentId viewerCanUpdate product{viewerComment{commentId}}}commentEdge{node{viewerCanDelete}}}}`, nil)
		id := a.At(t, "createComment", "comment", "commentId")
		if got := a.At(t, "createComment", "comment", "product", "viewerComment", "commentId"); got != id {
			t.Errorf("in the mutation: %v, want %v", got, id)
		}
		if a.At(t, "createComment", "comment", "viewerCanUpdate") != true || a.At(t, "createComment", "commentEdge", "node", "viewerCanDelete") != true {
			t.Errorf("%s", a.Data)
		}
		alice.Want(t, `{product(id:"42"){viewerComment{commentId}}}`, fmt.Sprintf(`{"product":{"viewerComment":{"commentId":%q}}}`, id))
		alice.Want(t, fmt.Sprintf(`mutation{deleteComment(input:{id:%q}){product{viewerComment{id}}}}`, id), `{"deleteComment":{"product":{"viewerComment":null}}}`)
	}
}

// Who asks nothing about themselves pays nothing, nor do those who need not ask.
func TestWhatViewersCost(t *testing.T) {
	s := serve(t)
	s.Fill(t, apitest.Comments(3)...)
	const plain, may = `{product(id:"42"){comments{nodes{rating}}}}`, `{product(id:"42"){comments{nodes{rating viewerCanUpdate viewerCanDelete}}viewerComment{id}}}`
	s.As(apitest.Anonymous).Post(t, plain, nil) // the planner learns
	units := func(v access.Viewer, query string) float64 {
		return s.As(v).Post(t, query, nil).Extensions.Cost.ReadUnits
	}
	base := units(apitest.Anonymous, plain)
	for viewer, more := range map[access.Viewer]float64{apitest.Anonymous: 0, apitest.Alice: 1, apitest.Mia: 1, apitest.Shop: 1} {
		if got := units(viewer, plain); got != base {
			t.Errorf("%q pays %g, not %g", viewer.Subject, got, base)
		}
		if got := units(viewer, may); got != base+more {
			t.Errorf("%q pays %g for what concerns them, not %g", viewer.Subject, got, base+more)
		}
	}
}

func TestOneCommentPerAuthor(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) { c.OnePerAuthor = true })
	const create = `mutation{createComment(input:{productId:"42",rating:5,language:"en"}){comment{rating}}}`
	for range 2 { // a service is exempt
		s.As(apitest.Shop).Want(t, create, `{"createComment":{"comment":{"rating":5}}}`)
	}
	for _, v := range []access.Viewer{apitest.Alice, apitest.Mia} {
		id := s.write(t, v)
		if a := s.As(v).WantError(t, create, "CONFLICT", ""); !strings.Contains(a.Errors[0].Message, id) {
			t.Errorf("it does not say which: %s", a.Errors[0].Message)
		}
	}
}

// An author whose comments on a product are too many to read at once.
func TestAnAuthorOfVeryMany(t *testing.T) {
	s := serve(t)
	many := apitest.Comments(1005)
	for i := range many {
		many[i].Owner = "alice"
		many[i].ID = fmt.Sprintf("c%04d", i)
	}
	many[1000].Owner = "bob"
	if _, err := s.Store.Import(t.Context(), many); err != nil {
		t.Fatal(err)
	}
	a := s.As(apitest.Alice).Post(t, `{product(id:"42"){comments(first:6){nodes{commentId viewerCanUpdate}}}}`, nil)
	for k := range 6 {
		node := a.At(t, "product", "comments", "nodes", k).(map[string]any)
		if want := node["commentId"] != "c1000"; node["viewerCanUpdate"] != want {
			t.Errorf("%v", node)
		}
	}
}
