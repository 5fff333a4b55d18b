package testkit

import (
	"testing"
	"time"
)

// One measure within the limit ends the tries, and three above it are the fault of the
// work.
func TestLeast(t *testing.T) {
	most := Spent{Processor: 10 * time.Millisecond, Bytes: 100}
	for _, c := range []struct {
		name     string
		measures []Spent
		tries    int
		within   bool
	}{
		{"within the limit", []Spent{{9 * time.Millisecond, 100}}, 1, true},
		{"disturbed", []Spent{{20 * time.Millisecond, 1}, {20 * time.Millisecond, 1}, {9 * time.Millisecond, 1}}, 3, true},
		{"each figure disturbed once", []Spent{{20 * time.Millisecond, 1}, {time.Millisecond, 200}}, 2, true},
		{"too slow", []Spent{{20 * time.Millisecond, 1}, {11 * time.Millisecond, 1}, {20 * time.Millisecond, 1}}, 3, false},
		{"too large", []Spent{{1, 200}, {1, 101}, {1, 200}}, 3, false},
	} {
		tries := 0
		got := Least(most, func() Spent { tries++; return c.measures[tries-1] })
		if got.Within(most) != c.within || tries != c.tries {
			t.Errorf("%s: %v after %d tries", c.name, got, tries)
		}
	}
}
