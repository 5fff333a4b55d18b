package demo

import (
	"slices"
	"testing"
)

func TestRandom(t *testing.T) {
	r := newRandom(1)
	seen := make([]int, 4)
	weighted := make([]int, 3)
	for range 10000 {
		seen[r.between(2, 3)]++
		weighted[r.weighted(1, 0, 3)]++
	}
	if seen[0]+seen[1] > 0 || seen[2] < 4800 || seen[3] < 4800 {
		t.Errorf("between: %v", seen)
	}
	if weighted[1] > 0 || weighted[0] < 2300 || weighted[0] > 2700 {
		t.Errorf("weighted: %v", weighted)
	}
	from := []int{1, 2, 3, 4}
	got := some(r, from, 10)
	slices.Sort(got)
	if !slices.Equal(got, from) || !slices.Equal(from, []int{1, 2, 3, 4}) || len(some(r, from, 2)) != 2 {
		t.Errorf("some: %v of %v", got, from)
	}
}
