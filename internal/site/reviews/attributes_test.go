package reviews

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/number"

	"product-comments/internal/testing/testkit"
)

// A number has its unit and scale where people of a language write them.
func TestMeasures(t *testing.T) {
	five, range2, percent := &scale{1, 5}, &scale{-2.5, 2}, &scale{0, 100}
	for _, c := range []struct {
		tag  string
		of   attribute
		n    float64
		want string
	}{
		{"en", attribute{Scale: five}, 4, "4 of 5"}, {"de", attribute{Scale: five}, 4.5, "4,5 von 5"}, {"fr", attribute{Scale: five}, 4, "4 sur 5"},
		{"es", attribute{Scale: five}, 4, "4 de 5"}, {"it", attribute{Scale: five}, 4, "4 su 5"}, {"ja", attribute{Scale: five}, 4, "5点中4"}, {"ar", attribute{Scale: five}, 4, "4 من 5"},
		{"en", attribute{Scale: range2}, 0.5, "0.5 (-2.5 to 2)"}, {"de", attribute{Scale: range2}, 0, "0 (-2,5 bis 2)"},
		{"en", attribute{Unit: "L"}, 23.75, "23.75~L"}, {"de", attribute{Unit: "L"}, 1234.5, "1.234,5~L"}, {"ja", attribute{Unit: "L"}, 18, "18~L"},
		{"en", attribute{Unit: "%", Scale: percent}, 40, "40% of 100%"}, {"fr", attribute{Unit: "%"}, 40, "40~%"},
		{"en", attribute{}, 2026, "2026"}, // a year
	} {
		got := LabelsFor(c.tag).measure(c.of, c.n, number.MaxFractionDigits(exact))
		testkit.Equal(t, strings.ReplaceAll(got, "\u00a0", "~"), c.want, "%s: %v of %+v", c.tag, c.n, c.of)
	}
	for n, want := range map[float64]int{-9: 0, -2.5: 0, 0.65: 70, 3: 100} {
		testkit.Equal(t, range2.percent(n), want, "the bar of %v", n)
	}
}

// A bar of the histogram is the share of all, and one review is never invisible.
func TestHistogram(t *testing.T) {
	s := &section{Labels: LabelsFor("en"), list: list{}, Product: &product{}}
	testkit.Check(t, s.Histogram()[0].Percent == 0, "without counts: %+v", s.Histogram())
	testkit.Must(t, json.Unmarshal([]byte(`{"stats":{"ratingCounts":[{"rating":5,"count":1475},{"rating":4,"count":1065},{"rating":2,"count":3}]}}`), s.Product))
	var got []string
	for _, row := range s.Histogram() {
		got = append(got, fmt.Sprint(row.Count, " ", row.Percent))
	}
	testkit.Equal(t, strings.Join(got, ", "), "1,475 58, 1,065 42,  0, 3 1,  0", "counts and percent")
}
