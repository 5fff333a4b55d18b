package admission

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// Errors of requests that a pool does not admit.
var (
	// ErrFull means that there was no capacity in time: the caller should try again later.
	ErrFull = errors.New("no capacity is left")
	// ErrShare means that a client has exhausted its share of a pool.
	ErrShare = errors.New("the client uses its whole share")
)

// Pool is a capacity that concurrent requests share, such as bytes of memory. A client may take a
// share of it. A request that finds too little waits in a short queue: under any load an admitted
// request has waited a bounded time, and refusing costs almost nothing. Weights above an eighth
// of the capacity are large, and together take at most three quarters of it, so that small ones do
// not wait behind them. A nil Pool has no limit.
type Pool struct {
	whole, large *queue
	share        int64 // of one client
	patience     time.Duration

	mu      sync.Mutex
	clients map[string]*portion // of clients with a weight in the pool
}

// portion is the share of a client.
type portion struct {
	*queue
	holds int
}

// NewPool returns an unused pool with a capacity and the share of one client, both in the unit of its
// weights; nil if the capacity is not positive. At most waiting requests wait, each for the
// patience, and as many in a client's share.
func NewPool(capacity, share int64, waiting int, patience time.Duration) *Pool {
	if capacity <= 0 {
		return nil
	}
	return &Pool{
		whole: newQueue(capacity, int64(waiting), ErrFull), large: newQueue(capacity-capacity/4, int64(waiting), ErrFull),
		share: max(share, 1), patience: patience, clients: map[string]*portion{},
	}
}

// Share returns the most that one client may have.
func (p *Pool) Share() int64 { return p.share }

// Used is the state of a pool: the weight taken, the capacity, and the requests that wait.
type Used struct{ Taken, Capacity, Waiting int64 }

// Used returns the state of the pool.
func (p *Pool) Used() Used {
	return Used{p.whole.taken.Load(), p.whole.capacity, p.whole.waiting.Load() + p.large.waiting.Load()}
}

// isLarge reports whether a weight is large.
func (p *Pool) isLarge(weight int64) bool { return weight > max(p.whole.capacity/8, 1) }

// Enter takes a weight of the capacity, and waits for it if necessary, first in the client's share.
// The client "" may have all of the pool. A weight above the share is the share. Also a small weight
// may be large, as a part of a large request. The error is ErrShare, ErrFull, or the context's if the
// context ended first.
func (p *Pool) Enter(ctx context.Context, client string, weight int64, large bool) (*Hold, error) {
	if p == nil || weight <= 0 {
		return nil, nil
	}
	h, queues := &Hold{pool: p}, []*queue{p.whole}
	if large || p.isLarge(weight) {
		queues = []*queue{p.large, p.whole}
	}
	if client != "" {
		queues = append([]*queue{p.join(client)}, queues...)
		h.gone = func() { p.part(client) }
	}
	for _, q := range queues {
		weight = min(weight, q.capacity)
	}
	for _, q := range queues {
		if err := q.enter(ctx, weight, p.patience); err != nil {
			h.Leave()
			return nil, err
		}
		h.queues, h.taken = append(h.queues, q), append(h.taken, weight)
	}
	return h, nil
}

// join returns the share of a client. The caller must part from it.
func (p *Pool) join(name string) *queue {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.clients[name]
	if c == nil {
		c = &portion{queue: newQueue(p.share, p.whole.most, ErrShare)}
		p.clients[name] = c
	}
	c.holds++
	return c.queue
}

func (p *Pool) part(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.clients[name].holds--; p.clients[name].holds == 0 {
		delete(p.clients, name)
	}
}

// Hold is a weight in a pool. A nil Hold has none.
type Hold struct {
	pool   *Pool
	mu     sync.Mutex
	queues []*queue
	taken  []int64 // of each queue
	gone   func()  // called when nothing is left; may be nil
}

// Leave releases the weight. Further calls have no effect.
func (h *Hold) Leave() { h.Shrink(0) }

// Shrink releases the weight above a new, smaller one. A large weight that becomes small makes room for
// another large one.
func (h *Hold) Shrink(weight int64) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, q := range h.queues {
		keep := weight
		if q == h.pool.large && !h.pool.isLarge(weight) {
			keep = 0
		}
		if more := h.taken[i] - keep; more > 0 {
			h.taken[i] = keep
			q.taken.Add(-more)
			q.inside.Release(more)
		}
	}
	if weight == 0 && h.gone != nil {
		h.gone()
		h.gone = nil
	}
}

// queue is a weighted semaphore with a bounded number of waiting callers, admitted in order.
type queue struct {
	capacity, most int64 // most is that of waiting callers
	full           error
	inside         *semaphore.Weighted
	taken, waiting atomic.Int64
}

func newQueue(capacity, most int64, full error) *queue {
	return &queue{capacity: capacity, most: most, full: full, inside: semaphore.NewWeighted(capacity)}
}

func (q *queue) enter(ctx context.Context, weight int64, patience time.Duration) error {
	if !q.inside.TryAcquire(weight) {
		defer q.waiting.Add(-1)
		if q.waiting.Add(1) > q.most {
			return q.full
		}
		patient, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if q.inside.Acquire(patient, weight) != nil {
			if err := ctx.Err(); err != nil {
				return err
			}
			return q.full
		}
	}
	q.taken.Add(weight)
	return nil
}
