package key

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Ratings is a set of ratings from 1 to 5 as a bit mask: rating r is bit r-1,
// so {1, 5} is 0b10001 = 17 (the compact form of part 1 of the series). The
// empty set and the full one both mean any rating.
type Ratings uint8

// AllRatings holds 1 to 5.
const AllRatings Ratings = 0b11111

// RatingsOf returns the set of the given ratings; one outside 1 to 5 is an error.
func RatingsOf(ratings ...int) (Ratings, error) {
	var set Ratings
	for _, r := range ratings {
		if r < 1 || r > 5 {
			return 0, fmt.Errorf("rating %d is not from 1 to 5", r)
		}
		set |= 1 << (r - 1)
	}
	return set, nil
}

// Any reports whether the set filters nothing.
func (s Ratings) Any() bool { return s&AllRatings == 0 || s&AllRatings == AllRatings }

// Canonical returns 0 for every set that filters nothing, so that equal
// filters are equal values.
func (s Ratings) Canonical() Ratings {
	if s.Any() {
		return 0
	}
	return s & AllRatings
}

// Has reports whether a comment of this rating passes the set as a filter.
func (s Ratings) Has(rating int) bool { return s.Any() || s>>(rating-1)&1 == 1 }

// List returns the ratings in ascending order, none for any rating.
func (s Ratings) List() []int {
	if s.Any() {
		return nil
	}
	list := make([]int, 0, bits.OnesCount8(uint8(s)))
	for r := 1; r <= 5; r++ {
		if s>>(r-1)&1 == 1 {
			list = append(list, r)
		}
	}
	return list
}

// String lists the ratings, such as "1,4,5", or "any".
func (s Ratings) String() string {
	if s.Any() {
		return "any"
	}
	parts := make([]string, 0, 5)
	for _, r := range s.List() {
		parts = append(parts, strconv.Itoa(r))
	}
	return strings.Join(parts, ",")
}
