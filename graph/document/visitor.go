package document

import "github.com/vektah/gqlparser/v2/ast"

// visitor sums up selection sets. It visits every fragment once, however often it is spread:
// otherwise a short document whose fragments each spread the next one twice would take exponential
// time.
type visitor struct {
	fragments ast.FragmentDefinitionList
	sums      map[*ast.FragmentDefinition]sum // of fragments that were visited
	// enter is called for each selection, and reports whether to visit it. Inline fragments share
	// the names of the enclosing selection set, and have a level of their own. It may be nil.
	enter func(s ast.Selection, level int, seen names) bool
	// price returns the sum of a field, given the sum of its selection set. It may be nil.
	price func(f *ast.Field, below sum) sum
}

// names counts the fields of one selection set by response name.
type names map[string]int

// sum is what the fields of a selection set add up to.
type sum struct {
	fields int // with all fragments spread
	levels int
	// The following counts are multiplied by the page size of a connection above.
	cost  int // of fields with a cost in the schema
	plain int // number of other fields
	steps int // of lists whose length no argument limits
	once  int // cost of a connection's own fields, which are not multiplied
	// queried is the cost below a payload's field `query`. It is not multiplied.
	queried int
	// Bytes of the answer, multiplied and not.
	weight, weightOnce int
}

func (s *sum) add(of sum) {
	s.fields, s.levels = add(s.fields, of.fields), max(s.levels, of.levels)
	s.cost, s.plain, s.steps = add(s.cost, of.cost), add(s.plain, of.plain), add(s.steps, of.steps)
	s.once, s.queried = add(s.once, of.once), add(s.queried, of.queried)
	s.weight, s.weightOnce = add(s.weight, of.weight), add(s.weightOnce, of.weightOnce)
}

// set visits a selection set at a level of an operation or a fragment.
func (v *visitor) set(set ast.SelectionSet, level int, seen names) (total sum) {
	if seen == nil && v.enter != nil && len(set) > 0 {
		seen = names{}
	}
	for _, s := range set {
		if v.enter != nil && !v.enter(s, level, seen) {
			return total
		}
		switch s := s.(type) {
		case *ast.Field:
			below := v.set(s.SelectionSet, level+1, nil)
			var own sum
			if v.price != nil {
				own = v.price(s, below)
			}
			own.fields, own.levels = add(below.fields, 1), below.levels+1
			total.add(own)
		case *ast.InlineFragment:
			total.add(v.set(s.SelectionSet, level+1, seen))
		case *ast.FragmentSpread:
			total.add(v.fragment(v.fragments.ForName(s.Name)))
		}
	}
	return total
}

// fragment visits a fragment. One that spreads itself, which validation refuses, counts once.
func (v *visitor) fragment(f *ast.FragmentDefinition) sum {
	if known, seen := v.sums[f]; seen || f == nil {
		return known
	}
	v.sums[f] = sum{}
	v.sums[f] = v.set(f.SelectionSet, 1, nil)
	return v.sums[f]
}

// enough is far above every limit, and keeps sums and products from overflowing.
const enough = 1 << 40

func add(a, b int) int { return min(a+b, enough) }

func times(n, a int) int {
	if n > 0 && a > enough/n {
		return enough
	}
	return n * a
}
