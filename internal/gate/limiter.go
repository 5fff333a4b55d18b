package gate

import (
	"math"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

// Limiter is a budget for each client: it fills evenly and holds what is due in a
// minute. A nil Limiter limits nobody.
//
// It remembers a bounded number of clients. The one that was not seen for longest is
// forgotten, and has a full budget when it comes again: somebody with very many
// addresses can get around it, which what runs at once (Room) bounds then.
type Limiter struct {
	perMinute float64
	buckets   *lru.Cache[string, *rate.Limiter]
	now       func() time.Time
}

// mostClients bounds the table of clients. A bucket takes some 200 bytes.
const mostClients = 1 << 16

// grain is the smallest part of a unit that is counted, since buckets count whole
// tokens and a read costs half a unit.
const grain = 10

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
	buckets, err := lru.New[string, *rate.Limiter](clients)
	if err != nil {
		panic(err) // only for a size of zero
	}
	return &Limiter{perMinute: perMinute, buckets: buckets, now: now}
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
	if l == nil {
		return Left{}
	}
	return l.left(l.bucket(client), units)
}

// Take takes units if the client has them, and reports whether it did. Nobody can
// take more than the budget holds: Wait says the longest wait then, in vain.
func (l *Limiter) Take(client string, units float64) (Left, bool) {
	if l == nil {
		return Left{}, true
	}
	b := l.bucket(client)
	if !b.AllowN(l.now(), tokens(units)) {
		return l.left(b, units), false
	}
	return l.left(b, 0), true
}

// Charge takes units, also such as the client does not have: what is known only
// after it was spent. The client waits for it next time.
func (l *Limiter) Charge(client string, units float64) Left {
	if l == nil {
		return Left{}
	}
	b, now := l.bucket(client), l.now()
	for rest := tokens(units); rest > 0; {
		n := min(rest, b.Burst())
		b.ReserveN(now, n)
		rest -= n
	}
	return l.left(b, 0)
}

// Clients returns how many clients are remembered.
func (l *Limiter) Clients() int {
	if l == nil {
		return 0
	}
	return l.buckets.Len()
}

func (l *Limiter) bucket(client string) *rate.Limiter {
	if b, ok := l.buckets.Get(client); ok {
		return b
	}
	full := rate.NewLimiter(rate.Limit(l.perMinute*grain/60), max(1, tokens(l.perMinute)))
	if b, met, _ := l.buckets.PeekOrAdd(client, full); met { // another request of the client was faster
		return b
	}
	return full
}

func (l *Limiter) left(b *rate.Limiter, units float64) Left {
	left := Left{Limit: l.perMinute, Remaining: b.TokensAt(l.now()) / grain, RestoreRate: l.perMinute / 60}
	if missing := min(units, left.Limit) - left.Remaining; missing > 0 {
		left.Wait = time.Duration(missing / left.RestoreRate * float64(time.Second))
	}
	return left
}

// tokens converts units, rounded up so that nothing is free.
func tokens(units float64) int { return int(min(math.Ceil(units*grain), math.MaxInt32)) }
