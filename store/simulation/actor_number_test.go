package simulation

import (
	"time"

	"product-comments/store"
	"product-comments/store/comment/stats"
	"product-comments/store/key"
	"product-comments/store/read/plan"
)

// numbering is what is asked of a list about the numbers of its comments.
type numbering struct {
	plan.Filter
	Offset int
	Near   string // a comment, whose place is looked for
	Fresh  bool
}

// numbers asks what page numbers need of a list by time or by rating, or for a timeline.
func numbers(a *act) {
	if a.chance(0.2) {
		scope := stats.Scope{ProductID: a.product()}
		if a.chance(0.4) {
			scope.Language = a.language()
		}
		a.timeline(scope)
		return
	}
	f := a.filter()
	if f.Regions = false; a.chance(0.6) {
		f.Order = plan.Order{Field: []plan.Field{plan.ByTime, plan.ByRating}[a.IntN(2)], Ascending: a.chance(0.5)}
	}
	a.numbers(numbering{f, a.IntN(1 + a.IntN(12)), a.model.someID(a), a.fresh()})
}

// numbers asks for them, and checks that each is that of a moment: as exact as counts.
func (a *act) numbers(n numbering) {
	f := n.Filter
	v := &view{h: a.history, f: f}
	c, ctx := a.begin("numbers", n)
	ctx = asFresh(ctx, n.Fresh)
	what := countsOf(stats.Scope{ProductID: f.ProductID})
	since := c.process.begunBy(ctx, []string{f.ProductID}, what, c)
	var count, before int
	var at, near key.Position
	var ok, listed bool
	list, err := a.server.store.Offsets(ctx, f, a.server.store.PageNumbers().Of(f.ProductID))
	if err == nil {
		count, err = list.Count(ctx)
	}
	if err == nil {
		at, ok, err = list.At(ctx, n.Offset)
	}
	if err == nil {
		var c *store.Comment
		if c, err = a.server.store.Get(ctx, n.Near); err == nil {
			near, listed = store.PositionOf(f, c)
		}
	}
	if err == nil && listed {
		before, err = list.Before(ctx, near, false)
	}
	c.process.endedRead(what, c)
	a.end(c, err, "%d comments, at %d %t %q, %t %q has %d before it", count, n.Offset, ok, at.CommentID, listed, n.Near, before)
	if !a.trusts(c, err) {
		return
	}
	m := a.model
	m.mu.Lock()
	defer m.mu.Unlock()
	from := since.kept.Add(-a.config.Double.IndexLag)
	overtaken := m.overtaken(c, f.ProductID, from)
	is := func(what string, got int, in func(*state) bool) {
		want := m.countBounds(c, func(s *state) bool { return v.passes(s) && in(s) }, from, time.Now()).wider(overtaken)
		if !want.has(got) {
			a.fail("numbers", "", "%s: %s %d, which are %d to %d", c, what, got, want.least, want.most)
		}
		if want.least != want.most {
			a.marks.add("numbers were read that were behind")
		}
	}
	is("the list has", count, func(*state) bool { return true })
	if listed {
		is("before it are", before, func(s *state) bool { return v.compare(v.spotOf(s), v.spotAt(near)) < 0 })
	}
	if ok {
		is("at its offset is what has before it", n.Offset, func(s *state) bool { return v.compare(v.spotOf(s), v.spotAt(at)) < 0 })
		a.marks.add("a comment was found by its number")
	} else {
		is("nothing is at its offset, beyond", min(count, n.Offset), func(*state) bool { return true })
	}
}

// timeline reads how many comments there are of each day, and checks them as counts.
func (a *act) timeline(scope stats.Scope) {
	c, ctx := a.begin("timeline", scope)
	what := countsOf(stats.Scope{ProductID: scope.ProductID})
	since := c.process.begunBy(ctx, []string{scope.ProductID}, what, c)
	days, err := a.server.store.PageNumbers().Of(scope.ProductID).Timeline(ctx, scope.Language, time.Time{}, time.Time{})
	c.process.endedRead(what, c)
	a.end(c, err, "%d days", len(days))
	if !a.trusts(c, err) {
		return
	}
	counted := map[time.Time]stats.Tally{}
	for _, d := range days {
		counted[d.Date] = d.Tally
	}
	m := a.model
	m.mu.Lock()
	defer m.mu.Unlock()
	from := since.kept.Add(-a.config.Double.IndexLag)
	overtaken := m.overtaken(c, scope.ProductID, from)
	dayOf := func(s *state) time.Time { return s.position().CreatedAt.Truncate(24 * time.Hour) }
	for _, mo := range m.moments {
		if mo.after != nil && mo.after.product == scope.ProductID {
			if _, ok := counted[dayOf(mo.after)]; !ok {
				counted[dayOf(mo.after)] = stats.Tally{}
			}
		}
	}
	for day, tally := range counted {
		for i, n := range tally {
			want := m.countBounds(c, func(s *state) bool {
				return s.product == scope.ProductID && (scope.Language == "" || s.language == scope.Language) && s.rating == i+1 && dayOf(s).Equal(day)
			}, from, time.Now()).wider(overtaken)
			if !want.has(n) {
				a.fail("numbers", "", "%s counts %d of %s rated %d, which are %d to %d", c, n, day.Format(time.DateOnly), i+1, want.least, want.most)
			}
		}
	}
	a.marks.add("a timeline was read")
}
