package resolvers_test

import (
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
	"product-comments/store/storetest"
)

// write makes a comment about product 42 and returns its id.
func (s *service) write(t *testing.T, as access.Viewer) string {
	t.Helper()
	a := s.As(as).Post(t, `mutation{createComment(input:{productId:"42",rating:5,language:"en"}){comment{commentId}}}`, nil)
	return a.At(t, "createComment", "comment", "commentId").(string)
}

// What the fields say that are about the viewer.
func TestWhatViewersSee(t *testing.T) {
	s := serve(t)
	s.Fill(t, apitest.Comments(3)...) // no one's
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
		global := globalid.Of(globalid.Comment, mine)
		as.Want(t, fmt.Sprintf(`{node(id:%q){... on Comment{viewerCanUpdate viewerCanDelete}}}`, global), `{"node":`+want+`}`)
		// The page is Alice's comment, Bob's, and three of no one's.
		a := as.Post(t, `{product(id:"42"){comments{nodes{viewerCanUpdate}edges{node{viewerCanDelete}}}}}`, nil)
		nodes := a.At(t, "product", "comments", "nodes").([]any)
		for k := range nodes {
			can := a.At(t, "product", "comments", "nodes", k, "viewerCanUpdate")
			want := viewer == apitest.Mia || viewer == apitest.Alice && k == 0 || viewer == apitest.Bob && k == 1
			testkit.Check(t, can == want && a.At(t, "product", "comments", "edges", k, "node", "viewerCanDelete") == want, "%q, comment %d of the page: %v, want %t", viewer.Subject, k, can, want)
		}
		testkit.Check(t, len(nodes) == 5, "%d nodes", len(nodes))
		own := [...]string{"null", fmt.Sprintf(`{"nodes":[{"commentId":%q}]}`, mine), "", `{"nodes":[]}`, `{"nodes":[]}`}[i]
		if own != "" {
			as.Want(t, `{product(id:"42"){viewerComments{nodes{commentId}}}}`, `{"product":{"viewerComments":`+own+`}}`)
		}
		none := [...]string{"null", `{"nodes":[]}`}[min(i, 1)]
		as.Want(t, `{product(id:"43"){viewerComments{nodes{commentId}}}}`, `{"product":{"viewerComments":`+none+`}}`)
	}
}

// No one is shown whose a comment is, whatever they ask for.
func TestTheOwnerIsNotShown(t *testing.T) {
	for _, f := range graph.NewExecutableSchema(graph.Config{}).Schema().Types["Comment"].Fields {
		testkit.Check(t, !slices.Contains([]string{"owner", "subject"}, f.Name), "Comment has the field %s", f.Name)
	}
	s := serve(t)
	secret := access.Viewer{Subject: "secret-subject", Role: access.Author}
	id := s.write(t, secret)
	for _, viewer := range viewers {
		a := s.As(viewer).Post(t, fmt.Sprintf(`{comment(id:%q){id commentId product{id productId}rating language title text author createdAt updatedAt version}}`, id), nil)
		testkit.Check(t, !strings.Contains(string(a.Data), secret.Subject), "%s", a.Data)
	}
	testkit.Check(t, !strings.Contains(s.Log.String(), secret.Subject), "the log has a subject")
}

// What a mutation changed shows in the same request and right after it.
func TestViewerCommentsAreExact(t *testing.T) {
	s := serve(t)
	alice := s.As(apitest.Alice)
	for range 5 {
		a := alice.Post(t, `mutation{createComment(input:{productId:"42",rating:5,language:"en"}){comment{commentId viewerCanUpdate product{viewerComments{nodes{commentId}}}}commentEdge{node{viewerCanDelete}}}}`, nil)
		id := a.At(t, "createComment", "comment", "commentId")
		got := a.At(t, "createComment", "comment", "product", "viewerComments", "nodes", 0, "commentId")
		testkit.Check(t, got == id, "in the mutation: %v, want %v", got, id)
		testkit.Check(t, a.At(t, "createComment", "comment", "viewerCanUpdate") == true && a.At(t, "createComment", "commentEdge", "node", "viewerCanDelete") == true, "%s", a.Data)
		alice.Want(t, `{product(id:"42"){viewerComments{nodes{commentId}}}}`, fmt.Sprintf(`{"product":{"viewerComments":{"nodes":[{"commentId":%q}]}}}`, id))
		alice.Want(t, fmt.Sprintf(`mutation{deleteComment(input:{id:%q}){product{viewerComments{nodes{id}}}}}`, id), `{"deleteComment":{"product":{"viewerComments":{"nodes":[]}}}}`)
	}
}

// Who asks nothing about themselves pays nothing, nor do people who need not ask.
func TestWhatViewersCost(t *testing.T) {
	s := serve(t)
	s.Fill(t, apitest.Comments(3)...)
	const plain, may = `{product(id:"42"){comments{nodes{rating}}}}`, `{product(id:"42"){comments{nodes{rating viewerCanUpdate viewerCanDelete}}viewerComments{nodes{id}}}}`
	s.As(apitest.Anonymous).Post(t, plain, nil) // the planner learns
	units := func(v access.Viewer, query string) float64 {
		return s.As(v).Post(t, query, nil).Extensions.Cost.ReadUnits
	}
	base := units(apitest.Anonymous, plain)
	for viewer, more := range map[access.Viewer]float64{apitest.Anonymous: 0, apitest.Alice: 1, apitest.Mia: 1, apitest.Shop: 1} {
		testkit.Equal(t, units(viewer, plain), base, "%q pays", viewer.Subject)
		testkit.Equal(t, units(viewer, may), base+more, "%q pays", viewer.Subject)
	}
}

// What a request costs does not show whether there is a comment or an order that the
// viewer may not see.
func TestCostsKeepSecrets(t *testing.T) {
	s := serve(t)
	create := fmt.Sprintf(`mutation{createComment(input:{productId:"42",rating:1,language:"en",text:%q}){comment{commentId}}}`, strings.Repeat("much ", 3500))
	hidden := s.As(apitest.Alice).Post(t, create, nil).At(t, "createComment", "comment", "commentId").(string)
	s.As(apitest.Mia).Want(t, fmt.Sprintf(`mutation{rejectComment(input:{id:%q,reason:"rude"}){comment{state}}}`, hidden), `{"rejectComment":{"comment":{"state":"REJECTED"}}}`)
	seen := s.write(t, apitest.Alice)
	s.order(t, "there", "alice", "42")
	cost := func(viewer access.Viewer, query, id string) string {
		a := s.As(viewer).Post(t, strings.ReplaceAll(query, "ID", id), nil)
		testkit.Need(t, a.Extensions.Cost != nil, "%s: %+v", query, a.Errors)
		return fmt.Sprintf("%+v", *a.Extensions.Cost)
	}
	comment := func(id string) string { return globalid.Of(globalid.Comment, id) }
	for _, query := range []string{
		`{comment(id:"ID"){id}}`,
		`{comment(id:"ID"){id} other:comment(id:"` + seen + `"){rating}}`,
		`{nodes(ids:["` + comment(seen) + `","ID","` + comment("also none") + `"]){id}}`,
		`mutation{voteHelpful(input:{id:"ID",vote:HELPFUL}){comment{id}}}`,
		`mutation{updateComment(input:{id:"ID",rating:3}){comment{id}}}`,
		`mutation{withdrawComment(input:{id:"ID"}){comment{id}}}`,
		`mutation{deleteComment(input:{id:"ID"}){product{id}}}`,
		`mutation{reportComment(input:{id:"ID"}){comment{id}}}`,
	} {
		for _, viewer := range []access.Viewer{apitest.Bob, apitest.Anonymous} {
			there, none := "", ""
			for range 5 { // a busy machine may divide a batch, which is a round trip more
				if there, none = cost(viewer, query, comment(hidden)), cost(viewer, query, comment("none")); there == none {
					break
				}
			}
			testkit.Check(t, there == none, "%s as %q:\n%s for a hidden comment\n%s for none", query, viewer.Subject, there, none)
		}
	}
	for _, query := range []string{`{order(id:"ID"){id}}`, `{node(id:"ID"){id}}`} {
		there, none := cost(apitest.Bob, query, globalid.Of(globalid.Order, "there")), cost(apitest.Bob, query, globalid.Of(globalid.Order, "none"))
		testkit.Check(t, there == none, "%s:\n%s for the order of another person\n%s for none", query, there, none)
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
		a := s.As(v).WantError(t, create, "CONFLICT", "")
		old, _ := a.Errors[0].Extensions["commentId"].(string)
		testkit.Check(t, strings.Contains(a.Errors[0].Message, id) && old == globalid.Of(globalid.Comment, id), "it does not say which: %+v", a.Errors[0])
		s.As(v).Want(t, fmt.Sprintf(`mutation{updateComment(input:{id:%q,rating:4}){comment{commentId}}}`, old), fmt.Sprintf(`{"updateComment":{"comment":{"commentId":%q}}}`, id))
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
	testkit.Value(s.Store.Import(t.Context(), many))(t)
	a := s.As(apitest.Alice).Post(t, `{product(id:"42"){comments(first:6){nodes{commentId viewerCanUpdate}}}}`, nil)
	for k := range 6 {
		node := a.At(t, "product", "comments", "nodes", k).(map[string]any)
		want := node["commentId"] != "c1000"
		testkit.Check(t, node["viewerCanUpdate"] == want, "%v", node)
	}
}

// A refusal advises the client. What an operator can do is in the log alone.
func TestRefusalsDoNotAdviseOperators(t *testing.T) {
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	usual, closed := serve(t), serve(t, func(c *httpapi.Config) { c.Rules.Writes = access.ByNone })
	refused := 0
	usual.order(t, "o1", "alice", "42")
	id := usual.write(t, apitest.Alice)
	for _, s := range []*service{usual, closed} {
		for _, viewer := range viewers {
			for _, root := range []*ast.Definition{schema.Query, schema.Mutation} {
				for _, f := range root.Fields {
					if strings.HasPrefix(f.Name, "__") || schema.Types[f.Type.Name()].IsLeafType() {
						continue
					}
					query := fmt.Sprintf(ways[root.Name], f.Name+arguments[root.Name+"."+f.Name]+"{__typename}")
					query = strings.NewReplacer("$mine", id, "$global", globalid.Of(globalid.User, "alice")).Replace(query)
					for _, e := range s.As(viewer).Post(t, query, nil).Errors {
						if code := e.Extensions["code"]; code != "UNAUTHENTICATED" && code != "FORBIDDEN" {
							continue
						}
						refused++
						for _, advice := range []string{"--", "product-comments", "operator", "configur", "Authorization"} {
							testkit.Check(t, !strings.Contains(e.Message, advice), "%s: %s", f.Name, e.Message)
						}
					}
				}
			}
		}
	}
	testkit.Check(t, refused >= 20, "%d refusals", refused)
	a := usual.WantError(t, `{product(id:"42"){comments{plan{text}}}}`, "FORBIDDEN", "")
	testkit.Check(t, !strings.Contains(a.Errors[0].Message, "--"), "%v", a.Errors[0].Message)
}

// Pages and counts that a server keeps are for visitors: staff see what another server has
// just changed.
func TestStaffSeeNothingThatWasKept(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) {
		c.Store = store.New(storetest.Client(t), c.Store.Table(), store.Options{PageAge: time.Hour})
	})
	s.Fill(t, apitest.Comments(3)...) // by another server, as all that follows
	s.Project(t)
	shown := func(v access.Viewer) string {
		return string(s.As(v).Post(t, `{product(id:"42"){comments(first:1){nodes{rating}totalCount}stats{totalCount}}}`, nil).Data)
	}
	before := shown(apitest.Anonymous)
	added := apitest.Comments(4)[3]
	added.Rating, added.CreatedAt = 2, time.Now()
	s.Fill(t, added)
	s.Project(t)
	const now = `{"product":{"comments":{"nodes":[{"rating":2}],"totalCount":4},"stats":{"totalCount":4}}}`
	for viewer, want := range map[access.Viewer]string{apitest.Anonymous: before, apitest.Alice: before, apitest.Mia: now, apitest.Shop: now} {
		testkit.Equal(t, shown(viewer), want, "%s %s sees", viewer.Role, viewer.Subject)
	}
}
