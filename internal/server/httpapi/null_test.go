package httpapi_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"product-comments/access"
	"product-comments/graph"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
)

// nulls finds the fields with @semanticNonNull in an answer.
type nulls struct {
	failed      []string // paths of the errors
	null, value map[string]bool
	without     []string // fields that are null without an error
}

func (n *nulls) selections(set ast.SelectionSet, data any, path string) {
	if list, ok := data.([]any); ok {
		for i, element := range list {
			n.selections(set, element, fmt.Sprint(path, "/", i))
		}
		return
	}
	object, ok := data.(map[string]any)
	if !ok {
		return
	}
	for _, s := range set {
		switch s := s.(type) {
		case *ast.InlineFragment:
			n.selections(s.SelectionSet, data, path)
		case *ast.FragmentSpread:
			n.selections(s.Definition.SelectionSet, data, path)
		case *ast.Field:
			value, selected := object[s.Alias]
			at, name := path+"/"+s.Alias, s.ObjectDefinition.Name+"."+s.Name
			switch {
			case !selected: // by a directive, or by a fragment on another type
			case s.Definition.Directives.ForName("semanticNonNull") == nil:
			case value != nil:
				n.value[name] = true
			default:
				n.null[name] = true
				below := func(failed string) bool { return strings.HasPrefix(failed+"/", at+"/") }
				if !slices.ContainsFunc(n.failed, below) {
					n.without = append(n.without, name)
				}
			}
			n.selections(s.SelectionSet, value, at)
		}
	}
}

// A field with @semanticNonNull that is null has an error, for every viewer, whatever is missing or
// cannot be read: clients take it for non-null.
func TestNullHasAnError(t *testing.T) {
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	n := nulls{null: map[string]bool{}, value: map[string]bool{}}
	ask := func(s *service, v access.Viewer, query string, variables map[string]any) {
		doc, err := gqlparser.LoadQueryWithRules(schema, query, &rules.Rules{})
		if err != nil {
			return
		}
		a := s.As(v).Post(t, query, variables)
		if len(a.Errors) > 200 || len(a.Data) == 0 {
			return
		}
		n.failed, n.without = nil, nil
		for _, e := range a.Errors {
			path := ""
			for _, element := range e.Path {
				path += fmt.Sprint("/", element)
			}
			n.failed = append(n.failed, path)
		}
		var data any
		testkit.Must(t, json.Unmarshal(a.Data, &data))
		n.selections(doc.Operations[0].SelectionSet, data, "")
		testkit.Check(t, len(n.without) == 0, "%v are null without an error: %s of %s", n.without, a.Data, query)
	}
	seed := testkit.Seed(t)
	random := rand.New(rand.NewPCG(uint64(seed), 1))
	var s *service
	viewers := []access.Viewer{apitest.Anonymous, apitest.Alice, apitest.Mia, apitest.Shop}
	anything := func(v access.Viewer) {
		choices := make([]byte, 60)
		for i := range choices {
			choices[i] = byte(random.Uint32())
		}
		query, variables := apitest.Document(schema, choices)
		ask(s, v, query, variables)
	}
	for _, units := range []int{1, 2500} {
		s = serve(t, func(c *httpapi.Config) { c.Limits.ReadUnits = units })
		s.Fill(t, apitest.Comments(30)...)
		s.Project(t)
		ask(s, apitest.Alice, `mutation{createComment(input:{productId:"42" rating:1 language:"en"}){comment{id}}}`, nil)
		ask(s, apitest.Shop, `mutation{createWebhookEndpoint(input:{url:"https://shop.example" events:[COMMENT_CREATED]}){endpoint{id}}}`, nil)
		ask(s, apitest.Shop, `mutation{recordOrder(input:{orderId:"17",contact:{email:"alex@example.com"},placedAt:"2026-01-01T00:00:00Z",lines:[{productId:"42",quantity:1},{productId:"43",quantity:1}]}){order{id}}
			createInvitation(input:{orderId:"17",productId:"42"}){invitation{others{token}}} none:createInvitation(input:{orderId:"18",productId:"42"}){invitation{token}}}`, nil)
		ask(s, apitest.Shop, `mutation{defineFamily(input:{familyId:"bags",productIds:["42","43"]}){family{id}} none:defineFamily(input:{familyId:""productIds:[]}){family{id}}}`, nil)
		for _, v := range viewers {
			ask(s, v, `{family(id:"bags"){stats{verifiedCount} comments{plan{text} nodes{...C}} all:comments(first:-1){plan{text}} none:stats(language:"?"){totalCount}} product(id:"42"){stats{verifiedCount} comments{plan{text} nodes{...C}} all:comments(first:-1){plan{text}}}
				some:products(ids:["1","2"]){comments(first:-1){plan{text}} stats(language:"?"){totalCount}} products(ids:[""]){id} wrong:product(id:""){id} nodes(ids:["x"]){id}
				leaderboard(language:"?"){nodes{id}} moderationQueue{totalCount counts{count} nodes{...C}} openOrders{nodes{id}} reviewRequests{nodes{state answeredCount}}
				user(id:"alice"){orders{nodes{id}} comments{plan{text} nodes{...C}}} nobody:user(id:"x"){orders{nodes{id}}} comment(id:"none"){...C}
				webhookEndpoints{failures{nodes{reason}}}}
				fragment C on Comment{reportCount reports{by} history{by} lookedAtBy{by}}`, nil)
			for range 100 {
				anything(v)
			}
		}
	}
	unseen := func() (names []string) {
		for _, d := range schema.Types {
			for _, f := range d.Fields {
				name := d.Name + "." + f.Name
				if f.Directives.ForName("semanticNonNull") != nil && !n.null[name] && !n.value[name] {
					names = append(names, name)
				}
			}
		}
		return names
	}
	for more := 2000; more > 0 && len(unseen()) > 0; more-- { // chance may leave a field out for long
		anything(viewers[random.IntN(len(viewers))])
	}
	testkit.Check(t, len(unseen()) == 0, "no answer had %v", unseen())
	for _, d := range schema.Types {
		for _, f := range d.Fields {
			testkit.Check(t, f.Directives.ForName("semanticNonNull") == nil || !f.Type.NonNull, "%s.%s is never null", d.Name, f.Name)
		}
	}
	testkit.Check(t, len(n.null) > 12, "only %d fields were null", len(n.null))
}
