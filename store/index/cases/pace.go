package cases

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"product-comments/store/comment/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

const (
	attrTimes        = "times" // S: milliseconds since 1970, in base 36, with commas
	attrPaceRevision = "rev"   // N
	paceOver         = time.Hour
)

// pace has the times of a user's comments, or reports, within the last hour.
type pace struct {
	times    []time.Time
	revision int
}

// readPace reads a user's pace, strongly consistent, given the sort key of its item.
func (s *Cases) readPace(ctx context.Context, author, sk string, now time.Time) (p pace, err error) {
	it, err := s.t.Get(ctx, "what the person did within an hour", table.KeyOf(key.User(author), sk))
	if err != nil || it == nil {
		return p, err
	}
	if p.revision, err = table.Number(it, attrPaceRevision); err != nil {
		return p, err
	}
	p.times, err = PaceOf(it)
	// A time more than an hour in the future is from a wrong clock.
	p.times = slices.DeleteFunc(p.times, func(at time.Time) bool { return now.Sub(at).Abs() >= paceOver })
	return p, err
}

// PaceOf returns the times in an item of a user's pace, none for other items.
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

// writePace returns the write that adds a comment or report to a user's pace, on the condition that
// the pace is unchanged: so each of many concurrent comments is counted. It stores at most as many
// times as the limit needs.
func (s *Cases) writePace(author, sk string, p pace, most int, now time.Time) table.Write {
	times := append(slices.Clone(p.times), now)
	times = times[max(0, len(times)-most):]
	spelled := make([]string, len(times))
	for i, at := range times {
		spelled[i] = strconv.FormatInt(at.UnixMilli(), 36)
	}
	it := table.KeyOf(key.User(author), sk)
	it[attrTimes] = table.S(strings.Join(spelled, ","))
	it[attrPaceRevision] = table.N(s.t.Random().NextRevision(p.revision))
	it[item.AttrExpires] = table.N(int(now.Add(2 * paceOver).Unix()))
	return table.Write{Put: it}.IfRevision(attrPaceRevision, p.revision)
}
