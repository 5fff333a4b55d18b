package simulation

import (
	"math/big"
	"slices"
	"strings"
	"time"

	"product-comments/store"
	"product-comments/store/comment/stats"
	"product-comments/store/key"
	"product-comments/store/key/sortable"
	"product-comments/store/read/plan"
	"product-comments/store/settings"
)

// What docs promise about how old a page may be, besides the indexes' lag and
// the age of kept pages.
const (
	plannedAge = 5 * time.Second  // of the statistics that tell which languages have a region
	copiesAge  = 30 * time.Second // for so long after a write its server reads no copies
	overlayAge = 2 * time.Second  // for so long after a write was projected its server may have it in the overlay
)

// view is a page that was read, with the interval of the states that it may show.
type view struct {
	h      *history
	c      *call
	f      plan.Filter
	w      store.Window
	since  asOf
	own    time.Time // what the same server wrote before shows
	from   time.Time // what others wrote before shows, in a page of indexes
	older  time.Time // and in a page of anything
	listed time.Time // and in a language that the statistics must list
	to     time.Time

	filters []plan.AttributeFilter
	meaning meaning // of attributes
	sure    bool    // no one changed what the order and the filters mean
	spots   []spot  // of the page
	none    bool    // the product never had attributes
	part    bool    // the column of votes lacked comments
	steady  bool    // nor anything else about attributes, and all comments follow it
}

// check compares a page with the states of the last moments. What must hold:
// order, no comment twice, each one in a state that it had, none missing that was
// there throughout, and an exact answer whether others follow.
func (v *view) check(got store.Page) {
	v.own = v.since.own.Add(-v.h.config.Double.IndexLag)
	v.from = v.since.kept.Add(-v.h.config.Double.IndexLag)
	v.older = v.from
	v.listed = v.h.model.behind(v.f.ProductID, v.from.Add(-plannedAge))
	if v.copies() || v.columns() {
		v.older = v.h.model.behind(v.f.ProductID, v.from) // copies stand in an index, too
		if v.older.Before(v.from) && v.columns() {
			v.h.marks.add("columns were read that were behind")
		} else if v.older.Before(v.from) {
			v.h.marks.add("copies were read that were behind")
		}
	}
	m := v.h.model
	m.mu.Lock()
	defer m.mu.Unlock()
	v.understand()
	v.part = got.Plan.Partial
	if v.part {
		v.h.marks.add("a list by votes was read before its column had all comments")
	}
	v.places(got)
	v.order(got)
	shown := map[string]bool{}
	for i := range got.Items {
		v.shows(&got.Items[i], v.spots[i])
		if id := got.Items[i].ID; shown[id] && v.sure && !v.movedMeanwhile(id) {
			v.h.fail("order", got.Items[i].ID, "%s shows comment %s twice", v.c, got.Items[i].ID)
		}
		shown[got.Items[i].ID] = true
		if !v.f.Languages.Has(got.Items[i].Language) {
			v.h.marks.add("a filter came to a language with a region")
		}
	}
	more := got.HasNext
	if v.w.Backward {
		more = got.HasPrevious
	}
	for _, id := range m.ids {
		if s := v.throughout(id); s != nil && !shown[id] && v.covers(more, v.spotOf(s)) {
			v.h.fail("hidden", id, "%s hides comment %s, which was there from %s to %s", v.c, id, v.floor(id).Sub(v.h.began), v.to.Sub(v.h.began))
		}
	}
	if more && !v.follows(got) {
		v.h.fail("next", "", "%s says that others follow, and there are none", v.c)
	}
}

// throughout returns a comment that the page must show, if it covers its place:
// it was in the list all the time, in the same place. One that another person
// wrote in a language with a region that the filter does not name may be missing until
// the statistics that the server remembers count it.
func (v *view) throughout(id string) *state {
	from := v.floor(id)
	if last := v.worded(id); v.f.Regions && last != nil && last.after != nil && !v.f.Languages.Has(last.after.language) && !v.isOwn(last) {
		from = earlier(from, v.listed)
	}
	states := append(v.h.model.during(id, from, v.to), v.overlaidStates(id)...)
	first := states[0]
	if first == nil || !v.sure || v.early(id) || slices.ContainsFunc(states, func(s *state) bool { return s == nil || s.place() != first.place() || !v.passes(s) }) {
		return nil
	}
	if !v.columns() {
		return first
	}
	at := v.spotOf(first)
	moved := slices.ContainsFunc(states, func(s *state) bool {
		return v.compare(v.spotOf(s), at) != 0 || v.spotOf(s).bare != at.bare || len(v.filters) > 0 && s.attributes != first.attributes
	})
	if moved || !v.steady && v.f.Order.Field == plan.ByAttribute && at.value == nil { // another attribute may have moved it
		return nil
	}
	return first
}

// columns reports whether the page may be read from columns, which follow the projector.
func (v *view) columns() bool { return v.f.OfAll() }

// floor returns the earliest instant as of which a comment may be shown. Copies
// follow the projector, but a server reads none for a while after a write of its
// own, so that its author sees it.
func (v *view) floor(id string) time.Time {
	switch last := v.last(id); {
	case v.columns() && last != nil && last.isOverlaid(v.c) && v.hasColumns() && v.cutShort(last):
		v.h.marks.add("a rebuild may have cut an overlay short")
		return earlier(v.older, v.overlaid(id))
	case v.columns() && last != nil && last.isOverlaid(v.c) && v.hasColumns():
		v.h.marks.add("an order showed what its server wrote")
		return v.own
	case v.columns():
		return earlier(v.older, v.overlaid(id))
	case !v.isOwn(last):
		return v.older
	case v.c.began.Sub(last.by.began) < copiesAge || v.older.Equal(v.from):
		return v.own
	}
	return v.older
}

// overlaid returns since when the overlay of the server that was asked for the page may have
// what it wrote to a comment, and so hide what others wrote after it; the page's own time if
// it does not.
func (v *view) overlaid(id string) time.Time {
	for _, mo := range v.h.model.comments[id] {
		if v.mayOverlay(mo) {
			return mo.at
		}
	}
	return v.from
}

// mayOverlay reports whether the server that was asked for the page made a change and may
// have it in its overlay.
func (v *view) mayOverlay(mo *moment) bool {
	mine := mo.by != nil && mo.by.process == v.c.process
	return v.columns() && mine && (mo.projected.IsZero() || mo.projected.After(v.since.kept.Add(-overlayAge)))
}

// overlaidStates returns how a comment never was, but may be in an overlay: an edit knows
// the votes that it read, and a vote the words, while others change them.
func (v *view) overlaidStates(id string) []*state {
	var out []*state
	for _, mo := range v.h.model.comments[id] {
		if mo.after == nil || !v.mayOverlay(mo) {
			continue
		}
		for _, read := range v.h.model.during(id, mo.by.began, mo.at) {
			if read == nil {
				continue
			}
			edited, voted := *mo.after, *read
			edited.up, edited.down = read.up, read.down
			voted.up, voted.down = mo.after.up, mo.after.down
			out = append(out, &edited, &voted)
		}
	}
	return out
}

// isOverlaid reports whether the overlay of the server of a call must have a change: it
// made it, and told so before the call.
func (mo *moment) isOverlaid(c *call) bool {
	voted := mo.by != nil && mo.by.casts != nil && mo.by.process == c.process && mo.by.err == nil && !mo.by.ended.IsZero() && !mo.by.ended.After(c.began)
	return voted || mo.isOwn(c)
}

// cutShort reports whether a rebuild may have ended the overlay of a change: a server that
// learns of a new generation takes its own writes of older ones for projected.
func (v *view) cutShort(mo *moment) bool {
	begins := mo.by.began.Add(-v.h.config.MetaAge - callTimeout) // what it knew of generations was no older
	metas := during(v.h.model.metas, begins, v.to, func(m metaMoment) (time.Time, metaMoment) { return m.at, m })
	return slices.ContainsFunc(metas, func(m metaMoment) bool { return m.generation != metas[0].generation })
}

// hasColumns reports whether the product had columns all the time: the first vote about
// one that has none makes them.
func (v *view) hasColumns() bool {
	return !slices.ContainsFunc(v.h.model.meanings(v.f.ProductID, v.own.Add(-v.h.config.MetaAge-callTimeout), v.to), func(m meant) bool { return m.none })
}

// last returns the last change of a comment in the product that the page is of,
// nil for none: what is done to it in another one says nothing about this page, nor
// does what no one is shown, nor do votes, which lists do not show.
func (v *view) last(id string) *moment {
	for _, mo := range slices.Backward(v.h.model.comments[id]) {
		if mo.concerns(v.f.ProductID) && !mo.unseen() && (v.f.Order.Field == plan.ByHelpful || !mo.onlyVotes()) {
			return mo
		}
	}
	return nil
}

// worded returns the last change of a comment by which the process that made it knows of
// its language: reports and replies tell nothing of that.
func (v *view) worded(id string) *moment {
	for _, mo := range slices.Backward(v.h.model.comments[id]) {
		if mo.concerns(v.f.ProductID) && !mo.unseen() && (mo.by == nil || mo.by.casts == nil && mo.by.verb != "report" && mo.by.verb != "reply") {
			return mo
		}
	}
	return nil
}

// isOwn reports whether a change was made by the server that was asked for the page.
func (v *view) isOwn(mo *moment) bool {
	return mo != nil && mo.by != nil && mo.by.process == v.c.process && !mo.by.ended.IsZero() && !mo.by.ended.After(v.c.began)
}

// has reports whether such comments are in the list.
func (v *view) has(language string, rating int, text, verified bool) bool {
	within := v.f.Languages.Has(language) || v.f.Regions && !strings.Contains(language, "-x-") &&
		slices.ContainsFunc(v.f.Languages.List(), func(tag string) bool { return strings.HasPrefix(language, tag+"-") })
	return within && v.f.Ratings.Has(rating) && v.f.Which().Passes((&stats.Counted{HasText: text, Verified: verified}).Which())
}

func (v *view) passes(s *state) bool {
	return !s.hidden() && s.product == v.f.ProductID && v.f.Created.Has(s.position().CreatedAt) && v.has(s.language, s.rating, s.text != "", s.verified()) && v.wants(s)
}

// follows reports whether there may have been a comment beyond the page.
func (v *view) follows(got store.Page) bool {
	if !v.w.Backward && v.w.Before != nil || v.w.Backward && v.w.After != nil || len(got.Items) == 0 || !v.sure {
		return true
	}
	last := v.spots[len(v.spots)-1]
	if v.w.Backward {
		last = v.spots[0]
	}
	for _, id := range v.h.model.ids {
		for _, s := range append(v.h.model.during(id, earlier(v.older, v.floor(id)), v.to), v.overlaidStates(id)...) {
			if s != nil && v.passes(s) && (v.early(id) || v.inWindow(v.spotOf(s)) && v.beyond(v.spotOf(s), last)) {
				return true
			}
		}
	}
	return false
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
		if v.sure && !v.inWindow(v.spots[i]) || c[i].ProductID != v.f.ProductID || !v.f.Created.Has(c[i].CreatedAt) ||
			!v.has(c[i].Language, c[i].Rating, c[i].Text != "" || c[i].TextElsewhere, c[i].IsVerified()) {
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

// shows checks that a comment was like that at a moment that the page may show.
func (v *view) shows(c *store.Comment, at spot) {
	want := v.carried(stateOf(c).listed(c.TextElsewhere))
	states := append(v.h.model.during(c.ID, v.floor(c.ID), v.to), v.overlaidStates(c.ID)...)
	explained := func(s *state) bool {
		return s != nil && !s.hidden() && v.carried(s.listed(c.TextElsewhere)) == want && (!v.sure || v.early(c.ID) || v.compare(v.spotOf(s), at) == 0 && v.wants(s) && v.shownAs(c, s))
	}
	// Columns are joined that were read one after the other, so while a comment changes
	// what one of them says of it may be of before, of the next of after, or missing.
	each := func(f plan.AttributeFilter) bool {
		return slices.ContainsFunc(states, func(s *state) bool { return s != nil && wanted(v.meaning, f, s.says(v.meaning)[f.Key]) })
	}
	joined := func(s *state) bool {
		return s != nil && !s.hidden() && v.carried(s.listed(c.TextElsewhere)) == want && v.shownAs(c, s) &&
			!slices.ContainsFunc(v.filters, func(f plan.AttributeFilter) bool { return !each(f) }) &&
			slices.ContainsFunc(states, func(o *state) bool {
				return o != nil && (v.compare(v.spotOf(o), at) == 0 || at.value == nil && key.Compare(s.position(), at.at) == 0)
			})
	}
	if !slices.ContainsFunc(states, explained) && (len(v.filters) == 0 || len(states) < 2 || !slices.ContainsFunc(states, joined)) {
		v.h.fail("shown", c.ID, "%s shows %s, which no moment since %s explains", v.c, &want, v.floor(c.ID).Sub(v.h.began))
	}
	if len(states) > 1 {
		v.h.marks.add("a page was read while a comment of it changed")
	}
	if slices.ContainsFunc(states, func(s *state) bool { return s != nil && s.rating != c.Rating }) {
		v.h.marks.add("a page was read while a rating moved")
	}
}

// copies reports whether the page may be read from copies, which follow the projector.
func (v *view) copies() bool {
	return len(v.f.Ratings.List()) > 1 && slices.ContainsFunc(v.h.model.metasDuring(v.since.kept.Add(-v.h.config.MetaAge-callTimeout), v.to), func(m metaMoment) bool {
		return m.powerSets[v.f.ProductID] == settings.IndexReadable
	})
}

// movedMeanwhile reports whether a comment had several places while the page was read.
func (v *view) movedMeanwhile(id string) bool {
	states := v.h.model.during(id, v.older, v.to)
	return slices.ContainsFunc(states, func(s *state) bool {
		return s == nil || states[0] == nil || s.product != states[0].product || v.compare(v.spotOf(s), v.spotOf(states[0])) != 0
	})
}

// early reports whether it may not be known that a comment was found helpful: no column
// says so before it is projected, and as long as a product has none the list is by time. Until
// the column has all comments it has one that is touched when that is projected, too.
func (v *view) early(id string) bool {
	if v.f.Order.Field != plan.ByHelpful || !v.none && !v.part {
		return false
	}
	return slices.ContainsFunc(v.h.model.comments[id], func(mo *moment) bool {
		return !mo.at.After(v.to) && (mo.projected.IsZero() || mo.projected.After(v.from) || v.part && mo.after != nil && mo.after.helpful() > 0)
	})
}

// carried leaves out what columns need not carry.
func (v *view) carried(s state) state {
	if v.columns() {
		s.version, s.updated = 0, 0
	}
	return s
}

// shownAs reports whether a comment comes with those attributes that lists show.
func (v *view) shownAs(c *store.Comment, s *state) bool {
	if !v.steady {
		return true
	}
	got, want := members(string(c.Shown)), s.says(v.meaning)
	for k, is := range want {
		d := v.meaning[k]
		if !d.Shown {
			continue
		}
		if value := means(d, got[k]); value == nil || compareValues(d, value, is) != 0 {
			return false
		}
		delete(got, k)
	}
	return len(got) == 0
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

// wants reports whether a comment has the attributes that the filter wants.
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

// wanted reports whether a filter wants a value.
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
