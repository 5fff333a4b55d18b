package simulation

import (
	"slices"
	"time"

	"product-comments/store"
	"product-comments/store/comment/stats"
	"product-comments/store/errs"
	"product-comments/store/index/counts/ranking"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/settings"
)

// scoring is a scoring of products, with the number of the last scoring that all entries of the
// leaderboard have.
type scoring struct {
	mean, weight, least, number, ranked int
}

func scoringOf(it item) scoring {
	return scoring{number(it, "scoreMean", 3500), number(it, "scoreWeight", 10), number(it, "scoreLeast", 5), number(it, "scorings", 0), number(it, "ranked", 0)}
}

// readable reports whether the leaderboard by score is shown.
func (s scoring) readable() bool { return s.ranked > 0 && s.ranked == s.number }

// of returns the score of comments, 0 if they are too few.
func (s scoring) of(t stats.Tally) int {
	sum := 0
	for i, n := range t {
		sum += (i + 1) * n
	}
	if t.Total() < s.least {
		return 0
	}
	return ranking.Score(s.mean, s.weight, t.Total(), sum)
}

// setScoring is the operator's command.
func setScoring(a *act) {
	a.setsScoring(settings.Scoring{Mean: 1000 * (1 + a.IntN(5)), Weight: 1 + a.IntN(9), Least: 1 + a.IntN(4)})
}

func (a *act) setsScoring(to settings.Scoring) {
	c, ctx := a.begin("scoring", to)
	c.explain = same
	err := a.server.store.SetScoring(ctx, to, store.ScoringOptions{})
	a.end(c, err, "")
	switch {
	case err == nil:
		a.marks.add("products were ranked by another score")
	case errs.CodeOf(err) == errs.Conflict: // the statistics are being rebuilt, or another call changes them
		a.marks.add("two changed the scoring, or one while the statistics were rebuilt")
	default:
		a.tolerable(c, err)
	}
}

// finishScoring ends what operators began and were stopped at.
func (h *history) finishScoring() bool {
	h.model.mu.Lock()
	s := h.model.meta().scoring
	h.model.mu.Unlock()
	if s.readable() {
		return true
	}
	operator := h.start("operator", 0)
	defer operator.kill()
	a := &act{history: h, server: operator, dice: h.dice("finish")}
	c, ctx := a.begin("scoring", "go on")
	c.explain = same
	err := operator.store.SetScoring(ctx, settings.Scoring{}, store.ScoringOptions{})
	a.end(c, err, "")
	if err != nil {
		h.fail("stuck", "", "everything is quiet, but %s failed: %v", c, err)
		return false
	}
	h.marks.add("a change of the scoring that was stopped half-way was finished")
	return true
}

// scored checks whether the leaderboard by score is shown while all products are ranked, and
// only then; ok is false if it is not shown, or if it may be by one scoring or another.
func (a *act) scored(c *call, err error) (by scoring, ok bool) {
	var shown []scoring
	refused := false
	for _, m := range a.model.metasDuring(c.began.Add(-a.config.MetaAge-callTimeout), time.Now()) {
		if m.scoring.readable() {
			shown = append(shown, m.scoring)
		} else {
			refused = true
		}
	}
	if refused && errs.CodeOf(err) == errs.Unavailable {
		a.marks.add("the leaderboard by score was refused")
		return by, false
	}
	if !a.trusts(c, err) {
		return by, false
	}
	if len(shown) == 0 {
		a.fail("trust", "", "%s shows a leaderboard by score of which not all is made", c)
		return by, false
	}
	return shown[0], len(slices.Compact(shown)) == 1
}

// scoresAre checks the numbers of a leaderboard by score that was read, and that it lacks no
// product.
func (m *model) scoresAre(c *call, of store.Board, by scoring, w store.RankWindow, got list.Page[key.Rank], from, to time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, product := range m.h.config.Products {
		var counts [5]bounds
		for i := range counts {
			counts[i] = m.countBounds(nil, func(s *state) bool {
				return s.product == product && s.rating == i+1 && (of.Language == "" || s.language == of.Language)
			}, from, to)
		}
		// The score is the least and the most with as many or as few of each rating. A product
		// that may have too few has none, or one of the scores that more would have.
		var scores []int
		all, fewest := by, 0
		all.least = 0
		for choice := range 1 << len(counts) {
			var t stats.Tally
			for i, n := range counts {
				if t[i] = max(0, n.least); choice>>i&1 == 1 {
					t[i] = n.most
				}
			}
			if choice == 0 {
				fewest = t.Total()
			}
			scores = append(scores, all.of(t))
		}
		least, most := slices.Min(scores), slices.Max(scores)
		if fewest < by.least {
			least = 0
		}
		i := slices.IndexFunc(got.Items, func(r key.Rank) bool { return r.ProductID == product })
		switch {
		case i >= 0 && (got.Items[i].Number > most || got.Items[i].Number < least && least > 0):
			m.h.fail("counts", "", "%s gives %q the score %d, which is %d to %d", c, product, got.Items[i].Number, least, most)
		case i < 0 && least > 0 && len(got.Items) < w.Limit:
			m.h.fail("ranks", "", "%s lacks product %q, whose score is %d to %d", c, product, least, most)
		case i >= 0:
			m.h.marks.add("a product was ranked by score")
		}
	}
}

// score takes an entry of the leaderboard by score.
func (x *demanded) score(it item, product, language string) string {
	rank, ok := key.ParseRank(text(it, key.GSISK))
	if in := key.Scores(language).Value; !ok || rank.ProductID != product || text(it, key.GSIPK) != in {
		return "it is not in its leaderboard"
	}
	x.scores[stats.Scope{ProductID: product, Language: language}] -= rank.Number
	x.h.marks.add("scores were compared at the end")
	return ""
}
