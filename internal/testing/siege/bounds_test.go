//go:build linux

package siege

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"product-comments/graph/globalid"
	"product-comments/internal/testing/testkit"
)

// Answers are bounded while they are made, and all of them together: long texts
// under many aliases.
func TestAnswersAreBounded(t *testing.T) {
	costly(t, "the processor time and memory of costly requests")
	s := attacked(t)
	id := globalid.Of(globalid.Comment, "long-0-0")
	texts := query(`{product(id:"long-0"){comments(first:100){nodes{` + repeated("text", 48) + `}}}}`)
	edges := query(`{product(id:"long-0"){comments(first:100){edges{node{` + repeated("text", 40) + `}}}}}`)
	nodes := query(`{nodes(ids:["` + strings.Repeat(id+`","`, 99) + id + `"]){...on Comment{` + repeated("text", 40) + `}}}`)
	aliased := func(aliases, comments int) request {
		return query(fmt.Sprintf(`{product(id:"long-0"){comments(first:%d){nodes{%s}}}}`, comments, repeated("text", aliases)))
	}
	page := aliased(1, longComments)
	withstands(t, s,
		attack{"a page of the longest texts", page, nil},
		attack{"as much text as the cost allows", aliased(9, longComments), nil},
		attack{"a few comments under many aliases", aliased(90, 9), nil},
		attack{"text under 48 aliases of 100 comments", texts, nil},
		attack{"the same of edges", edges, nil},
		attack{"one comment 100 times", nodes, nil},
		attack{"many products", query(`{` + repeated(`product(id:"long-1"){comments(first:100){nodes{text}}}`, 40) + `}`), nil},
	)
	if t.Failed() {
		return
	}
	s.forgetPeak(t)
	answers := s.crowd(50, 1, 20e9, func(client, _ int) request { return []request{page, aliased(9, 90+client%10)}[client%2] })
	for _, a := range answers {
		testkit.Check(t, a.status == 200 || a.status == 503, "%d %.200s", a.status, a.start)
	}
	t.Logf("50 at once: %d answers, %d MB", len(answers), s.peak(t)>>20)
	s.bounded(t, "for 50 at once")
}

// Introspection costs what it answers, and errors are counted.
func TestIntrospectionAndErrorsAreBounded(t *testing.T) {
	costly(t, "the processor time and memory of costly requests")
	s := attacked(t)
	ofType := func(n int, inner string) string { return strings.Repeat("ofType{", n) + inner + strings.Repeat("}", n) }
	nested := `{__schema{types{fields{type{` + ofType(1, `fields{`+repeated("description", 300)+`}`) + `}}}}}`
	wide := `{__schema{types{fields{` + repeated("type{...T}", 40) + `}}}} fragment T on __Type{` + repeated("ofType{name description}", 25) + `}`
	errors := func(most int) func(answer) error {
		return func(a answer) error {
			if len(a.errors) == 0 || len(a.errors) > most {
				return fmt.Errorf("%d errors in %d bytes, the most is %d", len(a.errors), a.bytes, most)
			}
			return nil
		}
	}
	smaller := func(most int) func(answer) error {
		return func(a answer) error {
			if a.bytes > most {
				return fmt.Errorf("%d bytes, the most is %d", a.bytes, most)
			}
			return nil
		}
	}
	withstands(t, s,
		attack{"nested ofType", query(nested), smaller(4 << 20)},
		attack{"wide introspection", query(wide), smaller(4 << 20)},
		attack{"circular introspection", query(`{__schema{types{fields{type{fields{type{fields{type{fields{name}}}}}}}}}}`), refusedWith("GRAPHQL_VALIDATION_FAILED", "BAD_USER_INPUT", "FORBIDDEN")},
		attack{"unknown directives", query("{__typename " + strings.Repeat("@a", 2480) + "}"), errors(50)},
		attack{"unknown fields", query("{" + repeated("x", 1500) + "}"), errors(50)},
		attack{"unknown fragments", query("{" + strings.Repeat("...a ", 2000) + "}"), errors(50)},
		attack{"long names", query("{" + strings.Repeat("x", 100_000) + "}"), smaller(10_000)},
	)
}

// repeated is a list of aliased fields.
func repeated(field string, n int) string { return testkit.Each(n, "a%d:"+field) }

// Lists are bounded before anything is done with them, wherever they stand.
func TestListsAreBounded(t *testing.T) {
	costly(t, "the processor time and memory of costly requests")
	s := attacked(t)
	variable := func(document string, n int) request {
		return raw("application/json", fmt.Appendf(nil, `{"query":%q,"variables":{"r":[5%s]}}`, document, strings.Repeat(",5", n-1)))
	}
	refused := refusedWith("BAD_USER_INPUT", "GRAPHQL_VALIDATION_FAILED")
	field := repeated("comments(ratings:$r,first:1){pageInfo{hasNextPage}}", 200)
	skipped := repeated("comments(ratings:$r,first:1)@skip(if:true){pageInfo{hasNextPage}}", 200)
	withstands(t, s,
		attack{"ratings in a variable", variable(`query($r:[Int!]){product(id:1){`+field+`}}`, 250_000), refused},
		attack{"of fields that are skipped", variable(`query($r:[Int!]){product(id:1){`+skipped+`}}`, 250_000), refused},
		attack{"of nothing", variable(`query($r:[Int!]){product(id:1){id}}`, 250_000), nil},
		attack{"many variables", many(100, 1000), nil},
		attack{"one list in many fields", variable(`query($r:[Int!]){product(id:1){`+repeated("comments(ratings:$r,first:1){__typename}", 99)+`}}`, 1000), nil},
		attack{"ids in a variable", variable(`query($r:[ID!]!){`+repeated("nodes(ids:$r){id}", 100)+`}`, 100_000), refused},
		attack{"lists in lists", raw("application/json", []byte(`{"query":"{__typename}","variables":{"r":`+strings.Repeat("[", 200_000)+`}}`)), nil},
		attack{"nested and closed", raw("application/json", []byte(`{"query":"{__typename}","variables":{"r":`+strings.Repeat("[", 9_000)+strings.Repeat("]", 9_000)+`}}`)), nil},
		attack{"members without end", raw("application/json", []byte(`{"query":"{__typename}","variables":{`+strings.Repeat(`"a":1,`, 80_000)+`"a":1}}`)), nil},
		attack{"extensions without end", raw("application/json", []byte(`{"query":"{__typename}","extensions":{"a":[`+strings.Repeat(`{},`, 150_000)+`1]}}`)), nil},
	)
}

// many is a request with so many variables, each a list of so many values.
func many(variables, values int) request {
	var declared, fields strings.Builder
	given := map[string]any{}
	for i := range variables {
		fmt.Fprintf(&declared, "$v%d:[Int!] ", i)
		fmt.Fprintf(&fields, "a%d:comments(ratings:$v%d,first:1){__typename}", i, i)
		given[fmt.Sprintf("v%d", i)] = make([]int, values)
	}
	return post("query("+declared.String()+"){product(id:1){"+fields.String()+"}}", given)
}

// define gives product choices as many attributes as it may have, each with as many
// choices.
func (s *server) define(t *testing.T) {
	t.Helper()
	choices := strings.Repeat(`,{"value":"%d"}`, 200)[1:]
	numbers := make([]any, 200)
	for i := range numbers {
		numbers[i] = i
	}
	choices = fmt.Sprintf(choices, numbers...)
	definitions := make([]string, 400)
	for i := range definitions {
		definitions[i] = fmt.Sprintf(`{"key":"a%d","type":"CHOICE","choices":[%s]}`, i, choices)
	}
	file := filepath.Join(t.TempDir(), "definitions")
	line := `{"productId":"choices","definitions":[` + strings.Join(definitions, ",") + `]}`
	testkit.Must(t, os.WriteFile(file, []byte(line), 0o600))
	testkit.Value(s.command(nil, "import", "--definitions="+file))(t)
	until(t, "the attributes are defined", func() bool {
		a, err := s.send(query(`{product(id:"choices"){attributes{key}}}`), 5*time.Second)
		return err == nil && strings.Contains(string(a.start), `"key"`)
	})
}

// Lists that no argument bounds are charged for as they are: a product of many
// languages a hundred times, many attributes of many choices, and an error in each.
func TestLongListsAreBounded(t *testing.T) {
	costly(t, "the processor time and memory of costly requests")
	s := attacked(t)
	s.define(t)
	evil := func(products int, selected string) request {
		return query(`{products(ids:["evil"` + strings.Repeat(`,"evil"`, products-1) + `]){` + selected + `}}`)
	}
	refused := refusedWith("BAD_USER_INPUT")
	attacks := []attack{
		{"ratings of languages under many names", evil(100, `stats{languageCounts{ratingCounts{`+repeated("count", 90)+`}}}`), refused},
		{"ratings of languages", evil(100, `stats{languageCounts{ratingCounts{count}}}`), refused},
		{"as many as are answered", evil(15, `stats{languageCounts{ratingCounts{count}}}`), nil},
		{"facets", evil(100, `comments(first:0){facets{languageCounts{ratingCounts{count}}}}`), refused},
		{"names of types", evil(100, `stats{languageCounts{`+repeated("__typename", 7)+`}}`), refused},
		{"choices", query(`{product(id:"choices"){attributes{` + repeated("choices{value}", 7) + `}}}`), refused},
		{"an error in each", query(`{product(id:"choices"){attributes{` + repeated(`choices{label(language:"!")}`, 7) + `}}}`), refused},
	}
	for _, a := range attacks {
		s.withstandsOne(t, a)
	}
	if t.Failed() { // each is as costly again
		return
	}
	s.forgetPeak(t)
	var answers []answer
	told := newNeighbour(s).during(func() {
		answers = s.crowd(8, 5, 20*time.Second, func(client, _ int) request { return attacks[client%len(attacks)].request })
	})
	t.Logf("eight at once: %d answers, the longest after %v; %d MB; a visitor waited %v, at the most %v", len(answers),
		slices.MaxFunc(answers, func(a, b answer) int { return int(a.took - b.took) }).took.Round(time.Millisecond), s.peak(t)>>20,
		told.median().Round(time.Millisecond), told.at(1).Round(time.Millisecond))
	testkit.Check(t, len(answers) == 8*5, "%d requests of %d were answered", len(answers), 8*5)
	s.bounded(t, "for eight at once")
	if told.failed != nil || told.at(1) > 2*time.Second {
		t.Errorf("a visitor waited %v: %v", told.at(1), told.failed)
	}
}

var costOf = regexp.MustCompile(`"cost":\{"complexity":(\d+),"readUnits":([\d.]+)`)

// cost returns what an answer says of its cost.
func (a answer) cost() (complexity int, readUnits float64, found bool) {
	m := costOf.FindSubmatch(a.last)
	if m == nil {
		return 0, 0, false
	}
	complexity, _ = strconv.Atoi(string(m[1]))
	readUnits, _ = strconv.ParseFloat(string(m[2]), 64)
	return complexity, readUnits, true
}

// maxReadUnits is what one request may read: --max-read-units, and what a read that
// was begun below it may add.
const maxReadUnits = 2500 + 60

// Pages are priced by what is read, and what one request reads has a limit that is
// charged while it reads.
func TestReadingHasABudget(t *testing.T) {
	costly(t, "the processor time and memory of costly requests")
	s := attacked(t)
	texts := `{products(ids:["long-0"` + strings.Repeat(`,"long-1"`, 20) + `]){comments(first:100){nodes{text}}}}`
	apart := func(n int) string { // each reads on its own
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `a%d:product(id:"long-%d"){comments(first:%d){nodes{text}}}`, i, i%longProducts, 99-i/longProducts)
		}
		return "{" + b.String() + "}"
	}
	bounded := func(a answer) error {
		if _, units, found := a.cost(); found && units > maxReadUnits {
			return fmt.Errorf("it read %v units, the most is %v", units, maxReadUnits)
		}
		return nil
	}
	priced := func(a answer) error {
		if cost, units, found := a.cost(); !found || float64(cost) < units {
			return fmt.Errorf("it cost %d and read %v units", cost, units)
		}
		return nil
	}
	withstands(t, s,
		attack{"a page of nothing but names", query(`{product(id:"wide"){comments(first:100){__typename}}}`), priced},
		attack{"21 products with 100 texts each", query(texts), bounded},
		attack{"the same apart", query(apart(21)), bounded},
		attack{"many pages", query("{product(id:42){" + repeated("comments(first:1,ratings:[1,3,5]){pageInfo{hasNextPage}}", 200) + "}}"), bounded},
	)
}

// A client that asks for much is asked to wait, and others are not: what it spends is
// counted by what is read for it, not by requests.
func TestOneClientIsAskedToWait(t *testing.T) {
	costly(t, "the processor time and memory of costly requests")
	s := attacked(t)
	dear := query(`{product(id:"wide"){comments(first:100){nodes{text}}}}`).with("X-Forwarded-For", "203.0.113.7")
	var last answer
	for range 200 {
		a := testkit.Value(s.send(dear, 5*time.Second))(t)
		if last = a; a.status == 429 {
			break
		}
	}
	testkit.Check(t, last.status == 429 && last.code() == "RATE_LIMITED" && last.header.Get("Retry-After") != "", "after 200 dear requests: %d %v %.300s", last.status, last.header, last.start)
	s.visited(t, func() { time.Sleep(300 * time.Millisecond) })
}
