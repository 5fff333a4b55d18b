package graph

import (
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
)

// Every list of the schema has a length: of a connection's items and of objects by
// their ids the arguments say it, and of all others the table does.
func TestEveryListHasALength(t *testing.T) {
	left := map[string]bool{}
	for name := range lengths {
		left[name] = true
	}
	for _, d := range parsedSchema.Types {
		if d.BuiltIn || strings.HasPrefix(d.Name, "__") || (d.Kind != ast.Object && d.Kind != ast.Interface) {
			continue
		}
		for _, f := range d.Fields {
			if f.Type.Elem == nil || strings.HasPrefix(f.Name, "__") {
				continue
			}
			name := d.Name + "." + f.Name
			item := strings.HasSuffix(d.Name, "Connection") && (f.Name == "edges" || f.Name == "nodes")
			bounded := item || slices.ContainsFunc(f.Arguments, func(a *ast.ArgumentDefinition) bool {
				return slices.Contains([]string{"ids", "first"}, a.Name)
			})
			is, listed := lengths[name]
			delete(left, name)
			switch {
			case bounded && listed:
				t.Errorf("%s is bounded by its arguments and has a length", name)
			case !bounded && !listed:
				t.Errorf("%s has no length: say in lengths how long it is", name)
			case listed && (is.usual < 1 || is.kept < is.usual):
				t.Errorf("%s is usually of %d, and memory is kept for %d", name, is.usual, is.kept)
			}
		}
	}
	for name := range left {
		t.Errorf("there is no list %s", name)
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
		if cost, weight := CostOf(op), WeightOf(op); cost != want.cost || weight < want.least || weight > want.most {
			t.Errorf("%s: costs %d and weighs %d, want %+v", query, cost, weight, want)
		}
	}
}
