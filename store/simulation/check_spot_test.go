package simulation

import (
	"math/big"
	"slices"

	"product-comments/store"
	items "product-comments/store/comment/item"
	"product-comments/store/comment/stats"
	"product-comments/store/key"
	"product-comments/store/key/sortable"
	"product-comments/store/read/plan"
)

// dimensionsOf are what statistics count of a comment that the store returned.
func dimensionsOf(c *store.Comment) stats.Which {
	of := (&items.Stored{Comment: *c}).Counted()
	return of.Which()
}

// beyond reports whether a place comes after another in the direction of reading.
func (v *view) beyond(at, last spot) bool {
	if v.w.Backward {
		return v.compare(at, last) < 0
	}
	return v.compare(at, last) > 0
}

// places reads where the comments of a page are in the list.
func (v *view) places(got store.Page) {
	v.spots = make([]spot, len(got.Items))
	for i := range got.Items {
		p := got.Position(i)
		if v.spots[i] = v.spotAt(p); key.Compare(v.spots[i].at, got.Items[i].Position()) != 0 {
			v.h.fail("order", got.Items[i].ID, "%s puts comment %s at the place of %s", v.c, got.Items[i].ID, p.CommentID)
		}
	}
}

// order checks what a page is by itself.
func (v *view) order(got store.Page) {
	c := got.Items
	for i := range c {
		if i > 0 && v.sure && v.compare(v.spots[i-1], v.spots[i]) >= 0 {
			v.h.fail("order", c[i].ID, "%s shows comment %s in the wrong order, or twice", v.c, c[i].ID)
		}
		if v.sure && !v.inWindow(v.spots[i]) || !slices.Contains(v.f.Products(), c[i].ProductID) || !v.f.Created.Has(c[i].CreatedAt) ||
			!v.has(c[i].Language, c[i].Rating, dimensionsOf(c[i])) {
			v.h.fail("order", c[i].ID, "%s shows comment %s, which does not belong there", v.c, c[i].ID)
		}
	}
	more := got.HasNext
	if v.w.Backward {
		more = got.HasPrevious
	}
	if len(c) > v.w.Limit || more && len(c) < v.w.Limit {
		v.h.fail("next", "", "%s has %d comments, and others follow: %t", v.c, len(c), more)
	}
}

func (v *view) inWindow(at spot) bool {
	return (v.w.After == nil || v.compare(v.spotAt(*v.w.After), at) < 0) && (v.w.Before == nil || v.compare(at, v.spotAt(*v.w.Before)) < 0)
}

// covers reports whether a page would show a comment at a place.
func (v *view) covers(more bool, at spot) bool {
	n := len(v.spots)
	if !v.inWindow(at) || !more {
		return v.inWindow(at)
	}
	if n == 0 {
		return false
	}
	if v.w.Backward {
		return !v.beyond(at, v.spots[0])
	}
	return !v.beyond(at, v.spots[n-1])
}

// spot is the position of a comment in a list. In a list by time it has no value.
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
		out.value = s.ranked()
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
		rating := 5 - p.Range
		if v.f.Order.Ascending {
			rating = p.Range + 1
		}
		out.value = big.NewRat(int64(rating), 1)
	}
	if !v.f.Order.ByValue() {
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
	if want := v.f.Order.RangeOfValue(p.Value != ""); p.Range != want {
		v.h.fail("order", p.CommentID, "%s has a position in the range %d with the value %q", v.c, p.Range, p.Value)
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
