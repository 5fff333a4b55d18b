package tree

import (
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"product-comments/store/comment/stats"
)

// Month has the numbers of comments of a month, by language and day of the month.
type Month map[string]map[int]stats.Tally

// Add adds n comments with the language, day and rating of a row.
func (m Month) Add(r Row, n int) {
	m.AddDay(r.Language, r.At.CreatedAt.UTC().Day(), r.Kind.Rating(), n)
}

// AddDay adds n comments of a language, day and rating.
func (m Month) AddDay(language string, day, rating, n int) {
	days := m[language]
	if days == nil {
		days = map[int]stats.Tally{}
		m[language] = days
	}
	t := days[day]
	t[rating-1] += n
	if days[day] = t; t == (stats.Tally{}) {
		delete(days, day)
	}
	if len(days) == 0 {
		delete(m, language)
	}
}

// Negative reports whether a count is below zero.
func (m Month) Negative() bool {
	for _, days := range m {
		for _, t := range days {
			if slices.Min(t[:]) < 0 {
				return true
			}
		}
	}
	return false
}

// Equal reports whether two months are the same.
func (m Month) Equal(o Month) bool {
	return maps.EqualFunc(m, o, func(a, b map[int]stats.Tally) bool { return maps.Equal(a, b) })
}

// ratingBits is the number of bits of the rating in a byte; the day is above them.
const ratingBits = 3

// Append appends the encoded month: for each language its name, the number of counts that are not
// zero, and these counts with day and rating.
func (m Month) Append(b []byte) []byte {
	for _, language := range slices.Sorted(maps.Keys(m)) {
		var counts []byte
		n := 0
		for _, day := range slices.Sorted(maps.Keys(m[language])) {
			for i, count := range m[language][day] {
				if count != 0 {
					counts = binary.AppendUvarint(append(counts, byte(day<<ratingBits|i)), uint64(count))
					n++
				}
			}
		}
		b = binary.AppendUvarint(stats.AppendText(b, language), uint64(n))
		b = append(b, counts...)
	}
	return b
}

// ParseMonth is the inverse of Append; ok is false for any other bytes.
func ParseMonth(b []byte) (m Month, ok bool) {
	m = Month{}
	ok = EachDay(b, m.AddDay)
	return m, ok
}

// EachDay calls add for each count in bytes that Append has encoded; it returns false for any other
// bytes.
func EachDay(b []byte, add func(language string, day, rating, n int)) bool {
	r := stats.Reader{B: b}
	for r.More() {
		language := r.Text()
		for n := r.Uvarint(); n > 0 && !r.Damaged; n-- {
			head := int(r.Bytes(1)[0])
			day, i := head>>ratingBits, head&(1<<ratingBits-1)
			if i >= len(stats.Tally{}) {
				return false
			}
			add(language, day, i+1, int(r.Uvarint()))
		}
	}
	return !r.Damaged
}

// MonthOf returns the beginning of the month of a time, in UTC.
func MonthOf(at time.Time) time.Time {
	at = at.UTC()
	return time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
}
