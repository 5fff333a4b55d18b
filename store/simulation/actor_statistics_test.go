package simulation

import (
	"slices"
	"time"

	"product-comments/store"
	"product-comments/store/comment/stats"
	"product-comments/store/errs"
	"product-comments/store/index/attributestats"
	"product-comments/store/settings"
)

// statistics reads counts of some scopes.
func statistics(a *act) {
	scopes := make([]stats.Scope, 1+a.IntN(2)*a.IntN(3))
	for i := range scopes {
		scopes[i] = stats.Scope{ProductID: a.product()}
		if a.chance(0.5) {
			scopes[i].Language = a.language()
		}
	}
	a.counts(counting{scopes, a.fresh()})
	if !a.config.Attributes {
		return
	}
	var keys []string
	for k := range sorted(a.model.meaning(scopes[0].ProductID)) {
		keys = append(keys, k)
	}
	if len(keys) > 0 {
		a.values(attributestats.Attribute{ProductID: scopes[0].ProductID, Language: scopes[0].Language, Key: keys[a.IntN(len(keys))]})
	}
}

// values reads the statistics of an attribute, and checks how many comments have a value
// and which choices: as exactly as counts of comments, while no one changes definitions.
func (a *act) values(of attributestats.Attribute) {
	c, ctx := a.begin("values", of)
	read, err := a.server.store.AttributeStats().Read(ctx, []attributestats.Attribute{of})
	a.end(c, err, "")
	if !a.trusts(c, err) {
		return
	}
	from := c.began.Add(-a.config.Double.IndexLag)
	since := a.model.behind(of.ProductID, from)
	m := a.model.meaning(of.ProductID)
	a.model.mu.Lock()
	defer a.model.mu.Unlock()
	if !a.model.steady(of.ProductID, since, time.Now()) || m[of.Key] == nil {
		return
	}
	in := func(s *state) bool {
		return s.product == of.ProductID && (of.Language == "" || s.language == of.Language)
	}
	got := read[0]
	counts := map[string]int{"": got.Numbers + got.Others + got.Chosen()}
	for _, o := range m[of.Key].Options {
		counts[o.Value] = got.Choices[o.Value]
	}
	for choice, n := range counts {
		want := a.model.countBounds(c, func(s *state) bool {
			says := s.says(m)[of.Key]
			return in(s) && says != nil && (choice == "" || m[of.Key].Options[says.(int)].Value == choice)
		}, from, time.Now())
		if !want.has(n) {
			a.fail("counts", "", "%s counts %d comments with a value %q, which are %d to %d", c, n, choice, want.least, want.most)
		}
		if want.least != want.most {
			a.marks.add("statistics of attributes were read that were behind")
		}
	}
	a.marks.add("values were counted")
}

// counting is what counts are read of.
type counting struct {
	Scopes []stats.Scope
	Fresh  bool // for a viewer who shares no read
}

// countsOf names a read of the statistics of a scope, which others may share. Page
// numbers of a product begin with it, too.
func countsOf(scope stats.Scope) string { return "counts " + scope.ProductID + "/" + scope.Language }

// counts reads counts, and checks them.
func (a *act) counts(r counting) {
	c, ctx := a.begin("statistics", r)
	scopes := r.Scopes
	ctx = asFresh(ctx, r.Fresh)
	since := make([]asOf, len(scopes))
	for i, scope := range scopes {
		since[i] = c.process.begunBy(ctx, []string{scope.ProductID}, countsOf(scope), c)
	}
	got, err := a.server.store.Statistics(ctx, scopes)
	for _, scope := range scopes {
		c.process.endedRead(countsOf(scope), c)
	}
	a.end(c, err, "%v", got)
	if !a.trusts(c, err) {
		return
	}
	for i, scope := range scopes {
		a.model.countsAre(c, scope, got[i], since[i].kept.Add(-a.config.Double.IndexLag), time.Now())
	}
}

// leaderboard reads the leaders in a language or in any.
func leaderboard(a *act) {
	language := ""
	if a.chance(0.4) {
		language = a.language()
	}
	a.leaders(leading{store.Board{ByScore: a.chance(0.5), Language: language}, store.RankWindow{Limit: 1 + a.IntN(5), Backward: a.chance(0.3)}})
}

// leading is which part of a leaderboard is read.
type leading struct {
	store.Board
	store.RankWindow
}

func (a *act) leaders(l leading) {
	c, ctx := a.begin("leaderboard", l)
	of, w := l.Board, l.RankWindow
	got, err := a.server.store.Leaderboard(ctx, of, w)
	a.end(c, err, "%v", got.Items)
	from, to := c.began.Add(-a.config.Double.IndexLag), time.Now()
	if !of.ByScore {
		if a.trusts(c, err) {
			a.model.inOrder(c, w, got)
			a.model.ranksAre(c, of.Language, w, got, from, to)
		}
		return
	}
	if by, ok := a.scored(c, err); ok {
		a.model.inOrder(c, w, got)
		a.model.scoresAre(c, of, by, w, got, from, to)
	}
}

// untrusted reports whether an error is that statistics are not kept, and rightly so.
func (a *act) untrusted(c *call, err error) bool {
	states := a.model.metasDuring(c.began.Add(-a.config.MetaAge-callTimeout), time.Now())
	return errs.CodeOf(err) == errs.Unavailable && slices.ContainsFunc(states, func(m metaMoment) bool { return m.state != settings.StateKept })
}

// trusts checks whether statistics are shown when they are kept, and only then.
func (a *act) trusts(c *call, err error) bool {
	states := a.model.metasDuring(c.began.Add(-a.config.MetaAge-callTimeout), time.Now())
	kept := func(m metaMoment) bool { return m.state == settings.StateKept }
	switch {
	case err == nil && !slices.ContainsFunc(states, kept):
		a.fail("trust", "", "%s shows statistics that are not kept", c)
		return false
	case err == nil:
		return true
	case a.untrusted(c, err):
		a.marks.add("statistics were refused")
		return false
	}
	a.tolerable(c, err)
	return false
}
