package simulation

import (
	"slices"
	"time"

	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/settings"
	"product-comments/store/stats"
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
	a.counts(scopes)
}

// counts reads counts, and checks them.
func (a *act) counts(scopes []stats.Scope) {
	what := ""
	for _, scope := range scopes {
		what += " " + scope.ProductID + "/" + scope.Language
	}
	c, ctx := a.begin("statistics", "of%s", what)
	since := make([]asOf, len(scopes))
	for i, scope := range scopes {
		since[i] = c.process.begunBy(scope.ProductID, "counts "+scope.ProductID+"/"+scope.Language, c)
	}
	got, err := a.server.store.Statistics(ctx, scopes)
	for _, scope := range scopes {
		c.process.endedRead("counts "+scope.ProductID+"/"+scope.Language, c)
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
	w := store.RankWindow{Limit: 1 + a.IntN(5), Backward: a.chance(0.3)}
	c, ctx := a.begin("leaderboard", "%q %+v", language, w)
	got, err := a.server.store.Leaderboard(ctx, language, w)
	a.end(c, err, "%v", got.Items)
	if a.trusts(c, err) {
		a.model.ranksAre(c, language, w, got, c.began.Add(-a.config.Double.IndexLag), time.Now())
	}
}

// untrusted tells whether an error is that statistics are not kept, and rightly so.
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
