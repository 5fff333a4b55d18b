package model

import (
	"time"

	"product-comments/store/errs"
	"product-comments/store/pages"
	"product-comments/store/stats"
)

// MaxBuckets is the maximum of buckets of a timeline.
const MaxBuckets = 400

// TimelineBucket is the comments of a year, a month or a day.
type TimelineBucket struct {
	From time.Time

	of stats.Tally
}

// Count returns the number of comments.
func (b TimelineBucket) Count() int { return b.of.Total() }

// AverageRating returns nil if there are no comments.
func (b TimelineBucket) AverageRating() *float64 {
	average, ok := b.of.Average()
	return ifAny(average, ok)
}

// RatingCounts returns a row for each rating, 1 to 5.
func (b TimelineBucket) RatingCounts() []RatingCount { return ratingCounts(b.of) }

// Begin returns the start of the unit of time that contains at.
func (u TimeUnit) Begin(at time.Time) time.Time {
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

// End returns the end of the last unit that starts before a time.
func (u TimeUnit) End(before time.Time) time.Time {
	if begin := u.Begin(before); begin.Before(before) {
		return u.next(begin)
	}
	return before.UTC()
}

// NewTimeline returns the timeline of days, which must be sorted, from a time to another; zero
// times are the first and the last day. Both must be bounds of the unit. It returns a BadUserInput
// error if there are too many buckets.
func NewTimeline(u TimeUnit, days []pages.Day, from, to time.Time) ([]TimelineBucket, error) {
	if n := len(days); n > 0 && from.IsZero() {
		from = u.Begin(days[0].Date)
	}
	if n := len(days); n > 0 && to.IsZero() {
		to = u.next(u.Begin(days[n-1].Date))
	}
	buckets := []TimelineBucket{}
	if from.IsZero() || to.IsZero() {
		return buckets, nil
	}
	for at := from; at.Before(to); at = u.next(at) {
		if len(buckets) == MaxBuckets {
			return nil, errs.Invalid("by", "the timeline has more than %d buckets: ask for a longer unit, or for a shorter time with from and to", MaxBuckets).
				For(errs.TooMany).Past(MaxBuckets+1, MaxBuckets)
		}
		buckets = append(buckets, TimelineBucket{From: at})
	}
	i := 0
	for _, d := range days {
		for i+1 < len(buckets) && !d.Date.Before(buckets[i+1].From) {
			i++
		}
		if i < len(buckets) && !d.Date.Before(buckets[i].From) {
			for rating, n := range d.Tally {
				buckets[i].of[rating] += n
			}
		}
	}
	return buckets, nil
}
