package plan

import (
	"product-comments/store/comment/stats"
)

// Member has what is known of one product of a list.
type Member struct {
	Product string
	Known
	Values Values
}

// members returns the products of the list.
func (q *Query) members() []Member {
	if q.Family == (Family{}) {
		return []Member{{q.ProductID, q.Known, q.Values}}
	}
	return q.Members
}

// Sum sets what is known of a family to the sums over its members.
func (q *Query) Sum() {
	q.Known, q.Values = Known{Of: map[string]Counts{}, PowerSet: true}, Values{None: true, Shown: true}
	for i := range q.Members {
		m := &q.Members[i]
		q.Counts, q.All, q.PowerSet = q.Counts.plus(m.Counts), q.All.plus(m.All), q.PowerSet && m.PowerSet
		q.Photos = q.Photos.Plus(m.Photos)
		for language, c := range m.Of {
			q.Of[language] = q.Of[language].plus(c)
		}
		v := &q.Values
		v.None, v.Partial, v.Shown = v.None && m.Values.None, v.Partial || m.Values.Partial, v.Shown && m.Values.Shown
		if m.Values.Count < 0 || v.Count < 0 {
			v.Count = -1
		} else {
			v.Count += m.Values.Count
		}
	}
}

func (c Counts) plus(o Counts) Counts {
	return Counts{c.Tally.Plus(o.Tally), stats.Sizes{Bytes: c.Bytes.Plus(o.Bytes), Largest: max(c.Largest, o.Largest)},
		c.Wanted.Plus(o.Wanted)}
}

// in returns the counts of a language, "" for the languages of the filter together.
func (m *Member) in(q *Query, language string) Counts {
	if q.Languages.One() != language { // one of several
		return m.Of[language]
	}
	return m.Counts
}

// part returns the product's share of the comments of the list's products.
func (m *Member) part(q *Query) float64 {
	if n := q.All.Tally.Total(); n > 0 {
		return float64(m.All.Tally.Total()) / float64(n)
	}
	return 1 / float64(len(q.members()))
}
