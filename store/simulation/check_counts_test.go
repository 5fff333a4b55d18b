package simulation

import (
	"slices"
	"strings"
	"time"

	"product-comments/store"
	"product-comments/store/comment/stats"
	"product-comments/store/key"
	"product-comments/store/key/list"
)

// bounds are the minimum and the maximum of a count. Projected changes are counted. Any part of the
// other changes may be.
type bounds struct{ least, most int }

func (b bounds) has(n int) bool { return n >= b.least && n <= b.most }

// wider returns the bounds with so much more room on either side.
func (b bounds) wider(by int) bounds { return bounds{b.least - by, b.most + by} }

// countBounds returns the bounds of how many comments pass, as of any moment
// from one instant to another. What the server of a call wrote before it is counted,
// projected or not; of places in the leaderboard, which are as they were written,
// the call is nil. The caller holds the lock.
func (m *model) countBounds(c *call, passes func(*state) bool, from, to time.Time) bounds {
	var b bounds
	counts := passes
	passes = func(s *state) bool { return !s.hidden() && counts(s) }
	for _, mo := range m.moments {
		if mo.mayBeOwn(c) && (mo.after != nil && passes(mo.after) || mo.before != nil && passes(mo.before)) && m.onTop(mo, c, from) {
			b.least, b.most = b.least-1, b.most+1
			m.h.marks.add("a server counted what it wrote over what was not counted yet")
		}
		delta := one(mo.after != nil && passes(mo.after)) - one(mo.before != nil && passes(mo.before))
		switch {
		case delta == 0 || mo.at.After(to):
		case mo.isOwn(c):
			if mo.projected.IsZero() {
				m.h.marks.add("a server counted its own write ahead of the projector")
			}
			b.least += delta
			b.most += delta
		case !mo.projected.IsZero() && mo.projected.Before(from):
			b.least += delta
			b.most += delta
		case delta < 0:
			b.least--
		default:
			b.most++
		}
	}
	return b
}

// isOwn reports whether a change is one that the server of a call must count by
// itself: it made it, and told so before the call. Of an update that took effect
// twice, after more writes than its item remembers, it tells of the second time.
func (mo *moment) isOwn(c *call) bool {
	return mo.mayBeOwn(c) && mo.by.err == nil && !mo.by.ended.IsZero() && !mo.by.ended.After(c.began) && mo.by.commits[len(mo.by.commits)-1] == mo
}

// mayBeOwn reports whether a change is one that the server of a call made, and so may
// count by itself: it may have been acknowledged while the call went on. What it
// imported is counted when it is projected, and so is what is as old as the stream's
// oldest records.
func (mo *moment) mayBeOwn(c *call) bool {
	if c == nil || mo.by == nil || mo.by.process != c.process {
		return false
	}
	return slices.Contains([]string{"create", "update", "delete", "decide", "report", "remove photo"}, mo.by.verb) && time.Since(mo.at) < streamKeeps-time.Minute
}

// overtaken returns how many writes of a call's server to a product may have followed others
// of the same comment that are not counted yet. Each may be missing where that comment is by
// now, and be counted where it was.
func (m *model) overtaken(c *call, product string, from time.Time) (n int) {
	for _, mo := range m.moments {
		of := func(s *state) bool { return s != nil && s.product == product }
		if mo.mayBeOwn(c) && (of(mo.after) || of(mo.before)) && m.onTop(mo, c, from) {
			n++
		}
	}
	return n
}

// onTop reports whether a change followed one of the comment by another person that may
// not be counted yet. What it took away then was not there to be taken.
func (m *model) onTop(mo *moment, c *call, from time.Time) bool {
	for _, earlier := range m.comments[mo.id] {
		if earlier == mo {
			return false
		}
		if !earlier.isOwn(c) && (earlier.projected.IsZero() || !earlier.projected.Before(from)) {
			return true
		}
	}
	return false
}

// countsAre checks statistics that were read.
func (m *model) countsAre(c *call, scope stats.Scope, got stats.Statistics, from, to time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	in := func(s *state) bool {
		return s.product == scope.ProductID && (scope.Language == "" || s.language == scope.Language)
	}
	for i, n := range got.Tally {
		want := m.countBounds(c, func(s *state) bool { return in(s) && s.rating == i+1 }, from, to)
		if !want.has(n) {
			m.h.fail("counts", "", "%s counts %d comments of %q %q rated %d, which are %d to %d", c, n, scope.ProductID, scope.Language, i+1, want.least, want.most)
		}
		if want.least != want.most {
			m.h.marks.add("counts were read that were behind")
		}
	}
	if scope.Language != "" {
		return
	}
	m.detailsAre(c, scope.ProductID, got, from, to)
	languages := slices.Clone(m.h.config.Languages)
	for language := range got.Languages {
		languages = append(languages, language)
	}
	for _, language := range languages {
		want := m.countBounds(c, func(s *state) bool { return in(s) && s.language == language }, from, to)
		if !want.has(got.Languages[language]) {
			m.h.fail("counts", "", "%s counts %d comments of %q in %q, which are %d to %d", c, got.Languages[language], scope.ProductID, language, want.least, want.most)
		}
	}
}

// detailsAre checks the counts by language and rating, of comments with a text, and of those by buyers.
func (m *model) detailsAre(c *call, product string, got stats.Statistics, from, to time.Time) {
	for _, which := range []stats.Which{0, stats.Text, stats.Verified, stats.Text | stats.Verified, stats.Photos, stats.Photos | stats.Text, stats.Incentivized, stats.NotIncentivized} {
		by, ok := got.Counted("", 0, which)
		if !ok {
			if m.h.config.LongAgo == 0 {
				m.h.fail("counts", "", "%s does not count %q by language and rating", c, product)
			}
			return
		}
		for _, language := range m.h.config.Languages {
			for i, n := range by[language] {
				want := m.countBounds(c, func(s *state) bool {
					return s.product == product && s.language == language && s.rating == i+1 && which.Passes(s.dimensions())
				}, from, to)
				if !want.has(n) {
					m.h.fail("counts", "", "%s counts %d comments of %q in %q rated %d, dimensions %b, which are %d to %d", c, n, product, language, i+1, which, want.least, want.most)
				}
			}
		}
		m.h.marks.add("comments were counted by language, rating and text")
	}
}

// inOrder checks the order and the length of a leaderboard that was read.
func (m *model) inOrder(c *call, w store.RankWindow, got list.Page[key.Rank]) {
	if len(got.Items) > w.Limit {
		m.h.fail("ranks", "", "%s has %d ranks", c, len(got.Items))
	}
	sorted := slices.IsSortedFunc(got.Items, func(a, b key.Rank) int { return strings.Compare(b.SortKey(), a.SortKey()) })
	if !sorted {
		m.h.fail("ranks", "", "%s is in the wrong order: %v", c, got.Items)
	}
}

// ranksAre checks the counts of a leaderboard that was read, and that it lacks no product
// whose place is within it.
func (m *model) ranksAre(c *call, language string, w store.RankWindow, got list.Page[key.Rank], from, to time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, product := range m.h.config.Products {
		fives := m.countBounds(nil, func(s *state) bool {
			return s.product == product && s.rating == 5 && (language == "" || s.language == language)
		}, from, to)
		i := slices.IndexFunc(got.Items, func(r key.Rank) bool { return r.ProductID == product })
		switch {
		case i >= 0 && !fives.has(got.Items[i].Number):
			m.h.fail("counts", "", "%s counts %d fives of %q, which are %d to %d", c, got.Items[i].Number, product, fives.least, fives.most)
		case i < 0 && fives.least > 0 && len(got.Items) < w.Limit:
			m.h.fail("ranks", "", "%s lacks product %q, which has %d to %d fives", c, product, fives.least, fives.most)
		}
	}
}
