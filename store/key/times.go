package key

import (
	"strings"
	"time"
)

// Times is a range of creation times: at From or later, and before Before. A zero time is an
// open end. Times are in UTC, so that equal ranges are equal values; see TimesOf.
type Times struct{ From, Before time.Time }

// TimesOf returns the range between two times, zero for an open end.
func TimesOf(from, before time.Time) Times {
	inUTC := func(at time.Time) time.Time {
		if at.IsZero() {
			return time.Time{}
		}
		return at.Round(0).UTC()
	}
	return Times{inUTC(from), inUTC(before)}
}

// SpellTime spells a time of a scope, "" for the zero time.
func SpellTime(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// Any reports whether the range contains every time.
func (t Times) Any() bool { return t == Times{} }

// Empty reports whether the range contains no time.
func (t Times) Empty() bool {
	return !t.From.IsZero() && !t.Before.IsZero() && !t.From.Before(t.Before)
}

// Has reports whether a time is in the range.
func (t Times) Has(at time.Time) bool {
	return (t.From.IsZero() || !at.Before(t.From)) && (t.Before.IsZero() || at.Before(t.Before))
}

// String spells the range, such as "created from 2024-01-01T00:00:00Z"; "" for any time.
func (t Times) String() string {
	var parts []string
	if !t.From.IsZero() {
		parts = append(parts, "from "+t.From.Format(time.RFC3339Nano))
	}
	if !t.Before.IsZero() {
		parts = append(parts, "before "+t.Before.Format(time.RFC3339Nano))
	}
	if parts == nil {
		return ""
	}
	return "created " + strings.Join(parts, " and ")
}

// Within returns the part of a span by time that lies in a range of creation times.
func (s Span) Within(t Times) Span {
	// A position without an id sorts before all others of its time.
	if !t.From.IsZero() {
		s.From = s.SortKey(Position{CreatedAt: t.From})
	}
	if !t.Before.IsZero() {
		s.To = s.SortKey(Position{CreatedAt: t.Before})
	}
	s.Times = t
	return s
}
