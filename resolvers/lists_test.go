package resolvers_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"product-comments/graph"
	"product-comments/graph/globalid"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store/comment/votes"
	"product-comments/store/key"
	"product-comments/store/storetest"
)

// Lists show of a comment what it has, every field of the schema: whether the list carries it, or
// loads it.
func TestListsShowWhatCommentsHave(t *testing.T) {
	s := serve(t)
	s.define(t, `productId:"42",definitions:[{key:"fit",type:NUMBER}]`)
	testkit.Must(t, s.Store.AttributeIndex().Backfill().Finish(t.Context(), "42", true, nil))
	c := apitest.Comments(1)[0]
	c.Title, c.Author, c.Text, c.Attributes = "Good", "A.", strings.Repeat("long ", 1000), json.RawMessage(`{"fit":4}`)
	storetest.SetOptionals(&c)
	s.Fill(t, c)
	c.Title = "Better"
	s.Fill(t, c)
	for _, vote := range []votes.Vote{votes.Helpful, votes.Unhelpful} {
		testkit.Value(s.Store.Vote(t.Context(), c.ID, key.VoterOf(fmt.Sprint(vote)), vote, nil))(t)
	}
	s.As(apitest.Mia).Post(t, fmt.Sprintf(`mutation{replyToComment(input:{id:%q,text:"Thank you"}){comment{id}}}`, c.ID), nil)
	s.Project(t)
	lists := []string{"", "(ratings:[1,2])", "(orderBy:{field:RATING,direction:ASC})", "(orderBy:{field:HELPFUL,direction:DESC})", `(filter:{attributes:[{key:"fit",equals:["4"]}]})`}
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	compared := 0
	for _, f := range schema.Types["Comment"].Fields {
		selection := f.Name
		if strings.HasPrefix(f.Name, "__") {
			continue
		}
		if !schema.Types[f.Type.Name()].IsLeafType() {
			selection += "{__typename}"
		}
		alone := s.Post(t, fmt.Sprintf(`{comment(id:%q){%s}}`, globalid.Of(globalid.Comment, c.ID), selection), nil)
		if len(alone.Errors) > 0 { // it is for others
			continue
		}
		want := alone.At(t, "comment")
		for _, list := range lists {
			a := s.Post(t, fmt.Sprintf(`{product(id:"42"){comments%s{nodes{%s}}}}`, list, selection), nil)
			got := a.At(t, "product", "comments", "nodes", 0)
			testkit.Check(t, len(a.Errors) == 0 && reflect.DeepEqual(got, want), "comments%s{%s}: %v, want %v, %v", list, selection, got, want, a.Errors)
			compared++
		}
	}
	testkit.Check(t, compared > 100, "%d were compared", compared)
}
