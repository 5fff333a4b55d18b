package admission

import (
	"sync"
	"time"

	"product-comments/store/read/cache"
)

// Budget holds units for each client, which are restored continuously, at most the units of one minute.
// A nil Budget has no limit; the client "" has none.
//
// The number of clients is bounded: the least recently seen one is evicted, and starts with a full
// budget when it returns. A client with very many addresses can therefore evade the Budget; then
// the pools limit concurrent requests.
//
// Package golang.org/x/time/rate cannot hold it: its reservations are not returned once they are
// used, and it takes no part of a unit and no more than a full budget (TestReservations).
type Budget struct {
	perMinute float64
	clients   *cache.Recent[string, *bucket]
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

// NewBudget returns a budget of perMinute units for each client, or nil if perMinute is not
// positive. now is the clock; nil is time.Now.
func NewBudget(perMinute float64, now func() time.Time) *Budget {
	if perMinute <= 0 {
		return nil
	}
	if now == nil {
		now = time.Now
	}
	return &Budget{perMinute: perMinute, clients: cache.NewRecent[string, *bucket](maxClients, nil), now: now}
}

// Balance is the state of a client's budget.
type Balance struct {
	Limit       float64       // units of a full budget
	Remaining   float64       // units; negative if more was charged than was available
	RestoreRate float64       // units restored per second
	Wait        time.Duration // until the requested units are available; 0 if they are
}

// Peek returns the balance of a client, with the wait for a number of units. For more units than a
// full budget, which are never available, it is the wait for a full one.
func (b *Budget) Peek(client string, units float64) (left Balance) {
	b.of(client, func(c *bucket) {
		left = Balance{Limit: b.perMinute, Remaining: c.units, RestoreRate: b.perMinute / 60}
		if missing := min(units, left.Limit) - left.Remaining; missing > 0 {
			left.Wait = time.Duration(missing / left.RestoreRate * float64(time.Second))
		}
	})
	return left
}

// Charge takes units, even if the client does not have them, for costs that are known afterwards
// only. Negative units are returned to the budget.
func (b *Budget) Charge(client string, units float64) {
	b.of(client, func(c *bucket) { c.units = min(c.units-units, b.perMinute) })
}

// Reservation is a part of a client's budget that is reserved for work of unknown cost. A nil Reservation reserves nothing.
type Reservation struct {
	budget *Budget
	client string

	mu      sync.Mutex
	kept    float64
	settled bool
}

// Reserve takes units of a client's budget, or the remainder if that is less. It returns false if
// the remainder is below least. Work of another cost settles the reservation.
func (b *Budget) Reserve(client string, least, units float64) (r *Reservation, ok bool) {
	ok = true
	b.of(client, func(c *bucket) {
		if ok = c.units >= least; ok {
			r = &Reservation{budget: b, client: client, kept: min(units, max(c.units, 0))}
			c.units -= r.kept
		}
	})
	return r, ok
}

// Grow charges the cost so far if it is more than the reservation, even if the client does not have
// it, so that the client's other requests find it spent.
func (r *Reservation) Grow(units float64) { r.charge(units, false) }

// Settle charges the actual cost and returns the rest of the reservation. A higher cost makes the
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
	r.budget.Charge(r.client, units-r.kept)
	r.kept, r.settled = units, settle
}

// Clients returns the number of clients with a bucket.
func (b *Budget) Clients() int { return b.clients.Len() }

// of calls f with the bucket of a client, up to date, unless the client has no limit.
func (b *Budget) of(client string, f func(*bucket)) {
	if b == nil || client == "" {
		return
	}
	now := b.now()
	c, met := b.clients.Get(client)
	if !met {
		full := &bucket{units: b.perMinute, at: now}
		if c, met, _ = b.clients.PeekOrAdd(client, full); !met { // no concurrent request has added it
			c = full
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if passed := now.Sub(c.at); passed > 0 {
		c.units, c.at = min(c.units+passed.Minutes()*b.perMinute, b.perMinute), now
	}
	f(c)
}
