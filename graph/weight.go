package graph

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/store/attributes"
	"product-comments/store/item"
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

// stepsOfCost is how many steps a unit of cost may come to. An operation whose lists
// are no longer than usual takes fewer.
const stepsOfCost = 5

// MostSteps returns how many steps an operation may take, given the most that one costs.
func MostSteps(cost int) int64 { return stepsOfCost * int64(cost) }

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
	ids, many := arguments["ids"].([]any)
	list, unbounded := lengths[name]
	switch {
	case many:
		value = times(len(ids), value)
	case isConnection(f):
		value = add(times(sizeOf(arguments), below.weight), below.weightOnce)
	case unbounded:
		value = times(list.kept, value)
	}
	return add(own, value)
}

func isConnection(f *ast.Field) bool {
	return strings.HasSuffix(f.Definition.Type.Name(), "Connection")
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
