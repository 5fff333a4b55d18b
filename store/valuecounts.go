package store

import (
	"context"
	"slices"
	"time"

	"product-comments/store/attributes"
	"product-comments/store/plan"
	"product-comments/store/sortable"
	"product-comments/store/summaries"
	"product-comments/store/summary"
)

// Planning remembers what summaries of attributes tell for as long as what other
// statistics do, of so many of their items.
const (
	summaryAge     = 5 * time.Second
	knownSummaries = 4096
)

// knownSummary is an item of summaries, with the time when it was read.
type knownSummary struct {
	of map[string]summary.Summary
	at time.Time
}

// countValues tells the conditions of a query how many comments should hold each, and
// an order by an attribute how many have a value. What cannot be read is not known,
// which changes no page.
func (s *Store) countValues(ctx context.Context, q *plan.Query, d *attributes.Definitions) {
	var needed []string
	for i := range q.Conditions {
		needed = append(needed, q.Conditions[i].Attribute)
	}
	if q.Order.Field == plan.ByAttribute {
		needed = append(needed, q.Order.Attribute)
	}
	var missing []summaries.Place
	for _, attribute := range needed {
		if at := summaries.PlaceOf(q.ProductID, "", attribute); !s.isKnown(at) && !slices.Contains(missing, at) {
			missing = append(missing, at)
		}
	}
	if len(missing) > 0 {
		at := s.t.Now()
		read, err := s.summaries.Of(ctx, missing)
		if err != nil {
			return
		}
		for i, of := range read {
			s.known.Add(missing[i], knownSummary{of, at})
		}
	}
	filters := map[string]plan.AttributeFilter{}
	for _, f := range q.Filter.Attributes.List() {
		filters[f.Key] = f
	}
	for i := range q.Conditions {
		c := &q.Conditions[i]
		if k, ok := s.known.Get(summaries.PlaceOf(q.ProductID, "", c.Attribute)); ok {
			def := d.Of(c.Attribute)
			c.Count = countOf(k.of[c.Attribute], def, filters[c.Attribute])
			c.Guess = def.Type == attributes.Text || def.Type == attributes.Date
		}
	}
	if of := q.Order.Attribute; q.Order.Field == plan.ByAttribute {
		if k, ok := s.known.Get(summaries.PlaceOf(q.ProductID, "", of)); ok {
			q.Column.Count = float64(summaries.Count(k.of[of], d.Of(of).Type))
		}
	}
}

func (s *Store) isKnown(at summaries.Place) bool {
	k, ok := s.known.Get(at)
	age := s.t.Now().Sub(k.at)
	return ok && age >= 0 && age < summaryAge
}

// Of texts and dates summaries tell only how many there are. So many of them are
// taken to be wanted.
const (
	wantedEqual = 0.1 // for each value
	wantedRange = 0.33
)

// countOf is how many values of a summary a filter should let through.
func countOf(s summary.Summary, d *attributes.Definition, f plan.AttributeFilter) float64 {
	all := float64(summaries.Count(s, d.Type))
	switch {
	case d.Type == attributes.Choice || d.Type == attributes.Boolean:
		return float64(chosen(s, f))
	case d.Type == attributes.Number:
		return numbersOf(s, f)
	case f.Equals != nil:
		return all * min(1, wantedEqual*float64(len(f.Equals)))
	}
	return all * wantedRange
}

// chosen is how many values of choices, or of true and false, a filter lets through.
func chosen(s summary.Summary, f plan.AttributeFilter) (n int) {
	for _, value := range f.Equals {
		n += s.Choices[value]
	}
	return n
}

// numbersOf is how many numbers of a summary should be wanted: all of a range that is
// wanted in part, for they may all lie there.
func numbersOf(s summary.Summary, f plan.AttributeFilter) (n float64) {
	number := func(spelled string) float64 {
		parsed, _ := sortable.ParseNumber(spelled) // it was one
		return parsed.Float()
	}
	for _, b := range s.Histogram() {
		wanted := f.Equals == nil && (f.Min == nil || b.To >= number(*f.Min)) && (f.Max == nil || b.From <= number(*f.Max))
		for _, value := range f.Equals {
			at := number(value)
			wanted = wanted || b.From <= at && at <= b.To
		}
		if wanted {
			n += float64(b.Count)
		}
	}
	return n
}

// CountByAttribute returns how many comments a filter lets through, if statistics tell:
// for one filter by an attribute of choices, of true and false, or of numbers while each
// is counted by itself or the filter's ends are borders of the histogram, in one language
// or in any. They follow comments within moments. ok is false if they do not tell. It
// returns an Unavailable error if they cannot be read.
func (s *Store) CountByAttribute(ctx context.Context, f plan.Filter) (n int, ok bool, err error) {
	filters := f.Attributes.List()
	if len(filters) != 1 || !f.Ratings.Any() || !f.Which().All() || !f.Created.Any() || f.Regions || !f.Languages.Any() && f.Languages.One() == "" {
		return 0, false, nil
	}
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	of := filters[0]
	d, err := s.attributes.Of(ctx, f.ProductID)
	if err != nil {
		return 0, false, err
	}
	def := d.Of(of.Key)
	if def == nil || def.Type == attributes.Text || def.Type == attributes.Date {
		return 0, false, nil
	}
	if err := s.columns.Ready(ctx, f.ProductID, of.Key); err != nil {
		return 0, false, err
	}
	read, err := s.summaries.Of(ctx, []summaries.Place{summaries.PlaceOf(f.ProductID, f.Languages.One(), of.Key)})
	if err != nil {
		return 0, false, err
	}
	if def.Type == attributes.Number {
		n, ok = counted(read[0][of.Key], of)
		return n, ok, nil
	}
	return chosen(read[0][of.Key], of), true, nil
}

// counted is how many numbers a filter lets through; ok is false if the summary does not
// tell.
func counted(s summary.Summary, f plan.AttributeFilter) (n int, ok bool) {
	number := func(spelled *string) *sortable.Number {
		if spelled == nil {
			return nil
		}
		parsed, _ := sortable.ParseNumber(*spelled) // it was one
		return &parsed
	}
	if f.Equals == nil {
		return s.Between(number(f.Min), number(f.Max))
	}
	for _, value := range f.Equals {
		one, ok := s.Equal(*number(&value))
		if !ok {
			return 0, false
		}
		n += one
	}
	return n, true
}
