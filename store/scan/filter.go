package scan

import (
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/item"
	"product-comments/store/plan"
	"product-comments/store/table"
)

// attributes are the attribute of each property of comments, and the encoding of its values.
var attributes = map[plan.Property]struct {
	name  string
	value func(string) types.AttributeValue
}{
	plan.Language: {item.AttrLanguage, table.S},
	plan.Rating:   {item.AttrRating, func(s string) types.AttributeValue { return &types.AttributeValueMemberN{Value: s} }},
	plan.Verified: {item.AttrVerified, func(s string) types.AttributeValue { return table.Bool(s == plan.True) }},
}

// where makes the filter expression of a query. It lets through all comments that pass, and
// others only if they have a frame, into which no expression can look for a text.
func where(q *table.Query, only plan.Only) {
	var conditions []string
	for _, t := range only.Tests() {
		if q.Names == nil {
			q.Names, q.Values = map[string]string{}, table.Item{}
		}
		if t.Property == plan.HasText {
			conditions = append(conditions, "("+oneOf(q, item.AttrsOfText)+")")
			continue
		}
		of := attributes[t.Property]
		values := make([]string, len(t.OneOf))
		for i, v := range t.OneOf {
			values[i] = ":" + of.name + strconv.Itoa(i)
			q.Values[values[i]] = of.value(v)
		}
		conditions = append(conditions, name(q, of.name)+" IN ("+strings.Join(values, ", ")+")")
	}
	q.Filter = strings.Join(conditions, " AND ")
}

// oneOf is the condition that one of some attributes is there.
func oneOf(q *table.Query, of []string) string {
	there := make([]string, len(of))
	for i, attribute := range of {
		there[i] = "attribute_exists(" + name(q, attribute) + ")"
	}
	return strings.Join(there, " OR ")
}

// name returns what names an attribute in the expression.
func name(q *table.Query, attribute string) string {
	q.Names["#"+attribute] = attribute
	return "#" + attribute
}

// Passes reports whether a comment, with its texts unpacked, passes a filter: it looks at
// the same properties as the filter expression.
func Passes(only plan.Only, c *item.Comment) bool {
	return only.Passes(func(p plan.Property) string {
		has := false
		switch p {
		case plan.Language:
			return c.Language
		case plan.Rating:
			return strconv.Itoa(c.Rating)
		case plan.Verified:
			has = c.IsVerified()
		case plan.HasText:
			has = c.HasText()
		}
		if has {
			return plan.True
		}
		return ""
	})
}
