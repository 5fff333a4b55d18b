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
	"product-comments/store/storetest"
)

// define changes definitions as a moderator does.
func (s *service) define(t *testing.T, input string) {
	t.Helper()
	a := s.As(apitest.Mia).Post(t, `mutation{defineAttributes(input:{`+input+`}){definitions{key}}}`, nil)
	testkit.Need(t, len(a.Errors) == 0, "%v", a.Errors)
}

// What comments say of attributes is shown in lists and alone, whatever lists carry.
func TestAttributesOfComments(t *testing.T) {
	s := serve(t)
	mia := s.As(apitest.Mia)
	mia.Want(t, `mutation{defineAttributes(input:{group:"shoes",definitions:[
		{key:"size",type:CHOICE,choices:[{value:"S"},{value:"M",labels:[{language:"de",label:"mittel"}]}],labels:[{language:"en",label:"Size"},{language:"de",label:"Größe"}]}
		{key:"use",type:TEXT,locale:"iw"}]}){definitions{key group locale} unconverted{key count}}}`,
		`{"defineAttributes":{"definitions":[{"key":"size","group":"shoes","locale":null},{"key":"use","group":"shoes","locale":"he"}],"unconverted":[]}}`)
	mia.Want(t, `mutation{defineAttributes(input:{productId:"42",definitions:[
		{key:"fit",type:NUMBER,shown:true,position:-1,unit:"cm",scale:{minimum:-2,maximum:2.5}},{key:"worn",type:DATE,position:8,unit:"",scale:null},{key:"again",type:BOOLEAN,position:9}]}){definitions{key unit scale{minimum maximum}}}}`,
		`{"defineAttributes":{"definitions":[{"key":"fit","unit":"cm","scale":{"minimum":-2,"maximum":2.5}},{"key":"worn","unit":null,"scale":null},{"key":"again","unit":null,"scale":null}]}}`)
	mia.Want(t, `mutation{assignGroup(input:{id:"42",group:"shoes"}){product{attributes{key position shown type group}}}}`,
		`{"assignGroup":{"product":{"attributes":[{"key":"fit","position":-1,"shown":true,"type":"NUMBER","group":null},{"key":"size","position":0,"shown":false,"type":"CHOICE","group":"shoes"},`+
			`{"key":"use","position":1,"shown":false,"type":"TEXT","group":"shoes"},{"key":"worn","position":8,"shown":false,"type":"DATE","group":null},{"key":"again","position":9,"shown":false,"type":"BOOLEAN","group":null}]}}}`)
	s.Want(t, `{product(id:"42"){attributes{label de:label(language:"de-AT") labels{language} choices{value label(language:"de") labels{label}}}}}`,
		`{"product":{"attributes":[{"label":"fit","de":"fit","labels":[],"choices":[]},`+
			`{"label":"Size","de":"Größe","labels":[{"language":"en"},{"language":"de"}],"choices":[{"value":"S","label":"S","labels":[]},{"value":"M","label":"mittel","labels":[{"label":"mittel"}]}]},`+
			`{"label":"use","de":"use","labels":[],"choices":[]},{"label":"worn","de":"worn","labels":[],"choices":[]},{"label":"again","de":"again","labels":[],"choices":[]}]}}`)
	if a := s.Post(t, `{product(id:"42"){attributes{label(language:"?")}}}`, nil); len(a.Errors) != 5 || a.Errors[0].Extensions["field"] != "language" {
		t.Errorf("a label in no language: %+v", a.Errors)
	}

	const fields = `attributes{definition{key label(language:"de")} value number date day boolean choice{value label}}`
	alice := s.As(apitest.Alice)
	a := alice.Post(t, `mutation{createComment(input:{productId:"42",rating:5,language:"en",attributes:[
		{key:"size",value:"M"},{key:"fit",value:"4.50"},{key:"worn",value:"2026-03-09"},{key:"again",value:"true"},{key:"use",value:null}]}){comment{commentId `+fields+`}}}`, nil)
	want := `[{"definition":{"key":"fit","label":"fit"},"value":"4.5","number":4.5,"date":null,"day":null,"boolean":null,"choice":null},` +
		`{"definition":{"key":"size","label":"Größe"},"value":"M","number":null,"date":null,"day":null,"boolean":null,"choice":{"value":"M","label":"mittel"}},` +
		`{"definition":{"key":"worn","label":"worn"},"value":"2026-03-09","number":null,"date":null,"day":"2026-03-09","boolean":null,"choice":null},` +
		`{"definition":{"key":"again","label":"again"},"value":"true","number":null,"date":null,"day":null,"boolean":true,"choice":null}]`
	id := a.At(t, "createComment", "comment", "commentId")
	testkit.Check(t, strings.Contains(string(a.Data), want), "it was created as %s", a.Data)
	s.Want(t, fmt.Sprintf(`{comment(id:%q){%s}}`, id, fields), `{"comment":{"attributes":`+want+`}}`)
	s.Want(t, `{product(id:"42"){comments{nodes{`+fields+`}}}}`, `{"product":{"comments":{"nodes":[{"attributes":`+want+`}]}}}`)
	alice.Want(t, fmt.Sprintf(`mutation{updateComment(input:{id:%q,attributes:[{key:"size"},{key:"worn",value:""},{key:"fit",value:"-1e3"}]}){comment{attributes{value}}}}`, id),
		`{"updateComment":{"comment":{"attributes":[{"value":"-1000"},{"value":"true"}]}}}`)
	s.Want(t, `{product(id:"43"){attributes{key} comments{nodes{`+fields+`}}}}`, `{"product":{"attributes":[],"comments":{"nodes":[]}}}`)
}

// A list of a product whose lists carry all attributes reads nothing else for them,
// once its comments were brought along; before that it is whole, too.
func TestShownAttributesCostNothing(t *testing.T) {
	s := serve(t)
	comments := apitest.Comments(5)
	for i := range comments {
		comments[i].Attributes = json.RawMessage(fmt.Sprintf(`{"fit":%d}`, i))
	}
	s.Fill(t, comments...) // before there are definitions
	const list, bare = `{product(id:%q){comments{nodes{attributes{number}}}}}`, `{product(id:%q){comments{nodes{rating}}}}`
	const want = `{"product":{"comments":{"nodes":[{"attributes":[{"number":4}]},{"attributes":[{"number":3}]},{"attributes":[{"number":2}]},{"attributes":[{"number":1}]},{"attributes":[{"number":0}]}]}}}`
	for _, product := range []string{"42", "43"} {
		s.define(t, `productId:"`+product+`",definitions:[{key:"fit",type:NUMBER,shown:true}]`)
		if product == "43" { // it has no comments yet
			testkit.Must(t, s.Store.AttributeIndex().Backfill().Finish(t.Context(), product, true, nil))
			for i := range comments {
				comments[i].ProductID, comments[i].ID = product, comments[i].ID+"-43"
			}
			s.Fill(t, comments...)
		}
		for range 2 { // the first one learns
			s.Post(t, fmt.Sprintf(bare, product), nil)
			s.Want(t, fmt.Sprintf(list, product), want)
		}
		more := s.Post(t, fmt.Sprintf(list, product), nil).Extensions.Cost.ReadUnits - s.Post(t, fmt.Sprintf(bare, product), nil).Extensions.Cost.ReadUnits
		whole := product == "42"
		testkit.Check(t, (more >= 5) == whole && (whole || more == 0), "the attributes of product %s cost %g read units", product, more)
	}
}

// A change that takes values from comments says so, and makes it when it is asked to.
func TestDefinitionsAreChangedKnowingly(t *testing.T) {
	s := serve(t)
	mia := s.As(apitest.Mia)
	s.define(t, `productId:"42",definitions:[{key:"size",type:TEXT}]`)
	for _, size := range []string{"S", "10", "M"} {
		mia.Post(t, `mutation{createComment(input:{productId:"42",rating:5,language:"en",attributes:[{key:"size",value:"`+size+`"}]}){comment{id}}}`, nil)
	}
	const change = `mutation{defineAttributes(input:{productId:"42",definitions:[{key:"size",type:NUMBER}],force:%t}){definitions{type} unconverted{key count}}}`
	if a := mia.WantError(t, fmt.Sprintf(change, false), "CONFLICT", ""); !strings.Contains(a.Errors[0].Message, `"size"`) {
		t.Errorf("it says %s", a.Errors[0].Message)
	}
	mia.Want(t, fmt.Sprintf(change, true), `{"defineAttributes":{"definitions":[{"type":"NUMBER"}],"unconverted":[{"key":"size","count":null}]}}`)
	mia.Want(t, `{product(id:"42"){comments{nodes{attributes{number}}}}}`, `{"product":{"comments":{"nodes":[{"attributes":[]},{"attributes":[{"number":10}]},{"attributes":[]}]}}}`)
	s.define(t, `group:"shoes",definitions:[{key:"fit",type:TEXT}]`)
	assign := func(group, force string) string {
		return `mutation{assignGroup(input:{id:"43",group:` + group + force + `}){product{attributes{key}}}}`
	}
	mia.Want(t, assign(`"shoes"`, ""), `{"assignGroup":{"product":{"attributes":[{"key":"fit"}]}}}`)
	mia.Post(t, `mutation{createComment(input:{productId:"43",rating:5,language:"en",attributes:[{key:"fit",value:"wide"}]}){comment{id}}}`, nil)
	if a := mia.WantError(t, assign("null", ""), "CONFLICT", ""); !strings.Contains(a.Errors[0].Message, `"fit"`) {
		t.Errorf("it says %s", a.Errors[0].Message)
	}
	mia.Want(t, assign("null", ",force:true"), `{"assignGroup":{"product":{"attributes":[]}}}`)
	mia.WantError(t, `mutation{defineAttributes(input:{definitions:[]}){definitions{key}}}`, "BAD_USER_INPUT", "productId")
	mia.WantError(t, `mutation{defineAttributes(input:{productId:"42",group:"g",definitions:[]}){definitions{key}}}`, "BAD_USER_INPUT", "group")
	mia.WantError(t, `mutation{defineAttributes(input:{productId:"42",definitions:[{key:"",type:TEXT}]}){definitions{key}}}`, "BAD_USER_INPUT", "definitions.0.key")
}

// What a comment has that would be refused now can be read, and stays when another value
// is changed; a comment whose attributes cannot be read is not written.
func TestDamagedAttributesStay(t *testing.T) {
	s := serve(t)
	s.define(t, `productId:"42",definitions:[{key:"fit",type:NUMBER},{key:"note",type:TEXT},{key:"size",type:TEXT}]`)
	comments := apitest.Comments(2)
	comments[0].Attributes = json.RawMessage(`{"note":"nice \ud83d","fit":4,"size":"M"}`)
	comments[1].Attributes = json.RawMessage(`{"fit":4,"size":"M`)
	s.Fill(t, comments...)
	s.Want(t, `{comment(id:"c000"){attributes{value}}}`, `{"comment":{"attributes":[{"value":"4"},{"value":"nice �"},{"value":"M"}]}}`)
	const change = `mutation{updateComment(input:{id:%q,attributes:[{key:"fit",value:"3"}]}){comment{attributes{value}}}}`
	mia := s.As(apitest.Mia)
	mia.Want(t, fmt.Sprintf(change, "c000"), `{"updateComment":{"comment":{"attributes":[{"value":"3"},{"value":"nice �"},{"value":"M"}]}}}`)
	a := mia.Post(t, fmt.Sprintf(change, "c001"), nil)
	testkit.Check(t, len(a.Errors) == 1, "what cannot be read was written: %s", a.Data)
	for id, want := range map[string]string{"c000": `{"note":"nice \ud83d","fit":3,"size":"M"}`, "c001": `{"fit":4,"size":"M`} {
		c, err := s.Store.Get(t.Context(), id)
		testkit.Check(t, err == nil && string(c.Attributes) == want, "%s has %s, %v, want %s", id, c.Attributes, err, want)
	}
}

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

// Of a request that writes several comments, each answer has the statistics after that write.
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
	testkit.Must(t, operator.AttributeIndex().Backfill().Finish(t.Context(), "42", true, nil))
	s.Batches.Take()
	s.Want(t, query, `{"product":{"attributeStats":{"count":40,"minimum":0,"maximum":39}}}`)
	testkit.Check(t, !slices.Contains(s.Batches.Take(), 40), "it reads the comments")
}
