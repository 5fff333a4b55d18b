package gate

import (
	"sync"
	"time"

	"product-comments/store/cache"
)

// Limiter holds a budget for each client, which refills continuously and holds at most the amount
// of a minute. A nil Limiter limits no client.
//
// The number of clients is bounded: the least recently seen one is evicted, and starts with a full
// budget when it returns. A client with very many addresses can therefore evade the Limiter; then
// Room limits concurrent requests.
type Limiter struct {
	perMinute float64
	buckets   *cache.Recent[string, *bucket]
	now       func() time.Time
}

// maxClients is the maximum of buckets. A bucket takes about 200 bytes.
const maxClients = 1 << 16

// bucket is the remaining budget of a client.
type bucket struct {
	mu    sync.Mutex
	units float64
	at    time.Time // time of the last update
}

// NewLimiter returns a limiter of perMinute units for each client, or nil if perMinute is not
// positive. now is the clock; nil is time.Now.
func NewLimiter(perMinute float64, now func() time.Time) *Limiter {
	return newLimiter(perMinute, now, maxClients)
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

// Balance is the state of a client's budget.
type Balance struct {
	Limit       float64       // units of a full budget
	Remaining   float64       // units; negative if more was charged than was available
	RestoreRate float64       // units restored per second
	Wait        time.Duration // until the requested units are available; 0 if they are
}

// Peek returns the balance of a client, with the wait for a number of units.
func (l *Limiter) Peek(client string, units float64) Balance {
	left, _, _ := l.take(client, units, 0)
	return left
}

// Take takes units if the client has them, and reports whether it did. More units than a full
// budget are never available; Wait is then the longest wait.
func (l *Limiter) Take(client string, units float64) (Balance, bool) {
	left, _, ok := l.take(client, units, units)
	return left, ok
}

// Charge takes units, even if the client does not have them, for costs that are known afterwards
// only. Negative units are returned to the budget.
func (l *Limiter) Charge(client string, units float64) Balance {
	if l == nil {
		return Balance{}
	}
	b := l.bucket(client)
	defer b.mu.Unlock()
	b.units = min(b.units-units, l.perMinute)
	return l.balance(b, 0)
}

// Reservation is a part of a client's budget that is reserved for work whose cost is not known
// yet. A nil Reservation reserves nothing.
type Reservation struct {
	limiter *Limiter
	client  string

	mu      sync.Mutex
	kept    float64
	settled bool
}

// Reserve reserves units of a client's budget, or the remainder if that is less. It returns false
// if the remainder is below least. The caller must settle the reservation.
func (l *Limiter) Reserve(client string, least, units float64) (*Reservation, bool) {
	_, kept, ok := l.take(client, least, units)
	if l == nil || !ok {
		return nil, ok
	}
	return &Reservation{limiter: l, client: client, kept: kept}, true
}

// Grow charges the cost so far if it is more than the reservation, even if the client does not have
// it, so that the client's other requests find it spent.
func (r *Reservation) Grow(units float64) { r.charge(units, false) }

// Settle charges the actual cost and releases the rest of the reservation. A higher cost makes the
// balance negative. Only the first call has an effect.
func (r *Reservation) Settle(units float64) { r.charge(units, true) }

func (r *Reservation) charge(units float64, settle bool) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.settled || !settle && units <= r.kept {
		return
	}
	r.limiter.Charge(r.client, units-r.kept)
	r.kept, r.settled = units, settle
}

// Clients returns the number of clients with a bucket.
func (l *Limiter) Clients() int {
	if l == nil {
		return 0
	}
	return l.buckets.Len()
}

// take takes units of a client's budget, or the remainder if that is less, and returns the taken
// units; ok is false if the remainder is below least.
func (l *Limiter) take(client string, least, units float64) (left Balance, taken float64, ok bool) {
	if l == nil {
		return Balance{}, 0, true
	}
	b := l.bucket(client)
	defer b.mu.Unlock()
	if b.units < least {
		return l.balance(b, least), 0, false
	}
	taken = min(units, max(b.units, 0))
	b.units -= taken
	return l.balance(b, 0), taken, true
}

// bucket returns the updated bucket of a client, locked.
func (l *Limiter) bucket(client string) *bucket {
	now := l.now()
	b, met := l.buckets.Get(client)
	if !met {
		full := &bucket{units: l.perMinute, at: now}
		if b, met = l.buckets.PeekOrAdd(client, full); !met { // no concurrent request has added it
			b = full
		}
	}
	b.mu.Lock()
	if passed := now.Sub(b.at); passed > 0 {
		b.units, b.at = min(b.units+passed.Minutes()*l.perMinute, l.perMinute), now
	}
	return b
}

func (l *Limiter) balance(b *bucket, units float64) Balance {
	left := Balance{Limit: l.perMinute, Remaining: b.units, RestoreRate: l.perMinute / 60}
	if missing := min(units, left.Limit) - left.Remaining; missing > 0 {
		left.Wait = time.Duration(missing / left.RestoreRate * float64(time.Second))
	}
	return left
}
