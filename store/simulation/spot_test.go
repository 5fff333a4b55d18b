package simulation

import (
	"math/big"
	"slices"

	"product-comments/store/key"
	"product-comments/store/plan"
	"product-comments/store/sortable"
)

// spot is the place of a comment in a list. Those of a list by time have no value.
type spot struct {
	value any // nil for none, which is last
	at    key.Position
	bare  bool // the comment has no value of any attribute; no part of the place
}

// spotOf returns where a comment is in the list.
func (v *view) spotOf(s *state) spot {
	out := spot{at: s.position()}
	switch v.f.Order.Field {
	case plan.ByRating:
		out.value = big.NewRat(int64(s.rating), 1)
	case plan.ByHelpful:
		out.value = big.NewRat(int64(s.helpful()), 1)
	case plan.ByAttribute:
		says := s.says(v.meaning)
		out.value, out.bare = says[v.f.Order.Attribute], len(says) == 0
	}
	return out
}

// spotAt returns the place that a cursor names.
func (v *view) spotAt(p key.Position) spot {
	out := spot{at: key.Position{CreatedAt: p.CreatedAt, CommentID: p.CommentID}}
	if v.f.Order.Field == plan.ByRating {
		rating := 5 - p.Segment
		if v.f.Order.Ascending {
			rating = p.Segment + 1
		}
		out.value = big.NewRat(int64(rating), 1)
	}
	if !v.f.Order.ByColumn() {
		return out
	}
	if p.Value != "" {
		decoded, rest, ok := sortable.Decode([]byte(p.Value))
		if !ok || len(rest) > 0 {
			v.h.fail("order", p.CommentID, "%s has a place with the value %x", v.c, p.Value)
		}
		out.value = readValue(decoded)
	} else if v.f.Order.Field == plan.ByHelpful {
		out.value = new(big.Rat)
	}
	if want := v.f.Order.SegmentOfValue(p.Value != ""); p.Segment != want {
		v.h.fail("order", p.CommentID, "%s has a place in the stretch %d, whose value is %q", v.c, p.Segment, p.Value)
	}
	return out
}

// compare compares two places in the order of the list.
func (v *view) compare(a, b spot) int {
	n := 0
	switch {
	case a.value == nil && b.value == nil:
	case a.value == nil:
		return 1
	case b.value == nil:
		return -1
	default:
		n = compareValues(v.meaning[v.f.Order.Attribute], a.value, b.value)
	}
	if n == 0 {
		n = key.Compare(a.at, b.at)
	}
	if v.f.Order.Ascending {
		return n
	}
	return -n
}

// wants tells whether a comment has the attributes that the filter wants.
func (v *view) wants(s *state) bool {
	says := map[string]any(nil)
	for _, f := range v.filters {
		if says == nil {
			says = s.says(v.meaning)
		}
		if !wanted(v.meaning, f, says[f.Key]) {
			return false
		}
	}
	return true
}

// wanted tells whether a filter wants a value.
func wanted(m meaning, f plan.AttributeFilter, value any) bool {
	d := m[f.Key]
	compared := func(to string) int { return compareValues(d, value, means(d, to)) }
	return value != nil && (f.Min == nil || compared(*f.Min) >= 0) && (f.Max == nil || compared(*f.Max) <= 0) &&
		(f.Equals == nil || slices.ContainsFunc(f.Equals, func(e string) bool { return compared(e) == 0 }))
}

// understand finds out what the page's attributes mean, and whether that is sure: it may
// have been read while definitions changed. The model's lock is held.
func (v *view) understand() {
	m := v.h.model
	v.filters = v.f.Attributes.List()
	all := m.meanings(v.f.ProductID, v.from.Add(-v.h.config.MetaAge-callTimeout), v.to)
	v.meaning, v.sure, v.none = all[len(all)-1].meaning, true, all[0].none
	keys := []string{}
	if v.f.Order.Field == plan.ByAttribute {
		keys = append(keys, v.f.Order.Attribute)
	}
	for _, f := range v.filters {
		keys = append(keys, f.Key)
	}
	for _, was := range all {
		for _, k := range keys {
			is, now := was.meaning[k], v.meaning[k]
			v.sure = v.sure && alike(is, now) && (is == nil || is.Shown == now.Shown)
		}
		v.sure = v.sure && (v.f.Order.Field != plan.ByHelpful || was.none == all[0].none)
	}
	v.steady = m.steady(v.f.ProductID, v.older, v.to)
	switch {
	case !v.sure:
		v.h.marks.add("a page was read while the meaning of its order changed")
	case !v.steady && len(keys) > 0:
		v.h.marks.add("an order was read while comments were brought to other definitions")
	case len(keys) > 0:
		v.h.marks.add("an order by an attribute was read")
	}
}
