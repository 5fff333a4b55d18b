package resolvers_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/settings/definitions"
	"product-comments/store/storetest"
)

// withAttributes serves product 42 with attributes and 12 comments, of which every
// fourth has none.
func withAttributes(t *testing.T) *service {
	t.Helper()
	s := serve(t)
	if _, err := s.Store.Attributes().Define(t.Context(), definitions.Change{Scope: definitions.Scope{Product: "42"}, Definitions: []attributes.Definition{
		{Key: "fit", Type: attributes.Number, Shown: true}, {Key: "bought", Type: attributes.Date},
		{Key: "size", Type: attributes.Choice, Options: []attributes.Option{{Value: "S"}, {Value: "M"}}},
		{Key: "note", Type: attributes.Text},
	}}); err != nil {
		t.Fatal(err)
	}
	testkit.Must(t, s.Store.AttributeIndex().Backfill().Finish(t.Context(), "42", true, nil))
	list := apitest.Comments(12)
	for i := range list {
		if i%4 > 0 {
			list[i].Attributes = json.RawMessage(fmt.Sprintf(`{"fit":%d,"size":"%s"}`, i%4-2, []string{"S", "M"}[i%2]))
		}
	}
	s.Fill(t, list...)
	s.Project(t)
	return s
}

func TestOrdersByAttributes(t *testing.T) {
	s := withAttributes(t)
	const ids = "{nodes{commentId}}"
	nodes := func(list string) string {
		var out []string
		for _, id := range strings.Fields(list) {
			out = append(out, `{"commentId":"c0`+id+`"}`)
		}
		return `{"product":{"comments":{"nodes":[` + strings.Join(out, ",") + `]}}}`
	}
	for arguments, want := range map[string]string{
		`orderBy:{field:ATTRIBUTE,attribute:"fit",direction:DESC}`:                                                             "11 07 03 10 06 02 09 05 01 08 04 00",
		`orderBy:{field:ATTRIBUTE,attribute:"fit",direction:ASC}`:                                                              "01 05 09 02 06 10 03 07 11 00 04 08",
		`orderBy:{field:ATTRIBUTE,attribute:"fit",direction:DESC},filter:{attributes:[{key:"fit",min:"0"}]}`:                   "11 07 03 10 06 02",
		`filter:{attributes:[{key:"fit",max:"0",min:""},{key:"size",equals:["M","S"]}]}`:                                       "10 09 06 05 02 01",
		`filter:{attributes:[{key:"size",equals:["S"]}]},orderBy:{field:ATTRIBUTE,attribute:"fit",direction:ASC,}`:             "02 06 10",
		`filter:{attributes:[{key:"size",equals:["S"]}]},orderBy:{field:CREATED_AT,direction:ASC,attribute:null}`:              "02 06 10",
		`filter:{attributes:[]},orderBy:{field:ATTRIBUTE,attribute:"note",direction:ASC},first:3`:                              "00 01 02",
		`orderBy:{field:ATTRIBUTE,attribute:"fit",direction:DESC},filter:{attributes:[{key:"fit",equals:["1.0"]}]},ratings:[]`: "11 07 03",
	} {
		s.Want(t, `{product(id:"42"){comments(`+arguments+`)`+ids+`}}`, nodes(want))
	}
	s.Want(t, `{product(id:"42"){comments(first:0 filter:{attributes:[{key:"size",equals:["S"]}]}){totalCount}}}`, `{"product":{"comments":{"totalCount":3}}}`)
	s.Want(t, `{product(id:"42"){comments(first:0 filter:{attributes:[{key:"fit",min:"0"}]}){totalCount}}}`, `{"product":{"comments":{"totalCount":6}}}`)
}

// With filters by attributes, counts are of the comments that match these: the facets of a click
// on a colour. Only where these are more than a page may read, counts are null, without an error,
// which would make clients ask again in vain.
func TestCountsUnderFiltersByAttributes(t *testing.T) {
	s := withAttributes(t)
	const small = `{key:"size",equals:["S"]}`
	const some, none = `[{"count":1},{"count":1},{"count":1},{"count":0},{"count":0}]`, `[{"count":0},{"count":0},{"count":0},{"count":0},{"count":0}]`
	for _, list := range []struct {
		arguments          string
		total              int
		ratings, languages string
	}{
		{`filter:{attributes:[{key:"fit",min:"0"},` + small + `]}`, 3, some, `[{"language":"en","count":3}]`},
		{`filter:{attributes:[` + small + `]},ratings:[1,2]`, 2, some, `[{"language":"en","count":2}]`},
		{`filter:{attributes:[` + small + `],verifiedOnly:true}`, 0, none, `[{"language":"en","count":0}]`},
		{`filter:{attributes:[` + small + `]},language:"de"`, 0, none, `[{"language":"en","count":3}]`},
		{`filter:{attributes:[` + small + `],languages:["en","de"]},orderBy:{field:HELPFUL,direction:ASC}`, 3, some, `[{"language":"en","count":3}]`},
		{`filter:{attributes:[` + small + `],createdAfter:"2099-01-01T00:00:00Z"}`, 0, none, `[]`},
		{`filter:{attributes:[{key:"note",equals:["none"]}]}`, 0, none, `[]`},
	} {
		of := `{product(id:"42"){comments(first:0,` + list.arguments + `){totalCount`
		total := fmt.Sprintf(`{"product":{"comments":{"totalCount":%d`, list.total)
		s.Want(t, of+`}}}`, total+`}}}`)
		s.Want(t, of+` facets{ratingCounts{count} languageCounts{language count}}}}}`,
			total+`,"facets":{"ratingCounts":`+list.ratings+`,"languageCounts":`+list.languages+`}}}}`)
	}
}

// A refusal of an order or a filter names the field.
func TestBadAttributeArguments(t *testing.T) {
	s := withAttributes(t)
	many := strings.Repeat(`"S",`, 21)
	for arguments, field := range map[string]string{
		`orderBy:{field:ATTRIBUTE,direction:DESC}`:                               "orderBy.attribute",
		`orderBy:{field:ATTRIBUTE,attribute:"",direction:DESC}`:                  "orderBy.attribute",
		`orderBy:{field:ATTRIBUTE,attribute:"none",direction:DESC}`:              "orderBy.attribute",
		`orderBy:{field:RATING,attribute:"fit",direction:DESC}`:                  "orderBy.attribute",
		`filter:{attributes:[{key:"fit",min:"1"},{key:"none",min:"1"}]}`:         "filter.attributes.1.key",
		`filter:{attributes:[{key:"fit",min:"1"},{key:"fit",max:"2"}]}`:          "filter.attributes.1.key",
		`filter:{attributes:[{key:"fit"}]}`:                                      "filter.attributes.0",
		`filter:{attributes:[{key:"fit",equals:[]}]}`:                            "filter.attributes.0",
		`filter:{attributes:[{key:"fit",min:"1",equals:["2"]}]}`:                 "filter.attributes.0.equals",
		`filter:{attributes:[{key:"fit",min:"much"}]}`:                           "filter.attributes.0.min",
		`filter:{attributes:[{key:"fit",min:"3",max:"2"}]}`:                      "filter.attributes.0.max",
		`filter:{attributes:[{key:"bought",max:"yesterday"}]}`:                   "filter.attributes.0.max",
		`filter:{attributes:[{key:"note",min:"a"}]}`:                             "filter.attributes.0.min",
		`filter:{attributes:[{key:"size",max:"M"}]}`:                             "filter.attributes.0.max",
		`filter:{attributes:[{key:"size",equals:["XL"]}]}`:                       "filter.attributes.0.equals",
		`filter:{attributes:[{key:"size",equals:[` + many + `]}]}`:               "filter.attributes.0.equals",
		`filter:{attributes:[` + strings.Repeat(`{key:"a",min:"1"},`, 11) + `]}`: "filter.attributes",
	} {
		s.WantError(t, `{product(id:"42"){comments(`+arguments+`){nodes{id}}}}`, "BAD_USER_INPUT", field)
	}
	_, cursors := s.page(t, `orderBy:{field:ATTRIBUTE,attribute:"fit",direction:DESC},first:1`)
	for _, other := range []string{
		`orderBy:{field:ATTRIBUTE,attribute:"bought",direction:DESC}`, `orderBy:{field:ATTRIBUTE,attribute:"fit",direction:ASC}`,
		`orderBy:{field:ATTRIBUTE,attribute:"fit",direction:DESC},filter:{attributes:[{key:"fit",min:"0"}]}`,
	} {
		s.WantError(t, fmt.Sprintf(`{product(id:"42"){comments(%s,after:%q){nodes{id}}}}`, other, cursors[0]), "BAD_USER_INPUT", "after")
	}
}

// Entries of a column do not carry what every edit changes. Who asks for it gets it by
// one batch read, others make none; and the version is that of all that is shown of a
// comment, also while the column is behind.
func TestVersionsInTheOrderOfAColumn(t *testing.T) {
	s := withAttributes(t)
	const list = `{product(id:"42"){comments(orderBy:{field:ATTRIBUTE,attribute:"fit",direction:DESC},first:2){nodes{%s}}}}`
	nodes := func(a, b string) string {
		return `{"product":{"comments":{"nodes":[{` + a + `},{` + b + `}]}}}`
	}
	elsewhere := store.New(storetest.Client(t), s.Store.Table(), store.Options{}) // what this server writes is shown at once
	change := func(title string) {
		t.Helper()
		testkit.Value(elsewhere.Update(t.Context(), store.Change{ID: "c011", Title: &title}))(t)
	}
	change("projected")
	s.Project(t)
	change("ahead")
	s.Post(t, fmt.Sprintf(list, "rating"), nil) // what planning reads is remembered then
	s.Batches.Take()
	s.Want(t, fmt.Sprintf(list, "commentId title rating createdAt"), nodes(`"commentId":"c011","title":"projected","rating":2,"createdAt":"2026-01-01T00:11:00Z"`, `"commentId":"c007","title":null,"rating":3,"createdAt":"2026-01-01T00:07:00Z"`))
	if b := s.Batches.Take(); len(b) != 0 {
		t.Errorf("a page that asks for no version reads %v comments", b)
	}
	b := s.Batches.Fewest(func() {
		s.Want(t, fmt.Sprintf(list, "commentId title version"), nodes(`"commentId":"c011","title":"ahead","version":3`, `"commentId":"c007","title":null,"version":1`))
	})
	testkit.Check(t, slices.Equal(b, []int{2}), "a page that asks for versions reads %v comments", b)
	updated := s.Post(t, fmt.Sprintf(list, "commentId updatedAt createdAt attributes{value}"), nil)
	for i, edited := range []bool{true, false} {
		node := updated.At(t, "product", "comments", "nodes", i).(map[string]any)
		testkit.Equal(t, (node["updatedAt"] != node["createdAt"]), edited, "%v was edited", node)
	}
	testkit.Value(elsewhere.Delete(t.Context(), "c011", nil))(t)
	s.Want(t, fmt.Sprintf(list, "commentId title version"), nodes(`"commentId":"c011","title":"projected","version":1`, `"commentId":"c007","title":null,"version":1`)) // until the column follows
}

// A cursor of a list whose choices have another order by now would go on at another
// choice: it is refused.
func TestCursorsOfAnOrderThatIsDefinedAgain(t *testing.T) {
	s := withAttributes(t)
	const order = `orderBy:{field:ATTRIBUTE,attribute:"size",direction:ASC},first:1`
	_, cursors := s.page(t, order)
	next := fmt.Sprintf(`{product(id:"42"){comments(%s,after:%q){nodes{commentId}}}}`, order, cursors[0])
	s.Want(t, next, `{"product":{"comments":{"nodes":[{"commentId":"c006"}]}}}`)
	s.define(t, `productId:"42",definitions:[{key:"size",type:CHOICE,labels:[{language:"en",label:"Size"}],choices:[{value:"S"},{value:"M"}]}],force:true`)
	s.Want(t, next, `{"product":{"comments":{"nodes":[{"commentId":"c006"}]}}}`) // it sorts as before
	s.define(t, `productId:"42",definitions:[{key:"size",type:CHOICE,choices:[{value:"M"},{value:"S"}]}],force:true`)
	s.WantError(t, next, "BAD_USER_INPUT", "after")
}

// What a mutation returns of a comment, and what is asked for right after it, has the
// vote, the value and the comment's new place, before the projector has followed.
func TestMutationsAreOrdered(t *testing.T) {
	s := withAttributes(t)
	mia := s.As(apitest.Mia)
	mia.Want(t, `mutation{voteHelpful(input:{id:"c004",vote:HELPFUL}){comment{helpfulCount unhelpfulCount viewerVote}}}`, `{"voteHelpful":{"comment":{"helpfulCount":1,"unhelpfulCount":0,"viewerVote":"HELPFUL"}}}`)
	mia.Want(t, `{product(id:"42"){comments(orderBy:{field:HELPFUL,direction:DESC},first:2){nodes{commentId helpfulCount viewerVote}}}}`,
		`{"product":{"comments":{"nodes":[{"commentId":"c004","helpfulCount":1,"viewerVote":"HELPFUL"},{"commentId":"c011","helpfulCount":0,"viewerVote":null}]}}}`)
	const fit = `{product(id:"42"){attributeStats(key:"fit"){count maximum}comments(orderBy:{field:ATTRIBUTE,attribute:"fit",direction:DESC},first:2){nodes{commentId}}}}`
	mia.Want(t, `mutation{updateComment(input:{id:"c004",attributes:[{key:"fit",value:"7"}]}){comment{attributes{value}}}}`, `{"updateComment":{"comment":{"attributes":[{"value":"7"}]}}}`)
	s.Want(t, fit, `{"product":{"attributeStats":{"count":10,"maximum":7},"comments":{"nodes":[{"commentId":"c004"},{"commentId":"c011"}]}}}`)
	mia.Want(t, `mutation{voteHelpful(input:{id:"c004",vote:null}){comment{helpfulCount viewerVote}}}`, `{"voteHelpful":{"comment":{"helpfulCount":0,"viewerVote":null}}}`)
	mia.Want(t, `{product(id:"42"){comments(orderBy:{field:HELPFUL,direction:DESC},first:1){nodes{commentId}}}}`, `{"product":{"comments":{"nodes":[{"commentId":"c011"}]}}}`)
}
