package httpapi_test

import (
	"strconv"
	"testing"

	"product-comments/internal/testing/testkit"
	"product-comments/internal/testing/testkit/manual"
)

// limit is what a request may have of something.
type limit struct {
	most    float64
	counted string
	flag    string // which changes it; "" is none
}

// limits are the limits of a request by their reasons.
var limits = []struct {
	reason string
	limit
}{
	{"body", limit{512 << 10, "bytes of the body (status 413)", ""}},
	{"values", limit{10_000, "values in `variables`, or in `extensions`", ""}},
	{"value_nesting", limit{12, "levels of lists and objects there; 10 in a literal", ""}},
	{"list_length", limit{1000, "values of a list", ""}},
	{"id_length", limit{200, "bytes of `id` or `documentId`", ""}},
	{"tokens", limit{5000, "tokens of the document", ""}},
	{"operations", limit{20, "operations", ""}},
	{"fragments", limit{100, "fragments", ""}},
	{"spreads", limit{300, "spreads of fragments", ""}},
	{"fields", limit{5000, "fields, fragments spread", ""}},
	{"nesting", limit{40, "levels of braces", ""}},
	{"occurrences", limit{50, "one name in a selection set", ""}},
	{"aliases", limit{100, "aliases", ""}},
	{"directives", limit{100, "directives", ""}},
	{"directives_in_one_place", limit{5, "directives of a field, fragment, operation or variable", ""}},
	{"variables", limit{100, "variables", ""}},
	{"arguments", limit{50, "arguments of a field, members of an input", ""}},
	{"name_length", limit{200, "bytes of a name or number", ""}},
	{"string_length", limit{128 << 10, "bytes of a string", ""}},
	{"depth", limit{16, "levels of fields, fragments spread", ""}},
	{"cost", limit{10_000, "complexity", "--max-cost"}},
	{"mutations", limit{10, "mutations", ""}},
	{"read_units", limit{2500, "read units, while reading", "--max-read-units"}},
	{"answer", limit{10 << 20, "bytes of data, while writing", ""}},
	{"steps", limit{50_000, "steps of making the answer, and what is read for it", "5 × --max-cost"}},
	{"errors", limit{200, "errors of fields; the last tells how many there are", ""}},
}

// limitOf returns what a request may have of what a reason is about.
func limitOf(t *testing.T, reason string) limit {
	t.Helper()
	for _, l := range limits {
		if l.reason == reason {
			return l.limit
		}
	}
	t.Errorf("no limit has the reason %q", reason)
	return limit{}
}

func TestLimitsOfThePage(t *testing.T) {
	var rows [][]string
	for _, l := range limits {
		counted := l.counted
		if l.flag != "" {
			counted += " (`" + l.flag + "`)"
		}
		rows = append(rows, []string{"`" + l.reason + "`", strconv.Itoa(int(l.most)), counted})
	}
	manual.Generated(t, "api.md", "limits", manual.Table([]string{"reason", "at most", "of"}, rows))
}

// The codes of store/errs, and the ones that only GraphQL over HTTP knows.
func TestCodesOfThePage(t *testing.T) {
	rows := manual.Constants(t, "store/errs/errs.go")
	testkit.Equal(t, len(rows), 8, "the number of codes")
	rows = append(rows,
		[]string{"`PERSISTED_QUERY_NOT_FOUND`", "no document is known for the hash; clients then send it by themselves"},
		[]string{"`GRAPHQL_PARSE_FAILED`, `GRAPHQL_VALIDATION_FAILED`", "the document is not GraphQL, or not of this schema"},
	)
	manual.Generated(t, "api.md", "codes", manual.Table([]string{"`extensions.code`", "meaning"}, rows))
}
