package ndjson

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"product-comments/store/errs"
	"product-comments/store/key/sortable"
)

// Ratings says how to read a rating that is not a whole one from 1 to 5.
type Ratings string

// What may be said about ratings. The last two are the scale of numbers that name none, and round
// as HalfUp does.
const (
	RatingsUnknown Ratings = "" // such ratings are refused
	HalfUp         Ratings = "half-up"
	HalfDown       Ratings = "half-down"
	OutOfTen       Ratings = "out-of-10"
	Percent        Ratings = "percent"
)

// spelledRating is a number or stars, and perhaps the scale.
var spelledRating = regexp.MustCompile(`^(?:\+?([0-9]+(?:[.,][0-9]*)?)|([★⭐]+)(\.5)?(☆*))(?: ?(?:stars?|★|⭐))?(?: ?(?:/|of|out of) ?(5|10|100)| ?(%))?(?: stars?)?$`)

// ParseRating parses a rating as programs and people write it. Without a scale it is one of five
// stars. It returns a BadUserInput error if it is not a whole rating, unless how says what to do. A
// rating above 0 is at least 1; 0 is left to Validate.
func ParseRating(field, text string, how Ratings) (int, error) {
	s := strings.ToLower(strings.Join(strings.Fields(text), " "))
	parts := spelledRating.FindStringSubmatch(strings.NewReplacer("½", ".5", "\ufe0f", "").Replace(s))
	if parts == nil {
		return 0, errs.Invalid(field, "%.40q is not a rating such as 4, 4/5 or ★★★★☆", text)
	}
	number, stars, empty, of := parts[1], utf8.RuneCountInString(parts[2]), utf8.RuneCountInString(parts[4]), parts[5]
	if err := sortable.Ambiguous(number); err != nil && how == RatingsUnknown {
		return 0, errs.Invalid(field, "%v", err)
	}
	if stars > 0 {
		number = strconv.Itoa(stars) + parts[3]
	}
	switch {
	case empty > 0:
		of = strconv.Itoa(stars + len(parts[3])/2 + empty) // half a star takes the place of one
	case parts[6] != "" || of == "" && how == Percent:
		of = "100"
	case of == "" && how == OutOfTen:
		of = "10"
	}
	n, _ := strconv.ParseFloat(strings.Replace(number, ",", ".", 1), 64) // infinite if it has too many digits
	if of != "" {
		scale, _ := strconv.ParseFloat(of, 64)
		n = n * 5 / scale
	}
	nearest := math.Floor(n + 0.5)
	if how == HalfDown {
		nearest = math.Ceil(n - 0.5)
	}
	switch {
	case n > 5 && of == "":
		return 0, errs.Invalid(field, "%.40s is not a rating from 1 to 5: if it is one of 10 points or percent, add --ratings %s or %s",
			s, OutOfTen, Percent)
	case n > 5:
		return 0, errs.Invalid(field, "%.40q is above its scale, which ends at %s", text, of)
	case how == RatingsUnknown && n != nearest:
		return 0, errs.Invalid(field, "%.40q is not a whole rating from 1 to 5: round it with --ratings %s or %s, or name another scale with %s or %s",
			text, HalfUp, HalfDown, OutOfTen, Percent)
	case n > 0:
		nearest = max(nearest, 1)
	}
	return int(nearest), nil
}
