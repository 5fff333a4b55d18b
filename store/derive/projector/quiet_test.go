package projector

import (
	"testing"
	"testing/synctest"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// The first counts of a rebuild are written only when every process knows that
// it has begun; so is what follows records that were lost.
func TestQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tbl := table.New(nil, "comments", table.Options{})
		s := settings.New(tbl, settings.Options{})
		p := New(tbl, s)
		want := func(now settings.Settings, want time.Duration) {
			t.Helper()
			testkit.Equal(t, p.settleWait(now), want, "%q of generation %d: quiet for", now.State, now.Generation)
		}
		first := settings.Settings{State: settings.StateRebuilding, Generation: 1}
		want(settings.Settings{State: settings.StateKept}, 0)
		want(first, s.SettleTime())
		time.Sleep(time.Second)
		want(first, s.SettleTime()-time.Second)
		time.Sleep(s.SettleTime())
		want(first, 0)
		want(settings.Settings{State: settings.StateBroken, Generation: 1}, s.SettleTime())
		want(settings.Settings{State: settings.StateRebuilding, Generation: 2}, s.SettleTime())
	})
}
