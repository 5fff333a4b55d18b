package statistics_test

import (
	"testing"

	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/stats"
	"product-comments/store/storetest"
)

// Statistics that nobody keeps are refused, not zero.
func TestStatisticsBeforeAProjector(t *testing.T) {
	s := newStore(t, store.Options{})
	if _, err := s.Statistics(t.Context(), []stats.Scope{{ProductID: "1"}}); errs.CodeOf(err) != errs.Unavailable {
		t.Errorf("got %v", err)
	}
	if _, err := s.Leaderboard(t.Context(), "", store.RankWindow{Limit: 1}); errs.CodeOf(err) != errs.Unavailable {
		t.Errorf("got %v", err)
	}
	storetest.Project(t, s.Projector())
	if _, err := s.Statistics(t.Context(), []stats.Scope{{ProductID: "1"}}); err != nil {
		t.Error(err)
	}
}
