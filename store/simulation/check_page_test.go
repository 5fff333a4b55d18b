package simulation

import (
	"slices"
	"strings"
	"time"

	"product-comments/store"
	"product-comments/store/comment/stats"
	"product-comments/store/key"
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
	v.listed = v.behind(v.from.Add(-plannedAge))
	if v.copies() || v.columns() {
		v.older = v.behind(v.from) // copies stand in an index, too
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
		v.shows(got.Items[i], v.spots[i])
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

// behind returns how far indexes of the list's products may be behind.
func (v *view) behind(since time.Time) time.Time {
	first := since
	for _, product := range v.f.Products() {
		first = earlier(first, v.h.model.behind(product, since))
	}
	return first
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

// last returns the last change of a comment in the product that the page is of,
// nil for none: what is done to it in another one says nothing about this page, nor
// does what no one is shown, nor do votes, which lists do not show.
func (v *view) last(id string) *moment {
	for _, mo := range slices.Backward(v.h.model.comments[id]) {
		if slices.ContainsFunc(v.f.Products(), mo.concerns) && !mo.unseen() && (v.f.Order.Field == plan.ByHelpful || !mo.onlyVotes()) {
			return mo
		}
	}
	return nil
}

// worded returns the last change of a comment by which the process that made it knows of
// its language: reports and replies tell nothing of that.
func (v *view) worded(id string) *moment {
	for _, mo := range slices.Backward(v.h.model.comments[id]) {
		if slices.ContainsFunc(v.f.Products(), mo.concerns) && !mo.unseen() && (mo.by == nil || mo.by.casts == nil && mo.by.verb != "report" && mo.by.verb != "reply") {
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
func (v *view) has(language string, rating int, which stats.Which) bool {
	within := v.f.Languages.Has(language) || v.f.Regions && !strings.Contains(language, "-x-") &&
		slices.ContainsFunc(v.f.Languages.List(), func(tag string) bool { return strings.HasPrefix(language, tag+"-") })
	return within && v.f.Ratings.Has(rating) && v.f.Which().Passes(which)
}

func (v *view) passes(s *state) bool {
	return !s.hidden() && slices.Contains(v.f.Products(), s.product) && v.f.Created.Has(s.position().CreatedAt) && v.has(s.language, s.rating, s.dimensions()) && v.wants(s)
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
		return slices.ContainsFunc(v.f.Products(), func(product string) bool { return m.powerSets[product] == settings.IndexReadable })
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
