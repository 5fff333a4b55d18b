package table

import (
	"testing"
	"testing/synctest"
	"time"

	"product-comments/internal/testkit"
)

// Whoever loses to other writers tries again often: of five seconds none may go by
// in a few long pauses.
func TestRacesPauseBriefly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		race := New(nil, "comments", Options{}).NewRace()
		for range 20 {
			began := time.Now()
			testkit.Must(t, race.Wait(t.Context()))
			took := time.Since(began)
			testkit.Check(t, took <= 3*MostAfterALoss/2, "it pauses for %s", took)
		}
	})
}
