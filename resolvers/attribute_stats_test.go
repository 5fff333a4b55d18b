package resolvers_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"product-comments/internal/apitest"
	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/storetest"
)

// Statistics of attributes of each type, of all comments and of those in a language.
func TestAttributeStats(t *testing.T) {
	s := serve(t)
	s.define(t, `productId:"42",definitions:[{key:"fit",type:NUMBER},{key:"again",type:BOOLEAN},{key:"note",type:TEXT},
		{key:"size",type:CHOICE,choices:[{value:"S"},{value:"M",labels:[{language:"de",label:"mittel"}]},{value:"L"}]}]`)
	comments := apitest.Comments(5)
	for i, given := range []string{`{"fit":4.5,"size":"M","again":true}`, `{"fit":0.1,"size":"M"}`, `{"fit":0.2,"size":"S","note":"x"}`, `{"fit":4.5,"again":false,"other":1}`, ``} {
		comments[i].Attributes, comments[i].Language = json.RawMessage(given), []string{"en", "de"}[i%2]
	}
	s.Fill(t, comments...)
	const fields = `{count average minimum maximum histogram{from to count}choices{choice{value label(language:"de")}count}}`
	ask := func(key, language, want string) {
		t.Helper()
		s.Want(t, fmt.Sprintf(`{product(id:"42"){attributeStats(key:%q,language:%q)%s}}`, key, language, fields), `{"product":{"attributeStats":`+want+`}}`)
	}
	const none = `{"count":0,"average":null,"minimum":null,"maximum":null,"histogram":[],"choices":[]}`
	s.WantError(t, `{product(id:"42"){attributeStats(key:"fit"){count}}}`, "UNAVAILABLE", "")
	s.Project(t)
	ask("fit", "", `{"count":4,"average":2.325,"minimum":0.1,"maximum":4.5,"histogram":[{"from":0.1,"to":0.1,"count":1},{"from":0.2,"to":0.2,"count":1},{"from":4.5,"to":4.5,"count":2}],"choices":[]}`)
	ask("fit", "de", `{"count":2,"average":2.3,"minimum":0.1,"maximum":4.5,"histogram":[{"from":0.1,"to":0.1,"count":1},{"from":4.5,"to":4.5,"count":1}],"choices":[]}`)
	ask("fit", "fr", none)
	ask("size", "", `{"count":3,"average":null,"minimum":null,"maximum":null,"histogram":[],"choices":[{"choice":{"value":"S","label":"S"},"count":1},{"choice":{"value":"M","label":"mittel"},"count":2},{"choice":{"value":"L","label":"L"},"count":0}]}`)
	ask("again", "", `{"count":2,"average":null,"minimum":null,"maximum":null,"histogram":[],"choices":[{"choice":{"value":"true","label":"true"},"count":1},{"choice":{"value":"false","label":"false"},"count":1}]}`)
	ask("note", "en", `{"count":1,"average":null,"minimum":null,"maximum":null,"histogram":[],"choices":[]}`)
	s.Want(t, `{product(id:"42"){attributeStats(key:"other"){count}}}`, `{"product":{"attributeStats":null}}`)
	s.Want(t, `{product(id:"43"){attributeStats(key:"fit"){count}}}`, `{"product":{"attributeStats":null}}`)
	s.WantError(t, `{product(id:"42"){attributeStats(key:"fit",language:"?"){count}}}`, "BAD_USER_INPUT", "language")

	// All attributes of several products are one batch, of as many items as there are parts.
	got := s.Batches.Fewest(func() {
		s.Post(t, `{products(ids:["42","43"]){a:attributeStats(key:"fit"){count}b:attributeStats(key:"fit"){average}c:attributeStats(key:"size"){count}d:attributeStats(key:"again"){count}e:attributeStats(key:"note"){count}}}`, nil)
	})
	testkit.Check(t, len(got) == 1 && got[0] <= 4, "batches of %v", got)
}

// A request that writes several comments is told by each of them what there is by then.
func TestAttributeStatsAfterEachMutation(t *testing.T) {
	s := serve(t)
	s.define(t, `productId:"42",definitions:[{key:"fit",type:NUMBER}]`)
	s.Project(t)
	const create = `createComment(input:{productId:"42",rating:5,language:"en",attributes:[{key:"fit",value:"4"}]}){comment{product{attributeStats(key:"fit"){count}}}}`
	const said = `{"comment":{"product":{"attributeStats":{"count":%d}}}}`
	s.Want(t, `mutation{a:`+create+`b:`+create+`}`, fmt.Sprintf(`{"a":`+said+`,"b":`+said+`}`, 1, 2))
}

// With more numbers than are counted one by one the extremes come from the attribute's
// order; while that is not complete they are null, and the rest is there.
func TestExtremesOfManyNumbers(t *testing.T) {
	s := serve(t)
	comments := apitest.Comments(40)
	for i := range comments {
		comments[i].Attributes = json.RawMessage(fmt.Sprintf(`{"fit":%d}`, i))
	}
	s.define(t, `productId:"42",definitions:[{key:"fit",type:NUMBER}]`)
	s.Fill(t, comments...)
	s.Project(t)
	const query = `{product(id:"42"){attributeStats(key:"fit"){count minimum maximum}}}`
	a := s.Post(t, query, nil)
	if string(a.Data) != `{"product":{"attributeStats":{"count":40,"minimum":null,"maximum":null}}}` || len(a.Errors) != 2 || a.Errors[0].Extensions["code"] != "UNAVAILABLE" {
		t.Errorf("%s %+v", a.Data, a.Errors)
	}
	operator := store.New(storetest.Client(t), s.Store.Table(), store.Options{})
	testkit.Must(t, operator.Columns().Fill(t.Context(), "42"))
	s.Batches.Take()
	s.Want(t, query, `{"product":{"attributeStats":{"count":40,"minimum":0,"maximum":39}}}`)
	testkit.Check(t, !slices.Contains(s.Batches.Take(), 40), "it reads the comments")
}
