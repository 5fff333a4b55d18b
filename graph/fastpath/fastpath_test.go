package fastpath

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"pgregory.net/rapid"

	"product-comments/internal/testing/testkit"
	"product-comments/store/comment/item"
)

// For any operation the data are the same, to the byte, as without InterceptField, and so
// are the errors, in any order.
func TestSameAsGqlgen(t *testing.T) {
	rapid.Check(t, sameAsGqlgen)
}

// sameAsGqlgen draws an operation and compares its answers.
func sameAsGqlgen(t *rapid.T) {
	s := drawShop(t)
	query, variables := drawOperation(t)
	want, wantErrors := answerOf(t, executionOf(s), query, variables)
	got, gotErrors := answerOf(t, executionOf(s, InterceptField), query, variables)
	testkit.Need(t, got == want && slices.Equal(gotErrors, wantErrors), "%s\n%v\n got %s\n     %q\nwant %s\n     %q", query, variables, got, gotErrors, want, wantErrors)
}

// answerOf runs an operation. It sorts the errors, whose order depends on which of
// gqlgen's goroutines comes first.
func answerOf(t failing, e execution, query string, variables map[string]any) (data string, errors []string) {
	r := e.run(t, query, variables)
	for _, err := range r.Errors {
		errors = append(errors, fmt.Sprintf("%s at %v: %s %v", err.Path, err.Locations, err.Message, err.Extensions))
	}
	slices.Sort(errors)
	return string(r.Data), errors
}

// anyString draws strings, also ones that are not UTF-8.
var anyString = rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))

func drawShop(t *rapid.T) *shop {
	s := &shop{comments: page(rapid.IntRange(0, 4).Draw(t, "comments")), noText: map[string]bool{}, noCursor: map[string]bool{}}
	texts := rapid.OneOf(rapid.Just(""), anyString)
	for i := range s.comments {
		c := &s.comments[i]
		c.Title, c.Text, c.Author = texts.Draw(t, "title"), texts.Draw(t, "text"), texts.Draw(t, "author")
		c.ProductID = texts.Draw(t, "product")
		if rapid.Bool().Draw(t, "imported") {
			helpful, verified := rapid.Int32().Draw(t, "helpful"), rapid.Bool().Draw(t, "verified")
			c.Helpful, c.VerifiedPurchase, c.Attributes = new(int(helpful)), &verified, json.RawMessage(`{"fit":4.5,"size":"M"}`)
		}
		c.State = item.State(rapid.Uint8Range(0, uint8(item.States)-1).Draw(t, "state"))
		c.Code = item.Code(texts.Draw(t, "code"))
		if rapid.Bool().Draw(t, "replied") {
			c.Reply = &item.Reply{Text: texts.Draw(t, "reply"), CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt}
		}
		s.noText[c.ID] = rapid.IntRange(0, 3).Draw(t, "no text") == 0
		s.noCursor[c.ID] = rapid.IntRange(0, 9).Draw(t, "no cursor") == 0
	}
	s.noCount = rapid.IntRange(0, 9).Draw(t, "no count") == 0
	return s
}

// A panic is an error of the field in which it happens, and does not end the process.
func TestPanicIsAnError(t *testing.T) {
	const query = `mutation{updateComment(input:{id:"1"}){comment{rating title}}}`
	r := executionOf(&shop{}, InterceptField).run(t, query, nil)
	testkit.Check(t, len(r.Errors) == 1 && r.Errors[0].Path.String() == "updateComment.comment" && string(r.Data) == `{"updateComment":null}`, "%v %s", r.Errors, r.Data)
}

// There is no allocation for each comment or field.
func TestAllocationsDoNotGrowWithThePage(t *testing.T) {
	allocations := func(n int) float64 {
		e := executionOf(&shop{comments: page(n)}, InterceptField)
		return testing.AllocsPerRun(20, func() { e.run(t, everyPlainField, nil) })
	}
	ten, hundred := allocations(10), allocations(100)
	grown := hundred - ten
	testkit.Check(t, grown <= 10, "a page of 10 costs %v allocations, a page of 100 %v", ten, hundred)
}

const everyPlainField = `{product(id:"42"){comments{
	nodes{__typename id commentId rating language title text author createdAt updatedAt version}
	edges{node{id text}} pageInfo{hasNextPage hasPreviousPage}}}}`

// Every string is escaped as gqlgen escapes it.
func TestStringsAreGqlgens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyString.Draw(t, "s")
		var want bytes.Buffer
		graphql.MarshalString(s).MarshalGQL(&want)
		got := appendString(nil, s)
		testkit.Need(t, string(got) == want.String(), "%q became %q, want %q", s, got, want.String())
	})
}

// FuzzSameAsGqlgen is TestSameAsGqlgen guided by coverage.
func FuzzSameAsGqlgen(f *testing.F) {
	f.Add([]byte("some bytes to begin with, from which an operation and a shop are drawn"))
	f.Fuzz(rapid.MakeFuzz(sameAsGqlgen))
}
