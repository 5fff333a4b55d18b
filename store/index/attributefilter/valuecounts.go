package attributefilter

import (
	"context"
	"slices"
	"time"

	"product-comments/store/comment/attributes"
	"product-comments/store/index/attributestats"
	"product-comments/store/index/attributestats/summary"
	"product-comments/store/key/sortable"
	"product-comments/store/read/plan"
)

// The planner caches attribute statistics for summaryAge, and of at most knownSummaries attributes.
const (
	summaryAge     = 5 * time.Second
	knownSummaries = 4096
)

// knownSummary is a cached summary of an attribute.
type knownSummary struct {
	summary.Summary
	at time.Time // of the read
}

// countValues estimates how many comments satisfy each condition of a query and, for an order
// by an attribute, how many have a value. If it cannot read the statistics, the counts stay
// unknown, which changes no page's content.
func (l *Lists) countValues(ctx context.Context, q *plan.Query, d *attributes.Definitions) {
	var missing []attributestats.Attribute
	need := func(attribute string) {
		if of := inAny(q, attribute); !l.isKnown(of) && !slices.Contains(missing, of) {
			missing = append(missing, of)
		}
	}
	for i := range q.Conditions {
		need(q.Conditions[i].Attribute)
	}
	if q.Order.Field == plan.ByAttribute {
		need(q.Order.Attribute)
	}
	if len(missing) > 0 {
		at := l.t.Now()
		read, err := l.stats.Read(ctx, missing)
		if err != nil {
			return
		}
		for i, of := range read {
			l.known.Add(missing[i], knownSummary{of, at})
		}
	}
	filters := map[string]plan.AttributeFilter{}
	for _, f := range q.Filter.Attributes.List() {
		filters[f.Key] = f
	}
	for i := range q.Conditions {
		c := &q.Conditions[i]
		if k, ok := l.known.Get(inAny(q, c.Attribute)); ok {
			def := d.Get(c.Attribute)
			c.Count, c.Exact = countOf(k.Summary, def, filters[c.Attribute])
			c.Guess = def.Type == attributes.Text || def.Type == attributes.Date
		}
	}
	if of := q.Order.Attribute; q.Order.Field == plan.ByAttribute {
		if k, ok := l.known.Get(inAny(q, of)); ok {
			q.Values.Count = float64(attributestats.Count(d.Get(of).Type, k.Summary))
		}
	}
}

// inAny names an attribute of a query's product, in all languages.
func inAny(q *plan.Query, attribute string) attributestats.Attribute {
	return attributestats.Attribute{ProductID: q.ProductID, Key: attribute}
}

func (l *Lists) isKnown(of attributestats.Attribute) bool {
	k, ok := l.known.Get(of)
	age := l.t.Now().Sub(k.at)
	return ok && age >= 0 && age < summaryAge
}

// Attribute statistics have only the number of values for texts and dates. The planner assumes
// that filters pass these fractions of them.
const (
	wantedEqual = 0.1 // for each value
	wantedRange = 0.33
)

// countOf returns the number of values in a summary that pass a filter. If exact is false it is an
// estimate, which for numbers is an upper bound.
func countOf(s summary.Summary, d *attributes.Definition, f plan.AttributeFilter) (n float64, exact bool) {
	all := float64(attributestats.Count(d.Type, s))
	switch {
	case d.Type == attributes.Choice || d.Type == attributes.Boolean:
		for _, value := range f.Equals {
			n += float64(s.Choices[value])
		}
		return n, true
	case d.Type != attributes.Number && f.Equals != nil:
		return all * min(1, wantedEqual*float64(len(f.Equals))), false
	case d.Type != attributes.Number:
		return all * wantedRange, false
	case f.Equals == nil:
		between, exact := s.Between(numberOf(f.Min), numberOf(f.Max))
		return float64(between), exact
	}
	exact = true
	for _, value := range f.Equals {
		one, counted := s.Equal(*numberOf(&value))
		n, exact = n+float64(one), exact && counted
	}
	return min(n, all), exact
}

// numberOf parses one end of a filter or one of its values; nil stays nil.
func numberOf(spelled *string) *sortable.Number {
	if spelled == nil {
		return nil
	}
	parsed, _ := sortable.ParseNumber(*spelled) // the filter was checked
	return &parsed
}

// Count returns the number of comments that pass a filter, if attribute statistics
// have it exactly. That needs exactly one filter by attribute, in one language or in all. The
// attribute must have choices, true and false, or numbers; numbers are exact while each value
// is counted separately or the filter's ends are borders of the histogram. The statistics
// follow comments within moments. ok is false if they do not have the number. Count
// returns an Unavailable error if they cannot be read.
func (l *Lists) Count(ctx context.Context, f plan.Filter) (n int, ok bool, err error) {
	ctx, cancel := l.t.Deadline(ctx)
	defer cancel()
	filters := f.Attributes.List()
	if len(filters) != 1 || !f.Ratings.Any() || !f.Which().All() || !f.Created.Any() || f.Regions ||
		!f.Languages.Any() && f.Languages.One() == "" {
		return 0, false, nil
	}
	of := filters[0]
	var def *attributes.Definition
	var read []attributestats.Attribute
	for _, product := range f.Products() {
		d, err := l.definitions.Definitions(ctx, product)
		if err != nil {
			return 0, false, err
		}
		if def = d.Get(of.Key); def == nil || def.Type == attributes.Text || def.Type == attributes.Date {
			return 0, false, nil
		}
		if err := l.index.Ready(ctx, product, of.Key); err != nil {
			return 0, false, err
		}
		read = append(read, attributestats.Attribute{ProductID: product, Language: f.Languages.One(), Key: of.Key})
	}
	summaries, err := l.stats.Read(ctx, read)
	ok = err == nil
	for _, s := range summaries {
		count, exact := countOf(s, def, of)
		n, ok = n+int(count), ok && exact
	}
	return n, ok, err
}
