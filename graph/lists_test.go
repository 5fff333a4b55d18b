package graph

import (
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/internal/testkit"
	"product-comments/store/attributes"
	"product-comments/store/item"
	"product-comments/store/orders"
	"product-comments/store/stats"
)

// Every list of the schema has a length: of a connection's items and of objects by their ids
// arguments have it, and all others have a usual and a greatest one. What @listSize names
// exists.
func TestEveryListHasALength(t *testing.T) {
	c := readCosts(parsedSchema)
	for _, d := range parsedSchema.Types {
		if d.BuiltIn || strings.HasPrefix(d.Name, "__") || (d.Kind != ast.Object && d.Kind != ast.Interface) {
			continue
		}
		for _, f := range d.Fields {
			size := c.sizes[f]
			item := c.sized[d.Name] != nil && !c.ofThePage(&ast.Field{Name: f.Name, ObjectDefinition: d})
			connection := strings.HasSuffix(f.Type.Name(), "Connection")
			for _, name := range size.slicing {
				if f.Arguments.ForName(name) == nil {
					t.Errorf("%s.%s: slicingArguments has %s, and there is no such argument", d.Name, f.Name, name)
				}
			}
			for _, name := range size.sized {
				if in := parsedSchema.Types[f.Type.Name()].Fields.ForName(name); in == nil || in.Type.Elem == nil {
					t.Errorf("%s.%s: sizedFields has %s, and %s has no such list", d.Name, f.Name, name, f.Type.Name())
				}
			}
			switch {
			case strings.HasPrefix(f.Name, "__"):
			case connection != (size.sized != nil):
				t.Errorf("%s.%s: only connections, and all of them, have sized fields", d.Name, f.Name)
			case f.Type.Elem == nil || item:
				if size.list && !connection {
					t.Errorf("%s.%s has a length and is no list, or one with the size of the page", d.Name, f.Name)
				}
			case !size.list:
				t.Errorf("%s.%s has no length: say with @listSize how long it is", d.Name, f.Name)
			case size.slicing == nil && (size.assumed < 1 || size.most < size.assumed):
				t.Errorf("%s.%s is usually of %d, and memory is kept for %d", d.Name, f.Name, size.assumed, size.most)
			}
			if _, priced := c.weights[f]; priced && d.Kind == ast.Interface {
				t.Errorf("%s.%s: a cost of an interface's field is not looked at through its types", d.Name, f.Name)
			}
		}
	}
}

// Memory is kept for what may be stored.
func TestLengthsAreThoseOfTheStore(t *testing.T) {
	const perCharacter = 4 // bytes of UTF-8, more than any character that JSON escapes
	for name, want := range map[string]int{
		"Comment.text": perCharacter * item.MaxText, "Comment.title": perCharacter * item.MaxTitle, "Comment.author": perCharacter * item.MaxAuthor,
		"ShopReply.text": perCharacter * item.MaxReply, "Comment.statusReason": perCharacter * item.MaxReason,
		"CommentDecision.reason": perCharacter * item.MaxReason, "CommentReport.reason": perCharacter * item.MaxReason,
		"Attribute.value": attributes.MaxText, "ProductStats.languageCounts": stats.MaxListed, "CommentFacets.languages": stats.MaxListed,
		"Order.lines": orders.MaxLines,
	} {
		typeName, field, _ := strings.Cut(name, ".")
		testkit.Equal(t, readCosts(parsedSchema).sizes[parsedSchema.Types[typeName].Fields.ForName(field)].most, want, "%s has @length(most", name)
	}
}

// A list costs the steps of as many items as it usually has, lists in lists too; and
// memory is kept for longer ones.
func TestCostOfLists(t *testing.T) {
	for query, want := range map[string]struct {
		cost        int
		least, most int64
	}{
		`{product(id:"1"){stats{languageCounts{language}}}}`:                                  {1 + 5 + 1 + 10*(3+1)/5, 100_000, 300_000},
		`{product(id:"1"){stats{languageCounts{ratingCounts{rating count}}}}}`:                {1 + 5 + 1 + 10*(3+1+5*(3+2))/5, 100_000, 300_000},
		`{product(id:"1"){attributes{choices{labels{label}}}}}`:                               {1 + 5 + 10*(3+1+10*(3+1+5*(3+1)))/5, 20_000_000, 40_000_000},
		`{product(id:"1"){comments(first:2){facets{languages{count}} nodes{id}}}}`:            {1 + 20 + 2*(1+1+1) + 5 + 1 + 10*(3+1)/5, 10_000, 50_000},
		`{moderationQueue(first:100){counts{status count}}}`:                                  {20 + 100*5 + 5 + 4*(3+2)/5, 300, 3_000},
		`{product(id:"1"){comments(first:10){nodes{attributes{definition{labels{label}}}}}}}`: {1 + 20 + 10*(1+1+5+10*(3+1+1+5*(3+1))/5), 5_000_000, 10_000_000},
	} {
		op := measureOf(t, query)
		if cost, weight := MeasuredOf(op).Cost, MeasuredOf(op).Weight; cost != want.cost || weight < want.least || weight > want.most {
			t.Errorf("%s: costs %d and weighs %d, want %+v", query, cost, weight, want)
		}
	}
}
