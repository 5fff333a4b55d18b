package model

import (
	"time"

	"product-comments/store"
	"product-comments/store/errs"
)

// MaxBuckets is the maximum of buckets of a timeline.
const MaxBuckets = 400

// TimelineBucket is the comments of a year, a month or a day.
type TimelineBucket struct {
	From time.Time

	of store.Tally
}

// Count returns the number of comments.
func (b TimelineBucket) Count() int { return b.of.Total() }

// AverageRating returns nil if there are no comments.
func (b TimelineBucket) AverageRating() *float64 { return ifAny(b.of.Average()) }

// RatingCounts returns a row for each rating, 1 to 5.
func (b TimelineBucket) RatingCounts() []RatingCount { return ratingCounts(b.of) }

// TimeUnits are all units, the finest first.
var TimeUnits = []TimeUnit{TimeUnitDay, TimeUnitMonth, TimeUnitYear}

// Begin returns the start of the unit of time that contains at. The zero time stays zero.
func (u TimeUnit) Begin(at time.Time) time.Time {
	if at.IsZero() {
		return at
	}
	year, month, day := at.UTC().Date()
	switch u {
	case TimeUnitYear:
		month, day = time.January, 1
	case TimeUnitMonth:
		day = 1
	}
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// next returns the start of the unit after the one that starts at begin.
func (u TimeUnit) next(begin time.Time) time.Time {
	switch u {
	case TimeUnitYear:
		return begin.AddDate(1, 0, 0)
	case TimeUnitMonth:
		return begin.AddDate(0, 1, 0)
	}
	return begin.AddDate(0, 0, 1)
}

// End returns the end of the last unit that starts before a time. The zero time stays zero.
func (u TimeUnit) End(before time.Time) time.Time {
	if begin := u.Begin(before); begin.Before(before) {
		return u.next(begin)
	}
	return before.UTC()
}

// buckets returns the empty buckets from one time to another; false if there are too many.
func (u TimeUnit) buckets(from, to time.Time) ([]TimelineBucket, bool) {
	buckets := []TimelineBucket{}
	for at := u.Begin(from); at.Before(u.End(to)); at = u.next(at) {
		if len(buckets) == MaxBuckets {
			return nil, false
		}
		buckets = append(buckets, TimelineBucket{From: at})
	}
	return buckets, true
}

// NewTimeline returns the timeline of days, which must be sorted, from the unit with a time to the
// one before another; zero times mean the first and the last day. The unit is the first with which
// there are not too many buckets. It returns a BadUserInput error if there is none.
func NewTimeline(units []TimeUnit, days []store.Day, from, to time.Time) ([]TimelineBucket, error) {
	if n := len(days); n > 0 && from.IsZero() {
		from = days[0].Date
	}
	if n := len(days); n > 0 && to.IsZero() {
		to = days[n-1].Date.AddDate(0, 0, 1)
	}
	if from.IsZero() || to.IsZero() {
		return []TimelineBucket{}, nil
	}
	for _, u := range units {
		if buckets, ok := u.buckets(from, to); ok {
			u.fill(buckets, days)
			return buckets, nil
		}
	}
	return nil, errs.Invalid("by", "the timeline has more than %d buckets: ask for a longer unit, or for a shorter time with from and to", MaxBuckets).
		For(errs.TooMany).Past(MaxBuckets+1, MaxBuckets)
}

// fill adds sorted days to their buckets. Days outside are left out.
func (u TimeUnit) fill(buckets []TimelineBucket, days []store.Day) {
	i := 0
	for _, d := range days {
		begin := u.Begin(d.Date)
		for i < len(buckets) && buckets[i].From.Before(begin) {
			i++
		}
		if i < len(buckets) && buckets[i].From.Equal(begin) {
			for rating, n := range d.Tally {
				buckets[i].of[rating] += n
			}
		}
	}
}
