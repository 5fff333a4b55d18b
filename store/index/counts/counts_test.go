package counts_test

import (
	"testing"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/stats"
	"product-comments/store/errs"
	"product-comments/store/storetest"
)

// Statistics that no one keeps are refused, not zero.
func TestStatisticsBeforeAProjector(t *testing.T) {
	s := newStore(t, store.Options{})
	_, err := s.Statistics(t.Context(), []stats.Scope{{ProductID: "1"}})
	testkit.Check(t, errs.CodeOf(err) == errs.Unavailable, "got %v", err)
	_, err = s.Leaderboard(t.Context(), store.Board{}, store.RankWindow{Limit: 1})
	testkit.Check(t, errs.CodeOf(err) == errs.Unavailable, "got %v", err)
	storetest.Project(t, s.Projector())
	testkit.Value(s.Statistics(t.Context(), []stats.Scope{{ProductID: "1"}}))(t)
}
