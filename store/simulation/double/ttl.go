package double

import (
	"container/heap"
	"strconv"
	"time"
)

const (
	// expiryDelay is the maximum delay between the expiry of an item and its removal. AWS promises
	// a few days at worst, and usually takes hours.
	expiryDelay = 12 * time.Hour
	// forgottenExpiry is the minimum age of an expiry that DynamoDB ignores as a mistake.
	forgottenExpiry = 5 * 365 * 24 * time.Hour
)

// expires returns when an item expires; zero if never.
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

// watch schedules the removal of an item.
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

// expire executes the removals that are due, except of items that have changed in between.
func (t *table) expire(now time.Time) {
	for len(t.expiring) > 0 && !t.expiring[0].at.After(now) {
		due := heap.Pop(&t.expiring).(pendingChange)
		if is := t.base.get(due.id); is != nil && t.expires(is).Equal(t.expires(due.item)) {
			t.change(due.at, due.id, nil, byExpiry)
		}
	}
}
