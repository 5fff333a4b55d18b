package main

import (
	"slices"
	"testing"
)

func TestFill(t *testing.T) {
	for _, f := range []struct {
		gigabytes float64
		want      []float64
	}{
		{0, []float64{0}},
		{9, []float64{9}},
		{10, []float64{10}},
		{12, []float64{5, 7}},
		{27, []float64{5, 5, 5, 5, 7}},
	} {
		// Older halves get nothing more, since all that is new goes to the end.
		if got := fill(f.gigabytes, gb, 10); !slices.Equal(got, f.want) {
			t.Errorf("%g GB: %v, want %v", f.gigabytes, got, f.want)
		}
	}
}

func TestEntriesFitOneWriteUnit(t *testing.T) {
	for _, x := range parsed(t).collections() {
		if x.entry > 1024 {
			t.Errorf("%s: %d bytes are more than the write unit that is counted", x.name, x.entry)
		}
	}
}
