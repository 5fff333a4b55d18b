package double

import (
	"container/heap"
	"strconv"
	"time"
)

const (
	// expiryDelay is how long after its time an item is removed at most; AWS
	// says that it takes some days at worst, and commonly hours.
	expiryDelay = 12 * time.Hour
	// forgottenExpiry is the age from which an expiry is taken for a mistake.
	forgottenExpiry = 5 * 365 * 24 * time.Hour
)

// expires returns when an item is past its time; zero if never.
func (t *table) expires(it item) time.Time {
	n, ok := it[t.expiryAttribute].(*number)
	if !ok || t.expiryAttribute == "" {
		return time.Time{}
	}
	seconds, err := strconv.ParseInt(n.Value, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(seconds, 0)
}

// watch notes when an item is to be removed.
func (t *table) watch(made time.Time, n uint64, draw hash, id string, it item) {
	expires := t.expires(it)
	if expires.IsZero() || made.Sub(expires) > forgottenExpiry {
		return
	}
	at := expires
	if at.Before(made) {
		at = made
	}
	delay := time.Duration(draw.text("expiry").below(int64(expiryDelay)))
	heap.Push(&t.expiring, pendingChange{at: at.Add(delay), n: n, id: id, item: it})
}

// expire removes the items whose time has come, unless they have changed.
func (t *table) expire(now time.Time) {
	for len(t.expiring) > 0 && !t.expiring[0].at.After(now) {
		due := heap.Pop(&t.expiring).(pendingChange)
		if is := t.base.get(due.id); is != nil && t.expires(is).Equal(t.expires(due.item)) {
			t.change(due.at, due.id, nil, byExpiry)
		}
	}
}
