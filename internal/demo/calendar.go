package demo

import (
	"slices"
	"time"
)

// day returns the start of a day, in UTC.
func day(year int, month time.Month, d int) time.Time {
	return time.Date(year, month, d, 0, 0, 0, 0, time.UTC)
}

// The demo's time is fixed and in the past, so that it is the same every time
// and no comment is of tomorrow.
var (
	firstDay = day(2023, time.October, 2)
	lastDay  = day(2026, time.June, 30)
	// newShop is when the time of day began to be known.
	newShop = day(2024, time.September, 1)
)

// badBatches are days from which, for badDays, most of those who write have
// reason to complain.
var badBatches = []time.Time{day(2024, time.January, 15), day(2025, time.January, 13), day(2025, time.August, 25), day(2026, time.March, 9)}

const badDays = 18

// sales are days on which very many comments of product 42 were written.
var sales = []struct {
	day      time.Time
	comments int
}{
	{day(2023, time.November, 24), 260},
	{day(2024, time.November, 29), 340},
	{day(2025, time.July, 8), 220},
	{day(2025, time.November, 28), 480},
}

func inBadBatch(at time.Time) bool {
	return slices.ContainsFunc(badBatches, func(from time.Time) bool {
		return !at.Before(from) && at.Before(from.AddDate(0, 0, badDays))
	})
}

// moment returns a time of a day between 5 and 23 o'clock, or its start if it
// is of the older shop.
func moment(r random, of time.Time) time.Time {
	if of.Before(newShop) {
		return of
	}
	return of.Add(5*time.Hour + time.Duration(r.below(18*3600*1000))*time.Millisecond)
}

// times returns when the comments of a product were written, oldest first.
func times(r random, product string, n int) []time.Time {
	all := make([]time.Time, 0, n)
	if product == bestseller {
		for _, sale := range sales {
			for range sale.comments {
				all = append(all, moment(r, sale.day))
			}
		}
	}
	for range n * badShare / 100 {
		all = append(all, moment(r, pick(r, badBatches).AddDate(0, 0, r.below(badDays))))
	}
	days := int(lastDay.Sub(firstDay).Hours()/24) + 1
	for len(all) < n {
		// The greater of two: the shop grows.
		of := firstDay.AddDate(0, 0, max(r.below(days), r.below(days)))
		if !inBadBatch(of) {
			all = append(all, moment(r, of))
		}
	}
	slices.SortFunc(all, time.Time.Compare)
	return all
}
