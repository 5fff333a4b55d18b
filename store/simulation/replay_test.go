package simulation

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"product-comments/internal/testkit"
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
	seeds := []uint64{78, 97, 107, 50, 91} // which have every verb, while no one adds one
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
