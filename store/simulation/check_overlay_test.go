package simulation

import (
	"slices"
	"time"
)

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
