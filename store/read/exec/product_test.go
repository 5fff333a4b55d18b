package exec

import (
	"fmt"
	"slices"
	"strings"

	"product-comments/store/comment/stats"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/read/plan"
)

// about is what a comment of a test is.
type about struct {
	rating, size int
	language     string
	which        stats.Which
}

// passes reports whether a comment is what a filter wants, in words of its own: the planner's
// own tests are not trusted here.
func (a about) passes(o plan.Only) bool {
	return o.Languages.Has(a.language) && o.Ratings.Has(a.rating) && o.Which&^a.which == 0
}

// product is the comments of a product, in ascending order, and what its
// statistics say of them.
type product struct {
	table
	model  []spot
	counts map[string]plan.Counts                 // by language, "" for any
	wanted map[string]map[stats.Which]stats.Tally // of them, the comments with some dimensions
}

const allDimensions = stats.Text | stats.Verified | stats.Photos | stats.Incentivized | stats.NotIncentivized

func plus(t stats.Tally, rating int) stats.Tally {
	t[rating-1]++
	return t
}

// newProduct divides comments among the partitions.
func newProduct(comments []about, at func(i int) int) product {
	p := product{table: table{partitions: map[key.Partition][]spot{}, about: map[string]about{}}, counts: map[string]plan.Counts{}, wanted: map[string]map[stats.Which]stats.Tally{}}
	for i, c := range comments {
		place := spotOf(position(at(i), fmt.Sprintf("c%04d", i)))
		p.about[place.CommentID] = c
		p.model = append(p.model, place)
		in := []key.Partition{
			key.PartitionAll("42"), key.PartitionByRating("42", c.rating), key.PartitionByLang("42", c.language), key.PartitionByLangAndRating("42", c.language, c.rating),
		}
		if c.which&stats.Photos != 0 {
			in = append(in, key.PartitionWithPhotos("42"))
		}
		for _, in := range in {
			p.partitions[in] = append(p.partitions[in], place)
		}
		for _, language := range []string{"", c.language} {
			of := p.counts[language]
			of.Tally[c.rating-1]++
			of.Bytes[c.rating-1] += c.size
			of.Largest = max(of.Largest, c.size)
			p.counts[language] = of
			if p.wanted[language] == nil {
				p.wanted[language] = map[stats.Which]stats.Tally{}
			}
			for which := range allDimensions + 1 {
				if which&^c.which == 0 {
					p.wanted[language][which] = plus(p.wanted[language][which], c.rating)
				}
			}
		}
	}
	ascending := func(a, b spot) int { return strings.Compare(a.sortKey, b.sortKey) }
	for _, list := range p.partitions {
		slices.SortFunc(list, ascending)
	}
	slices.SortFunc(p.model, ascending)
	return p
}

// known is what right statistics say before a filter's page is planned.
func (p *product) known(f plan.Filter) plan.Known {
	of := func(language string) plan.Counts {
		c := p.counts[language]
		c.Wanted = p.wanted[language][f.Which()]
		return c
	}
	k := plan.Known{Counts: of(f.Languages.One()), Of: map[string]plan.Counts{}}
	if f.WithPhotos {
		k.Photos = p.wanted[""][stats.Photos]
	}
	for _, language := range f.Languages.List() {
		k.Of[language] = of(language)
	}
	return k
}

// within returns the first comments of a range that pass, in its order.
func (p *product) within(f plan.Filter, r Range, limit int) []spot {
	var out []spot
	only := plan.Only{Languages: f.Languages, Ratings: f.Ratings, Which: f.Which()}
	each(p.model, r, func(at spot) bool {
		if f.Created.Has(at.CreatedAt) && p.about[at.CommentID].passes(only) {
			out = append(out, at)
		}
		return len(out) < limit
	})
	return out
}

// inOrder returns the ids of those comments of a window that pass, as they are read.
func (p *product) inOrder(f plan.Filter, w list.Window[key.Position]) []string {
	ahead := func(a, b key.Position) bool { // of b in the list
		if a.Range != b.Range {
			return a.Range < b.Range
		}
		return a.SortKey() != b.SortKey() && (a.SortKey() < b.SortKey()) == f.Order.Ascending
	}
	var inside []key.Position
	for _, at := range p.within(f, Range{}, len(p.model)) {
		at.Range = f.Order.RangeOf(p.about[at.CommentID].rating)
		if (w.After == nil || ahead(*w.After, at.Position)) && (w.Before == nil || ahead(at.Position, *w.Before)) {
			inside = append(inside, at.Position)
		}
	}
	slices.SortFunc(inside, func(a, b key.Position) int {
		if ahead(a, b) != w.Backward {
			return -1
		}
		return 1
	})
	ids := make([]string, len(inside))
	for i, at := range inside {
		ids[i] = at.CommentID
	}
	return ids
}

// literalUnits is what the page after a position costs that reads a whole page
// of every chosen language's and rating's partition (part 3 of the series).
func (p *product) literalUnits(f plan.Filter, r Range, limit int) float64 {
	languages, ratings := f.Languages.List(), f.Ratings.List()
	if len(languages) == 0 {
		languages = []string{""}
	}
	if len(ratings) == 0 {
		ratings = []int{0}
	}
	sum := 0.0
	for _, language := range languages {
		for _, rating := range ratings {
			of := plan.Filter{ProductID: "42", Languages: key.Languages(language)}
			if rating > 0 {
				of.Ratings = key.Ratings(1) << (rating - 1)
			}
			in := key.PartitionAll("42")
			switch {
			case language != "" && rating > 0:
				in = key.PartitionByLangAndRating("42", language, rating)
			case language != "":
				in = key.PartitionByLang("42", language)
			case rating > 0:
				in = key.PartitionByRating("42", rating)
			}
			sum += p.unitsIn(in, of, r, limit)
		}
	}
	return sum
}

func (p *product) unitsIn(in key.Partition, f plan.Filter, r Range, limit int) float64 {
	bytes := 0
	for _, at := range p.within(f, r, limit) {
		bytes += p.about[at.CommentID].size + len(in.Index.PartitionKey) + len(in.Value)
	}
	return unitsOf(bytes)
}
