package simulation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
)

// A history that is played from its text has the same operations again: no argument of any
// is lost in the text, and nothing is drawn that the text has not.
func TestReplay(t *testing.T) {
	operations := func(s script) map[string]int {
		all := map[string]int{}
		for _, l := range s.lines {
			all[fmt.Sprint(l.who, l.where, l.verb, asText(l.args))]++
		}
		return all
	}
	seeds := []uint64{51, 15, 35, 42, 41, 91, 4, 17} // which have every verb, while no one adds one
	for n := range uint64(200) {
		seeds = append(seeds, n)
	}
	seen := map[string]bool{}
	for _, seed := range seeds {
		h := play(t, drawn(seed), &marks{})
		s := testkit.Value(parse("a failure\n" + h.script().String() + "\nand more"))(t)
		again := play(t, s, &marks{})
		testkit.Need(t, len(h.failures)+len(again.failures) == 0, "seed %d: %v, and then %v", seed, h.failures, again.failures)
		was, is := operations(h.script()), operations(again.script())
		testkit.Check(t, maps.Equal(was, is), "seed %d: of %d operations, %d were played again", seed, len(was), len(is))
		for _, l := range s.lines {
			seen[l.verb] = true
		}
		if len(seen) == len(verbs) {
			return
		}
	}
	missing := slices.DeleteFunc(slices.Sorted(maps.Keys(verbs)), func(verb string) bool { return seen[verb] })
	t.Errorf("no history had these operations: %v", missing)
}

func TestFewer(t *testing.T) {
	all := make([]int, 100)
	for i := range all {
		all[i] = i
	}
	needed, tries := []int{3, 4, 71}, 0
	got := fewer(all, func(some []int) bool {
		tries++
		return !slices.ContainsFunc(needed, func(n int) bool { return !slices.Contains(some, n) })
	})
	testkit.Check(t, slices.Equal(got, needed) && tries < 100, "after %d tries %v is left", tries, got)
}

// minimize looks for a shorter script that breaks the same rule as a history. It prints the
// shortest one that it finds within RUNS plays and SECONDS.
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

// fewer removes operations while the rest fails: first halves, then quarters and so on, at last
// single operations until each one is necessary (Zeller's delta debugging).
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
