package ndjson

import (
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
	"product-comments/store/errs"
)

// A spelling of a whole rating is read without a flag; other ratings need one that says how, which
// the error names.
func TestRatings(t *testing.T) {
	const (
		whole  = "--ratings half-up or half-down"
		scale  = "--ratings out-of-10 or percent"
		above  = "is above its scale"
		none   = "is not a rating such as 4, 4/5 or ★★★★☆"
		either = "write"
	)
	for _, test := range []struct {
		spelled string
		as      map[Ratings]int // what is read, if it is read
		refused string          // without a flag; empty if it is read
	}{
		{"4", map[Ratings]int{"": 4, HalfUp: 4, HalfDown: 4, OutOfTen: 2, Percent: 1}, ""},
		{" +5.0 ", map[Ratings]int{"": 5, HalfUp: 5, HalfDown: 5, OutOfTen: 3, Percent: 1}, ""},
		{"4/5", map[Ratings]int{"": 4, HalfUp: 4, HalfDown: 4, OutOfTen: 4, Percent: 4}, ""},
		{"4,0 / 5", map[Ratings]int{"": 4, HalfUp: 4, HalfDown: 4, OutOfTen: 4, Percent: 4}, ""},
		{"4.0 out of 5 stars", map[Ratings]int{"": 4, HalfUp: 4, HalfDown: 4, OutOfTen: 4, Percent: 4}, ""},
		{"5\u00a0Stars", map[Ratings]int{"": 5, HalfUp: 5, HalfDown: 5, OutOfTen: 3, Percent: 1}, ""},
		{"1 star", map[Ratings]int{"": 1, HalfUp: 1, HalfDown: 1, OutOfTen: 1, Percent: 1}, ""},
		{"3★", map[Ratings]int{"": 3, HalfUp: 3, HalfDown: 3, OutOfTen: 2, Percent: 1}, ""},
		{"★★★★☆", map[Ratings]int{"": 4, HalfUp: 4, HalfDown: 4, OutOfTen: 4, Percent: 4}, ""},
		{"★★★★★★★★☆☆", map[Ratings]int{"": 4, HalfUp: 4, HalfDown: 4, OutOfTen: 4, Percent: 4}, ""},
		{"⭐️⭐️⭐️", map[Ratings]int{"": 3, HalfUp: 3, HalfDown: 3, OutOfTen: 2, Percent: 1}, ""},
		{"80%", map[Ratings]int{"": 4, HalfUp: 4, HalfDown: 4, OutOfTen: 4, Percent: 4}, ""},
		{"100 %", map[Ratings]int{"": 5, HalfUp: 5, HalfDown: 5, OutOfTen: 5, Percent: 5}, ""},
		{"8/10", map[Ratings]int{"": 4, HalfUp: 4, HalfDown: 4, OutOfTen: 4, Percent: 4}, ""},
		{"4.5", map[Ratings]int{HalfUp: 5, HalfDown: 4, OutOfTen: 2, Percent: 1}, whole},
		{"3,5", map[Ratings]int{HalfUp: 4, HalfDown: 3, OutOfTen: 2, Percent: 1}, whole},
		{"4½", map[Ratings]int{HalfUp: 5, HalfDown: 4, OutOfTen: 2, Percent: 1}, whole},
		{"4.51", map[Ratings]int{HalfUp: 5, HalfDown: 5, OutOfTen: 2, Percent: 1}, whole},
		{"0.5", map[Ratings]int{HalfUp: 1, HalfDown: 1, OutOfTen: 1, Percent: 1}, whole},
		{"4.5/5", map[Ratings]int{HalfUp: 5, HalfDown: 4, OutOfTen: 5, Percent: 5}, whole},
		{"9/10", map[Ratings]int{HalfUp: 5, HalfDown: 4, OutOfTen: 5, Percent: 5}, whole},
		{"90%", map[Ratings]int{HalfUp: 5, HalfDown: 4, OutOfTen: 5, Percent: 5}, whole},
		{"★★★½☆", map[Ratings]int{HalfUp: 4, HalfDown: 3, OutOfTen: 4, Percent: 4}, whole},
		{"4.333", map[Ratings]int{HalfUp: 4, HalfDown: 4, OutOfTen: 2, Percent: 1}, either},
		{"6", map[Ratings]int{OutOfTen: 3, Percent: 1}, scale},
		{"9", map[Ratings]int{OutOfTen: 5, Percent: 1}, scale},
		{"70", map[Ratings]int{Percent: 4}, scale},
		{"101", nil, scale},
		{strings.Repeat("9", 400), nil, scale},
		{"0", map[Ratings]int{"": 0, HalfUp: 0, HalfDown: 0, OutOfTen: 0, Percent: 0}, ""}, // Validate refuses it
		{"6/5", nil, above},
		{"11/10", nil, above},
		{"120%", nil, above},
		{"NaN", nil, none},
		{"１", nil, none},
		{"-4", nil, none},
		{"4/7", nil, none},
		{"4/", nil, none},
		{"4.5½", nil, none},
		{"☆☆☆☆☆", nil, none},
		{"☆★★★★", nil, none},
		{"four", nil, none},
		{"", nil, none},
		{"1e0", nil, none},
		{"05.04.", nil, none},
	} {
		for _, how := range []Ratings{RatingsUnknown, HalfUp, HalfDown, OutOfTen, Percent} {
			want, read := test.as[how]
			got, err := ParseRating("rating", test.spelled, how)
			testkit.Check(t, read == (err == nil) && got == want, "%.40q as %q: %d, %v, want %d", test.spelled, how, got, err, want)
			testkit.Check(t, err == nil || errs.CodeOf(err) == errs.BadUserInput, "%.40q as %q: %v", test.spelled, how, err)
		}
		_, err := ParseRating("rating", test.spelled, RatingsUnknown)
		testkit.Check(t, (err == nil) == (test.refused == "") && (err == nil || strings.Contains(err.Error(), test.refused)), "%.40q: %v, want %s", test.spelled, err, test.refused)
	}
}
