package gate

import (
	"sync"
	"time"

	"product-comments/internal/cache"
)

// Limiter is a budget for each client, which refills evenly and holds at most the amount
// of a minute. A nil Limiter limits no client.
//
// The number of clients is bounded: the least recently seen one is evicted, and starts
// with a full budget when it returns. A client with very many addresses can therefore
// evade it; Room then bounds what runs at once.
type Limiter struct {
	perMinute float64
	buckets   *cache.Recent[string, *bucket]
	now       func() time.Time
}

// mostClients bounds the table of clients. A bucket takes some 200 bytes.
const mostClients = 1 << 16

// bucket is the remaining budget of a client.
type bucket struct {
	mu    sync.Mutex
	units float64
	at    time.Time // when it had them
}

// NewLimiter returns a limiter of so many units a minute for each client, or nil if
// they are not above 0. now is the clock; nil is time.Now.
func NewLimiter(perMinute float64, now func() time.Time) *Limiter {
	return newLimiter(perMinute, now, mostClients)
}

func newLimiter(perMinute float64, now func() time.Time, clients int) *Limiter {
	if perMinute <= 0 {
		return nil
	}
	if now == nil {
		now = time.Now
	}
	return &Limiter{perMinute: perMinute, buckets: cache.NewRecent[string, *bucket](clients, nil), now: now}
}

// Left is what a client has left.
type Left struct {
	Limit       float64       // units: what the budget holds when it is full
	Remaining   float64       // units; below 0 if more was spent than there was
	RestoreRate float64       // units that come back a second
	Wait        time.Duration // until as much is there as was asked for; 0 if it is
}

// Peek tells what a client has left, and how long until that is so many units.
func (l *Limiter) Peek(client string, units float64) Left {
	left, _, _ := l.take(client, units, 0)
	return left
}

// Take takes units if the client has them, and reports whether it did. No one can
// take more than the budget holds: Wait says the longest wait then, in vain.
func (l *Limiter) Take(client string, units float64) (Left, bool) {
	left, _, ok := l.take(client, units, units)
	return left, ok
}

// Charge takes units, also such as the client does not have: what is known only
// after it was spent. The client waits for it next time. Units below 0 are given back.
func (l *Limiter) Charge(client string, units float64) Left {
	if l == nil {
		return Left{}
	}
	b := l.bucket(client)
	defer b.mu.Unlock()
	b.units = min(b.units-units, l.perMinute)
	return l.left(b, 0)
}

// Reservation is a part of a client's budget that is kept for work under way, whose
// price is known when it is done. A nil Reservation keeps nothing.
type Reservation struct {
	limiter *Limiter
	client  string
	kept    float64
	settled bool
}

// Reserve keeps units of a client's budget, or all that is left of it if that is less. It
// keeps nothing, and returns false, if the least is not left. The reservation must be
// settled, by one goroutine.
func (l *Limiter) Reserve(client string, least, units float64) (*Reservation, bool) {
	_, kept, ok := l.take(client, least, units)
	if l == nil || !ok {
		return nil, ok
	}
	return &Reservation{limiter: l, client: client, kept: kept}, true
}

// Settle charges what the work has taken, and gives back what else was kept. What it has
// taken beyond that the client owes. Only the first call does anything.
func (r *Reservation) Settle(units float64) {
	if r == nil || r.settled {
		return
	}
	r.settled = true
	r.limiter.Charge(r.client, units-r.kept)
}

// Clients returns how many clients are remembered.
func (l *Limiter) Clients() int {
	if l == nil {
		return 0
	}
	return l.buckets.Len()
}

// take takes units of a client's budget, or all that is left of it if that is less, and
// returns what it took; ok is false if the least is not left.
func (l *Limiter) take(client string, least, units float64) (left Left, taken float64, ok bool) {
	if l == nil {
		return Left{}, 0, true
	}
	b := l.bucket(client)
	defer b.mu.Unlock()
	if b.units < least {
		return l.left(b, least), 0, false
	}
	taken = min(units, max(b.units, 0))
	b.units -= taken
	return l.left(b, 0), taken, true
}

// bucket returns what a client has now, locked.
func (l *Limiter) bucket(client string) *bucket {
	now := l.now()
	b, met := l.buckets.Get(client)
	if !met {
		full := &bucket{units: l.perMinute, at: now}
		if b, met = l.buckets.PeekOrAdd(client, full); !met { // no other request of the client was faster
			b = full
		}
	}
	b.mu.Lock()
	if passed := now.Sub(b.at); passed > 0 {
		b.units, b.at = min(b.units+passed.Minutes()*l.perMinute, l.perMinute), now
	}
	return b
}

func (l *Limiter) left(b *bucket, units float64) Left {
	left := Left{Limit: l.perMinute, Remaining: b.units, RestoreRate: l.perMinute / 60}
	if missing := min(units, left.Limit) - left.Remaining; missing > 0 {
		left.Wait = time.Duration(missing / left.RestoreRate * float64(time.Second))
	}
	return left
}
