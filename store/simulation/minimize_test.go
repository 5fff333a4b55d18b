package simulation

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"product-comments/internal/testkit"
)

// minimize looks for a shorter script that breaks the same rule as a history did, and
// prints the shortest that it finds in so many RUNS and SECONDS.
func minimize(t *testing.T, broken *history) {
	runs, until := setting(t, "RUNS", 2000), time.Now().Add(time.Duration(setting(t, "SECONDS", 120))*time.Second)
	rule, shortest, often := broken.failures[0].rule, broken.script(), 10
	fails := func(s script) bool {
		for range often {
			if runs--; runs < 0 || time.Now().After(until) {
				return false
			}
			if h := play(t, s, &marks{}); len(h.failures) > 0 && h.failures[0].rule == rule {
				return true
			}
		}
		return false
	}
	if !fails(shortest) {
		t.Logf("its %d operations, played %d times, do not break the rule %q:\n%s", len(shortest.lines), often, rule, shortest)
		return
	}
	often = 2
	shortest.lines = fewer(shortest.lines, func(some []line) bool {
		return fails(script{shortest.seed, shortest.config, some})
	})
	for i, l := range shortest.lines { // comments of a file, and the like
		var parts []json.RawMessage
		if json.Unmarshal(l.args.(json.RawMessage), &parts) != nil {
			continue
		}
		with := func(some []json.RawMessage) script {
			s := script{shortest.seed, shortest.config, slices.Clone(shortest.lines)}
			s.lines[i].args = json.RawMessage(testkit.Value(json.Marshal(some))(t))
			return s
		}
		shortest = with(fewer(parts, func(some []json.RawMessage) bool { return fails(with(some)) }))
	}
	t.Logf("of its %d operations these %d break the rule %q:\n%s", len(broken.noted), len(shortest.lines), rule, shortest)
}

// fewer leaves out what it can while the rest fails: halves, then quarters, and so on, and
// in the end one after the other until none can be left out (Zeller's delta debugging).
func fewer[T any](all []T, fails func([]T) bool) []T {
	for size, left := (len(all)+1)/2, true; size > 1 || left; size = max(1, size/2) {
		left = size > 1
		for from := 0; from < len(all) && len(all) > 1; {
			rest := slices.Concat(all[:from], all[min(from+size, len(all)):])
			if len(rest) > 0 && fails(rest) {
				all, left = rest, true
			} else {
				from += size
			}
		}
	}
	return all
}
