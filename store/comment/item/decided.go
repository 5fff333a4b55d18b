package item

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Decided are the last decisions of moderators that changed a comment's state, oldest first and at
// most MostDecided: fields of Decision divided by slashes, decisions by spaces. The comment's history
// has them, too; counts by month need them in the comment, as all that is counted.
type Decided string

// MostDecided is the number of decisions about a comment that are counted.
const MostDecided = 20

// Decision is a moderator's decision that changed a comment's state.
type Decision struct {
	Month  string // of UTC, such as 2026-11
	Rating int    // at that time
	Code   Code   // of a refusal; empty for a publication
	Waited string // the WaitClass of the time that the comment waited; empty if it did not wait
}

// MonthOf returns the month of UTC of a time, such as 2026-11.
func MonthOf(t time.Time) string { return t.UTC().Format("2006-01") }

// DecidedOf returns the decision that changes the state of a comment now.
func DecidedOf(before, after *Stored, now time.Time) Decision {
	d := Decision{Month: MonthOf(now), Rating: before.Rating}
	if after.State == Rejected {
		d.Code = cmp.Or(after.Code, Other)
	}
	if before.State == Pending {
		since := before.CreatedAt
		if before.WaitsSince != 0 {
			since = time.Unix(int64(before.WaitsSince), 0)
		}
		d.Waited = strconv.Itoa(waitClass(now.Sub(since)))
	}
	return d
}

// Then returns the decisions with one more.
func (d Decided) Then(one Decision) Decided {
	all := append(strings.Fields(string(d)), fmt.Sprintf("%s/%d/%s/%s", one.Month, one.Rating, one.Code, one.Waited))
	return Decided(strings.Join(all[max(0, len(all)-MostDecided):], " "))
}

// All returns the decisions.
func (d Decided) All() (all []Decision) {
	for _, one := range strings.Fields(string(d)) {
		f := append(strings.Split(one, "/"), "", "", "")
		rating, _ := strconv.Atoi(f[1])
		all = append(all, Decision{f[0], rating, Code(f[2]), f[3]})
	}
	return all
}

// waitBase divides times into classes: class n has times of waitBase^n to waitBase^(n+1) seconds.
const waitBase = 1.2

func waitClass(d time.Duration) int {
	return int(math.Log(max(1, d.Seconds())) / math.Log(waitBase))
}

// WaitSeconds returns the seconds for the times of a class: its middle, which differs from each of
// them by less than a tenth, or by half a second.
func WaitSeconds(class int) int { return int(math.Round(math.Pow(waitBase, float64(class)+.5))) }
