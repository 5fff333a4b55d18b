package graph

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/store/attributes"
	"product-comments/store/item"
	"product-comments/store/stats"
	"product-comments/store/summary"
)

// Bytes of JSON that a value has at the most. A character takes four bytes of UTF-8
// at the most, which is more than any that JSON writes with a backslash.
const (
	perCharacter = 4
	shortBytes   = 40  // numbers, truth values, times
	stringBytes  = 400 // ids, names, sentences
	planBytes    = 16 << 10
)

var leafBytes = map[string]int{
	"Comment.text":    perCharacter * item.MaxText,
	"Comment.title":   perCharacter * item.MaxTitle,
	"Comment.author":  perCharacter * item.MaxAuthor,
	"QueryPlan.text":  planBytes,
	"Attribute.value": attributes.MaxText,
	"ShopReply.text":  perCharacter * item.MaxReply,

	"Comment.statusReason":   perCharacter * item.MaxReason,
	"CommentDecision.reason": perCharacter * item.MaxReason,
	"CommentReport.reason":   perCharacter * item.MaxReason,
}

// listLengths are those of lists whose length no argument bounds.
var listLengths = map[string]int{
	"ProductStats.ratingCounts":   5,
	"ProductStats.languageCounts": stats.MaxLanguages,
	"LanguageCount.ratingCounts":  5,
	"CommentFacets.ratings":       5,
	"CommentFacets.languages":     stats.MaxLanguages,
	"AttributeStats.histogram":    summary.MostBuckets,
	"AttributeStats.choices":      attributes.MaxOptions,
}

const otherList = 40 // of a plan's lists

// weigh estimates how many bytes a field takes in an answer at the most.
func weigh(f *ast.Field, arguments map[string]any, below measure) int {
	name := f.ObjectDefinition.Name + "." + f.Name
	const quotes = 4 // and colon and comma
	own := len(f.Alias) + quotes
	value := 2 + add(below.weight, below.weightOnce) // with braces
	switch {
	case len(f.SelectionSet) > 0:
	case leafBytes[name] > 0:
		value = leafBytes[name]
	case f.Definition.Type.Name() == "String" || f.Definition.Type.Name() == "ID":
		value = stringBytes
	default:
		value = shortBytes
	}
	switch ids, many := arguments["ids"].([]any); {
	case many:
		value = times(len(ids), value)
	case isConnection(f):
		value = add(times(sizeOf(arguments), below.weight), below.weightOnce)
	case f.Definition.Type.Elem != nil && !isEdgesOrNodes(f):
		n, ok := listLengths[name]
		if !ok {
			n = otherList
		}
		value = times(n, value)
	}
	return add(own, value)
}

func isConnection(f *ast.Field) bool {
	return strings.HasSuffix(f.Definition.Type.Name(), "Connection")
}

// isEdgesOrNodes reports whether a field is a list that the connection above it
// multiplies.
func isEdgesOrNodes(f *ast.Field) bool {
	return strings.HasSuffix(f.ObjectDefinition.Name, "Connection")
}

// sizeOf returns the size of a page that a connection's arguments ask for.
func sizeOf(arguments map[string]any) int {
	return pageSize(number(arguments["first"]), number(arguments["last"]))
}

// number reads an integer as literals and variables spell it; nil if it is none,
// which the resolver then refuses.
func number(v any) *int {
	var n int
	switch v := v.(type) {
	case int64:
		n = int(v)
	case int:
		n = v
	case json.Number:
		i, err := strconv.Atoi(v.String())
		if err != nil {
			i = MaxPageSize
		}
		n = i
	default:
		return nil
	}
	return &n
}
