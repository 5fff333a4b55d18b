package moderation

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

const (
	attrTimes        = "times" // S: milliseconds since 1970, in base 36, with commas
	attrPaceRevision = "rev"   // N
	paceOver         = time.Hour
)

// MaxPace is the most comments, or reports, an hour that a bound of a person can be.
const MaxPace = 1000

// pace is when a user wrote, or reported, within the last hour.
type pace struct {
	times    []time.Time
	revision int
}

// readPace reads it, strongly consistent, given the sort key of its item.
func (m *Moderation) readPace(ctx context.Context, author, sk string, now time.Time) (p pace, err error) {
	it, err := m.t.Get(ctx, "what the person did within an hour", table.KeyOf(key.User(author), sk))
	if err != nil || it == nil {
		return p, err
	}
	if p.revision, err = table.Number(it, attrPaceRevision); err != nil {
		return p, err
	}
	p.times, err = PaceOf(it)
	// One later than within an hour from now was noted by a clock that was wrong.
	p.times = slices.DeleteFunc(p.times, func(at time.Time) bool { return now.Sub(at).Abs() >= paceOver })
	return p, err
}

// PaceOf returns the times of an item that remembers when a user wrote or reported, none of any
// other item.
func PaceOf(it table.Item) (times []time.Time, err error) {
	if !strings.HasPrefix(table.Text(it, key.SK), key.PaceSK) {
		return nil, nil
	}
	for ms := range strings.SplitSeq(table.Text(it, attrTimes), ",") {
		n, err := strconv.ParseInt(ms, 36, 64)
		if err != nil {
			return nil, table.Damaged(it, err)
		}
		times = append(times, time.UnixMilli(n).UTC())
	}
	return times, nil
}

// writePace returns the change that notes one more comment or report, on the condition that no one
// noted another in the meantime: so of many comments at once each is counted. It remembers no
// more than a bound needs.
func (m *Moderation) writePace(author, sk string, p pace, most int, now time.Time) table.Write {
	times := append(slices.Clone(p.times), now)
	times = times[max(0, len(times)-most):]
	spelled := make([]string, len(times))
	for i, at := range times {
		spelled[i] = strconv.FormatInt(at.UnixMilli(), 36)
	}
	it := table.KeyOf(key.User(author), sk)
	it[attrTimes] = table.S(strings.Join(spelled, ","))
	it[attrPaceRevision] = table.N(m.t.Random().NextRevision(p.revision))
	it[item.AttrExpires] = table.N(int(now.Add(2 * paceOver).Unix()))
	return table.Write{Put: it}.IfRevision(attrPaceRevision, p.revision)
}
