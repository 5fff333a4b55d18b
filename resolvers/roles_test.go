package resolvers_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/access"
	"product-comments/graph"
	"product-comments/graph/globalid"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/moderation"
	"product-comments/store/comment/votes"
	"product-comments/store/index/cases"
	"product-comments/store/key"
	"product-comments/store/key/cursor"
	"product-comments/store/key/invitations"
	"product-comments/store/storetest"
)

// viewers are one of each kind, in the order of the table's columns. What the tests ask
// about is Alice's.
var viewers = []access.Viewer{apitest.Anonymous, apitest.Alice, apitest.Bob, apitest.Mia, apitest.Shop}

// answers are what the viewers get, in their order.
type answers [5]string

// The answers, as the table spells them.
const (
	yes     = "yes"
	token   = "token"   // UNAUTHENTICATED
	no      = "no"      // FORBIDDEN
	nothing = "nothing" // null or NOT_FOUND, as if it were not there
)

// null is an answer without a value: nothing where others have one, else as good as yes.
const null = "null"

// What the table distinguishes besides types: what an id is of.
const (
	unpublished = "unpublished" // a comment that was rejected
	ofOrder     = "an order"
	ofUser      = "a person"
)

// question is a field, asked for about something.
type question struct{ typ, field, about string }

func (q question) String() string {
	if q.about != "" {
		return fmt.Sprintf("%s (%s): %s", q.typ, q.about, q.field)
	}
	return q.typ + ": " + q.field
}

// about returns what a field is asked for about: what names a comment is asked about one
// that is published and one that is not, what takes any global id about people, too.
func about(typ, spelled string) []string {
	switch {
	case strings.Contains(spelled, "$global"):
		return []string{"", unpublished, ofOrder, ofUser}
	case strings.Contains(spelled, "$mine") && !strings.HasSuffix(typ, "Payload"): // a payload follows its mutation
		return []string{"", unpublished}
	}
	return []string{""}
}

// invitation is Alice's for product 42 of her order o1.
var invitation = func() string {
	c, err := invitations.New(make([]byte, cursor.MinSecret))
	if err != nil {
		panic(err)
	}
	token, err := c.Token(invitations.Invitation{OrderID: "o1", ProductID: "42", Subject: "alice", Expires: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		panic(err)
	}
	return token
}()

// ways lead to an object of each type but the ones that mutations return. $mine is the id of
// a comment of Alice's, $global a global id.
var ways = map[string]string{
	"Query":    `{%s}`,
	"Mutation": `mutation{%s}`,
	"Node":     `{node(id:"$global"){%s}}`,
	"Viewer":   `{viewer{%s}}`,
	"Product":  `{product(id:"42"){%s}}`,
	"Family":   `{family(id:"bags"){%s}}`,
	"Comment":  `{comment(id:"$mine"){%s}}`,

	"Photo":              `{comment(id:"$mine"){photos{%s}}}`,
	"PhotoConnection":    `{product(id:"42"){photos{%s}}}`,
	"PhotoEdge":          `{product(id:"42"){photos{edges{%s}}}}`,
	"ShopReply":          `{comment(id:"$mine"){reply{%s}}}`,
	"StatementOfReasons": `{comment(id:"$mine"){statement{%s}}}`,
	"CommentDecision":    `{comment(id:"$mine"){history{%s}}}`,
	"CommentReport":      `{comment(id:"$mine"){reports{%s}}}`,
	"CommentLook":        `{comment(id:"$mine"){lookedAtBy{%s}}}`,

	"ModerationQueueConnection": `{moderationQueue(filter:{state:REJECTED}){%s}}`,
	"StateCount":                `{moderationQueue(filter:{state:REJECTED}){counts{%s}}}`,

	"ReviewMonth":      `{reviewMonths{%s}}`,
	"ModerationReport": `{moderationReport(from:"2024-01",to:"2033-12"){%s}}`,
	"RatingReport":     `{moderationReport(from:"2024-01",to:"2033-12"){ratings{%s}}}`,
	"RefusalCount":     `{moderationReport(from:"2024-01",to:"2033-12"){ratings{refusals{%s}}}}`,
	"RatingMonth":      `{reviewMonths(last:1){ratings{%s}}}`,

	"AttributeDefinition":  `{product(id:"42"){attributes{%s}}}`,
	"AttributeChoice":      `{product(id:"42"){attributes{choices{%s}}}}`,
	"AttributeScale":       `{product(id:"42"){attributes{scale{%s}}}}`,
	"AttributeLabel":       `{product(id:"42"){attributes{labels{%s}}}}`,
	"AttributeStats":       `{product(id:"42"){attributeStats(key:"size"){%[1]s}of:attributeStats(key:"fit"){%[1]s}}}`,
	"Bucket":               `{product(id:"42"){attributeStats(key:"fit"){histogram{%s}}}}`,
	"ChoiceCount":          `{product(id:"42"){attributeStats(key:"size"){choices{%s}}}}`,
	"Attribute":            `{product(id:"42"){comments(orderBy:{field:CREATED_AT,direction:ASC}){nodes{attributes{%s}}}}}`,
	"UnconvertedAttribute": `mutation{defineAttributes(input:{productId:"44",definitions:[{key:"size",type:NUMBER}],force:true}){unconverted{%[1]s}}back:defineAttributes(input:{productId:"44",definitions:[{key:"size",type:CHOICE,choices:[{value:"M"}]}],force:true}){unconverted{%[1]s}}}`,

	"ProductStats":   `{product(id:"42"){stats{%s}}}`,
	"RatingCount":    `{product(id:"42"){stats{ratingCounts{%s}}}}`,
	"TimelineBucket": `{product(id:"42"){stats{timeline(by:YEAR){%s}}}}`,
	"LanguageCount":  `{product(id:"42"){stats{languageCounts{%s}}}}`,

	"CommentConnection":     `{product(id:"42"){comments{%s}}}`,
	"PageCursors":           `{product(id:"42"){comments(page:2,first:2){pageCursors{%s}}}}`,
	"PageCursor":            `{product(id:"42"){comments{pageCursors{first{%s}}}}}`,
	"CommentFacets":         `{product(id:"42"){comments{facets{%s}}}}`,
	"CommentEdge":           `{product(id:"42"){comments{edges{%s}}}}`,
	"LeaderboardConnection": `{leaderboard{%s}}`,
	"LeaderboardEdge":       `{leaderboard(by:SCORE){edges{%s}}}`,
	"PageInfo":              `{product(id:"42"){comments{pageInfo{%s}}}}`,

	"User":            `{user(id:"alice"){%s}}`,
	"Order":           `{order(id:"o1"){%s}}`,
	"OrderLine":       `{order(id:"o1"){lines{%s}}}`,
	"Money":           `{order(id:"o1"){lines{unitPrice{%s}}}}`,
	"OrderConnection": `{user(id:"alice"){orders{%s}}}`,
	"OrderEdge":       `{user(id:"alice"){orders{edges{%s}}}}`,

	"ReviewRequest":           `{order(id:"o1"){reviewRequest{%s}}}`,
	"ReviewRequestConnection": `{reviewRequests{%s}}`,
	"ReviewRequestEdge":       `{reviewRequests{edges{%s}}}`,
	"ReviewRequestMonth":      `{reviewRequestMonths{%s}}`,

	"WebhookEndpoint":          `{webhookEndpoints{%s}}`,
	"WebhookFailureConnection": `{webhookEndpoints{failures{%s}}}`,
	"WebhookFailureEdge":       `{webhookEndpoints{failures{edges{%s}}}}`,
	"WebhookFailure":           `{webhookEndpoints{failures{nodes{%s}}}}`,
	"Invitation":               `{invitation(token:"` + invitation + `"){%s}}`,

	"QueryPlan":     `{product(id:"42"){comments(ratings:[1,2,3]){plan{%s}}}}`,
	"PlanEstimate":  `{product(id:"42"){comments{plan{estimate{%s}}}}}`,
	"PlanActual":    `{product(id:"42"){comments{plan{actual{%s}}}}}`,
	"PlanPartition": `{product(id:"42"){comments{plan{partitions{%s}}}}}`,
	"RejectedPlan":  `{product(id:"42"){comments(ratings:[1,2]){plan{rejected{%s}}}}}`,
}

// arguments has the arguments of fields that require some.
var arguments = map[string]string{
	"Query.node": `(id:"$global")`, "Query.nodes": `(ids:["$global"])`,
	"Query.product": `(id:"42")`, "Query.products": `(ids:["42"])`, "Query.comment": `(id:"$mine")`,
	"Query.family": `(id:"bags")`,
	"Query.user":   `(id:"alice")`, "Query.order": `(id:"o1")`,
	"Query.invitation":       `(token:"` + invitation + `")`,
	"Product.attributeStats": `(key:"size")`,
	"ProductStats.timeline":  `(by:YEAR)`,
	"Photo.url":              `(width:160)`,
	"Query.moderationReport": `(from:"2026-01",to:"2026-02")`, "Product.moderationReport": `(from:"2026-01",to:"2026-02")`,

	"Mutation.createComment": `(input:{productId:"42",rating:4,language:"en"})`,
	"Mutation.updateComment": `(input:{id:"$mine",rating:3})`,
	"Mutation.deleteComment": `(input:{id:"$mine"})`,
	"Mutation.voteHelpful":   `(input:{id:"$mine",vote:HELPFUL})`,

	"Mutation.approveComment":  `(input:{id:"$mine"})`,
	"Mutation.rejectComment":   `(input:{id:"$mine",reason:"spam"})`,
	"Mutation.removePhoto":     `(input:{id:"$mine",photoId:"` + storetest.PhotoID(1) + `"})`,
	"Mutation.withdrawComment": `(input:{id:"$mine"})`,
	"Mutation.reportComment":   `(input:{id:"$mine"})`,
	"Mutation.replyToComment":  `(input:{id:"$mine",text:"Thank you"})`,
	"Mutation.lookAtComment":   `(input:{id:"$mine"})`,
	"Mutation.dismissReports":  `(input:{id:"alice"})`,

	"Mutation.defineAttributes": `(input:{productId:"43",definitions:[{key:"size",type:NUMBER}]})`,
	"Mutation.assignGroup":      `(input:{id:"43"})`,

	"Mutation.defineFamily": `(input:{familyId:"others",productIds:["other"]})`,

	"Mutation.recordOrder":      `(input:{orderId:"o2",subject:"alice",placedAt:"2023-01-01T10:00:00Z",lines:[{productId:"42",quantity:1,unitPrice:{amount:"12.50",currency:"EUR"}}]})`,
	"Mutation.setOrderStatus":   `(input:{id:"o2",status:PLACED,at:"2023-01-01T10:00:00Z"})`,
	"Mutation.createInvitation": `(input:{orderId:"o1",productId:"42"})`,

	"Mutation.scheduleReviewRequest": `(input:{orderId:"o4",at:"` + time.Now().Add(time.Hour).UTC().Format(time.RFC3339) + `"})`,
	"Mutation.cancelReviewRequest":   `(input:{orderId:"o3"})`,

	"Query.webhookEndpoint":          `(id:"$hook")`,
	"Mutation.createWebhookEndpoint": `(input:{url:"https://shop.example/hooks",events:[COMMENT_DELETED]})`,
	"Mutation.updateWebhookEndpoint": `(input:{id:"$hook",enabled:true})`,
	"Mutation.rotateWebhookSecret":   `(input:{id:"$hook"})`,
	"Mutation.deleteWebhookEndpoint": `(input:{id:"$hook"})`,
	"Mutation.replayWebhookEvents":   `(input:{id:"$hook",since:"2026-01-01T00:00:00Z"})`,
	"Mutation.sendTestEvent":         `(input:{id:"$hook"})`,
}

// hardlySeen are fields that no one has a value of in this test: they are asked for
// without telling null from nothing.
var hardlySeen = []string{"PlanPartition.ratings", "PlanPartition.languages", "PlanPartition.segment", "PlanPartition.incentivized", "DefineAttributesPayload.unconverted", "UnconvertedAttribute.count", "ReportCommentPayload.receipt", "Invitation.url"}

// Every field of the schema is asked for by every kind of viewer, and answered as the
// table of roles says. A field that the table does not have fails the test.
func TestWhoMayDoWhat(t *testing.T) {
	may := readRoles(t)
	plain := serve(t, withPhotoURLs)
	shown := serve(t, withPhotoURLs, func(c *httpapi.Config) { c.Rules.Plans = true })
	shops := map[*service]*shop{plain: openShop(t, plain), shown: openShop(t, shown)}
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	for _, f := range schema.Mutation.Fields {
		if payload := f.Type.Name(); ways[payload] == "" {
			ways[payload] = "mutation{" + f.Name + arguments["Mutation."+f.Name] + "{%s}}"
		}
	}
	asked := map[question]bool{}
	for _, name := range typesOf(schema) {
		def := schema.Types[name]
		s := plain
		if strings.Contains(ways[def.Name], "plan{") {
			s = shown
		}
		for _, f := range def.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			selection := f.Name + arguments[def.Name+"."+f.Name]
			if !schema.Types[f.Type.Name()].IsLeafType() {
				selection += "{__typename}"
			}
			spelled := fmt.Sprintf(ways[def.Name], selection)
			hasValue := false
			for _, about := range about(def.Name, spelled) {
				q := question{def.Name, f.Name, about}
				asked[q] = true
				want, ok := may[q]
				if !ok || ways[def.Name] == "" {
					t.Errorf("nothing says who may ask for %s", q)
					continue
				}
				got, value := shops[s].ask(t, s, about, spelled)
				hasValue = hasValue || value || !slices.Contains(want[:], yes)
				testkit.Check(t, got == want, "%s: %v, want %v: %s", q, got, want, spelled)
			}
			testkit.Check(t, hasValue != slices.Contains(hardlySeen, def.Name+"."+f.Name), "%s.%s has a value: %t", def.Name, f.Name, hasValue)
		}
	}
	t.Logf("%d questions of %d viewers", len(asked), len(viewers))
	for q := range may {
		testkit.Check(t, asked[q], "the table has %s, which is not in the schema, or not asked about that", q)
	}
}

// typesOf returns the names of the types that have fields, those last of which is asked by
// mutations, since these change what others are asked about.
func typesOf(schema *ast.Schema) (names []string) {
	for name, def := range schema.Types {
		if !def.BuiltIn && (def.Kind == ast.Object || def.Kind == ast.Interface) {
			names = append(names, name)
		}
	}
	mutates := func(name string) int { return strings.Count(ways[name], "mutation{") }
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(mutates(a)-mutates(b), strings.Compare(a, b)) })
	return names
}

// shop is what a service holds that is asked.
type shop struct{ published, unpublished, held, noticed string }

// openShop fills a service with something of everything.
func openShop(t *testing.T, s *service) *shop {
	t.Helper()
	s.define(t, `group:"shoes",definitions:[{key:"worn",type:DATE,locale:"en-GB"},{key:"sent",type:DATE}]`)
	s.define(t, `productId:"42",definitions:[{key:"size",type:CHOICE,shown:true,choices:[{value:"M",labels:[{language:"en",label:"medium"}]}],labels:[{language:"en",label:"Size"}]},{key:"fit",type:NUMBER,unit:"cm",scale:{minimum:1,maximum:5}},{key:"again",type:BOOLEAN}]`)
	s.As(apitest.Mia).Post(t, `mutation{assignGroup(input:{id:"42",group:"shoes"}){product{id}}}`, nil)
	s.define(t, `productId:"44",definitions:[{key:"size",type:CHOICE,choices:[{value:"M"}]}]`)
	testkit.Must(t, s.Store.Families().Define(t.Context(), store.Family{ID: "bags", Label: "Bags", Products: []string{"42", "44"}}))
	comments := apitest.Rated("42", "en", [5]int{1, 1, 0, 1, 2})
	comments = append(comments, apitest.Rated("44", "en", [5]int{0, 0, 0, 0, 1})...)
	for i := range comments {
		comments[i].Attributes = json.RawMessage(`{"size":"M","fit":4,"again":true,"worn":"2026-03-09","sent":"2026-03-09T08:07:06Z"}`)
	}
	s.Fill(t, comments...)
	for _, v := range viewers[1:] {
		s.write(t, v)
	}
	o := &shop{published: s.write(t, apitest.Alice), unpublished: s.write(t, apitest.Alice)}
	for n, id := range []string{o.published, o.unpublished} {
		c := store.Comment{ID: id, ProductID: "42", Rating: 5, Language: "en", Title: "Good", Text: "Fits.", Author: "A.", CreatedAt: comments[0].CreatedAt, Attributes: comments[0].Attributes}
		storetest.SetOptionals(&c)
		for i := range 2 {
			c.Photos = append(c.Photos, store.Photo{ID: storetest.PhotoID(2*n + i), Width: 1, Height: 1, Placeholder: "data", Description: "a photo"})
		}
		s.Fill(t, c) // it stays Alice's
		testkit.Value(s.Store.RemovePhoto(t.Context(), store.PhotoRemoval{ID: id, PhotoID: c.Photos[1].ID, By: "mia"}))(t)
		for _, v := range viewers[1:] {
			testkit.Value(s.Store.Vote(t.Context(), id, key.VoterOf(v.Subject), votes.Helpful, nil))(t) // also Alice's, of before it was hers
		}
		s.reject(t, id)
		s.As(apitest.Mia).Post(t, fmt.Sprintf(`mutation{approveComment(input:{id:%q}){comment{id}}replyToComment(input:{id:%[1]q,text:"Thank you"}){comment{id}}}`, id), nil)
		s.As(apitest.Bob).Post(t, fmt.Sprintf(`mutation{reportComment(input:{id:%q,reason:"rude"}){comment{id}}}`, id), nil)
	}
	ahead := store.New(storetest.Client(t), s.Store.Table(), store.Options{Now: func() time.Time { return time.Now().Add(cases.LookFor - time.Second) }})
	for _, id := range []string{o.published, o.unpublished} {
		testkit.Must(t, ahead.Moderation().Look(t.Context(), id, "max"))
	}
	s.reject(t, o.unpublished)
	o.held = s.write(t, apitest.Alice)
	for _, rating := range []int{2, 3} { // the second time it was decided after it had waited
		s.reject(t, o.held)
		s.As(apitest.Alice).Post(t, fmt.Sprintf(`mutation{updateComment(input:{id:%q,rating:%d}){comment{id}}}`, o.held, rating), nil)
	}
	o.noticed = s.write(t, apitest.Alice)
	for _, id := range []string{o.published, o.noticed} {
		_, _, err := s.Store.Notify(t.Context(), id, moderation.Notice{Name: "Ann", Email: "ann@example.org", Reason: "rude"})
		testkit.Must(t, err)
	}
	testkit.Must(t, s.Store.Moderation().SetMode(t.Context(), "42", new(moderation.Post)))
	for _, who := range []string{"bob", "carl", "dora"} {
		testkit.Value(s.Store.Report(t.Context(), o.noticed, who, ""))(t)
	}
	testkit.Must(t, s.Store.Moderation().SetMode(t.Context(), "42", nil))
	failed := s.hook(t)
	testkit.Value(s.Store.Outbox().Test(t.Context(), failed))(t)
	s.fail(t)
	testkit.Value(s.Store.Outbox().Test(t.Context(), s.hook(t)))(t)
	s.order(t, "o1", "alice", "42", "45")
	s.order(t, "o2", "alice", "42")
	s.status(t, "o1", "SHIPPED", "2023-01-02T00:00:00Z", "SHIPPED")
	s.status(t, "o1", "DELIVERED", "2023-01-03T00:00:00Z", "DELIVERED")
	s.asked(t, "o1")
	testkit.Value(s.Store.Requests().Cancel(t.Context(), "o1"))(t)
	s.ask(t, "o3", apitest.Alice.Subject, "alex@example.com")
	s.ask(t, "o4", apitest.Alice.Subject, "alex@example.com")
	s.Project(t)
	return o
}

// reject takes a comment from the public.
func (s *service) reject(t *testing.T, id string) {
	t.Helper()
	s.As(apitest.Mia).Want(t, fmt.Sprintf(`mutation{rejectComment(input:{id:%q,reason:"rude"}){comment{state}}}`, id), `{"rejectComment":{"comment":{"state":"REJECTED"}}}`)
}

// ask returns what every viewer is answered, and whether any of them got a value.
// Mutations are about a comment of which no one knows yet.
func (o *shop) ask(t *testing.T, s *service, about, query string) (got answers, value bool) {
	t.Helper()
	mine, changed := o.published, false
	if about == unpublished {
		mine = o.unpublished
		if strings.Contains(query, "heldBy") {
			mine = o.held
		} else if strings.Contains(query, "reports{name}") || strings.Contains(query, "reports{email}") {
			mine = o.noticed
		}
	}
	fresh := strings.HasPrefix(query, "mutation") && strings.Contains(query, "$mine")
	hook := ""
	if strings.Contains(query, "$hook") {
		hook = s.hook(t)
		defer func() { _, _ = s.Store.Outbox().Delete(t.Context(), hook) }() // unless the query has
	}
	for i, v := range viewers {
		if fresh && (i == 0 || changed) {
			if mine = s.write(t, apitest.Alice); about == unpublished {
				s.reject(t, mine)
			}
		}
		global := globalid.Of(globalid.Comment, mine)
		switch about {
		case ofOrder:
			global = globalid.Of(globalid.Order, "o1")
		case ofUser:
			global = globalid.Of(globalid.User, "alice")
		}
		a := s.As(v).Post(t, strings.NewReplacer("$mine", mine, "$global", global, "$hook", hook).Replace(query), nil)
		changed = len(a.Errors) == 0
		got[i] = answerOf(t, a)
	}
	value = slices.Contains(got[:], yes)
	for i := range got {
		switch {
		case got[i] == null && value:
			got[i] = nothing
		case got[i] == null:
			got[i] = yes
		}
	}
	return got, value
}

// answerOf returns what an answer is in the words of the table.
func answerOf(t *testing.T, a apitest.Answer) string {
	t.Helper()
	if len(a.Errors) > 0 {
		code, _ := a.Errors[0].Extensions["code"].(string)
		if known := map[string]string{"UNAUTHENTICATED": token, "FORBIDDEN": no, "NOT_FOUND": nothing}[code]; known != "" {
			return known
		}
		return code
	}
	if says(a.At(t)) {
		return yes
	}
	return null
}

// says reports whether there is any value in an answer's data.
func says(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case map[string]any:
		for _, in := range v {
			if says(in) {
				return true
			}
		}
		return false
	case []any:
		return slices.ContainsFunc(v, says)
	}
	return true
}
