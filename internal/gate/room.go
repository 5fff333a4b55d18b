package gate

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// ErrFull means that there was no capacity in time: the caller should try again later.
var ErrFull = errors.New("no capacity is left")

// Room is a weighted semaphore with a short queue. Callers are admitted in order; a caller that
// finds the queue full, or waits longer than the patience, is refused. So under any load admitted
// requests wait a bounded time, and refusing costs almost nothing. A nil Room sets no limit.
type Room struct {
	capacity int64
	queue    int64
	patience time.Duration

	large   *Room // entered first by large weights; nil if they may have all of the room
	inside  *semaphore.Weighted
	taken   atomic.Int64
	waiting atomic.Int64
	entered atomic.Int64
}

// NewRoom returns an empty room with a capacity, in the unit of Enter's weights; nil if the
// capacity is not positive. At most queue callers wait, each for the patience.
func NewRoom(capacity int64, queue int, patience time.Duration) *Room {
	if capacity <= 0 {
		return nil
	}
	return &Room{capacity: capacity, queue: int64(queue), patience: patience, inside: semaphore.NewWeighted(capacity)}
}

// In a room after KeepForSmall, weights above an eighth of it are large and may take three
// quarters of it.
const (
	largeShare   = 8
	keptForSmall = 4
)

// KeepForSmall reserves a quarter of the room for small weights, so that they do not wait behind
// large ones. It returns the room.
func (r *Room) KeepForSmall() *Room {
	if r != nil {
		r.large = NewRoom(r.capacity-r.capacity/keptForSmall, int(r.queue), r.patience)
	}
	return r
}

// Enter takes a weight of the capacity, and waits for it if necessary. A weight above the capacity
// takes all of it. leave releases the capacity; further calls have no effect. The error is
// ErrFull, or the context's if the context ended first.
func (r *Room) Enter(ctx context.Context, weight int64) (leave func(), err error) {
	if r == nil || weight <= 0 {
		return func() {}, nil
	}
	weight = min(weight, r.capacity)
	if r.large == nil || weight <= r.capacity/largeShare {
		return r.enter(ctx, weight)
	}
	return r.EnterLarge(ctx, weight)
}

// EnterLarge is Enter for a part of a large request, whatever the part weighs.
func (r *Room) EnterLarge(ctx context.Context, weight int64) (leave func(), err error) {
	if r == nil || r.large == nil {
		return r.Enter(ctx, weight)
	}
	weight = min(weight, r.large.capacity)
	leaveLarge, err := r.large.enter(ctx, weight)
	if err != nil {
		return nil, err
	}
	leaveAll, err := r.enter(ctx, weight)
	if err != nil {
		leaveLarge()
		return nil, err
	}
	return func() { leaveAll(); leaveLarge() }, nil
}

func (r *Room) enter(ctx context.Context, weight int64) (leave func(), err error) {
	if !r.inside.TryAcquire(weight) {
		if err := r.wait(ctx, weight); err != nil {
			return nil, err
		}
	}
	r.taken.Add(weight)
	r.entered.Add(1)
	return sync.OnceFunc(func() {
		r.taken.Add(-weight)
		r.inside.Release(weight)
	}), nil
}

func (r *Room) wait(ctx context.Context, weight int64) error {
	defer r.waiting.Add(-1)
	if r.waiting.Add(1) > r.queue {
		return ErrFull
	}
	patient, cancel := context.WithTimeout(ctx, r.patience)
	defer cancel()
	if r.inside.Acquire(patient, weight) == nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return ErrFull
}

// Occupancy is the state of a room: the weight inside and the capacity, the callers that wait and
// their maximum, and the number of admissions since the start.
type Occupancy struct{ Inside, Capacity, Waiting, Queue, Entered int64 }

// Occupancy returns the state of the room; all is 0 for a nil Room.
func (r *Room) Occupancy() Occupancy {
	if r == nil {
		return Occupancy{}
	}
	waiting := r.waiting.Load()
	if r.large != nil {
		waiting += r.large.waiting.Load()
	}
	return Occupancy{r.taken.Load(), r.capacity, waiting, r.queue, r.entered.Load()}
}

// ErrShare means that a client has exhausted its share of a room.
var ErrShare = errors.New("the client uses its whole share")

// Shares is a room of which each client may take a share. A nil Shares sets no limit.
type Shares struct {
	*Room
	most int64 // of one client

	mu    sync.Mutex
	taken map[string]int64 // by client, without clients that have nothing
}

// NewShares divides a room into shares of at most most each. It returns nil for a nil room.
func NewShares(room *Room, most int64) *Shares {
	if room == nil {
		return nil
	}
	return &Shares{Room: room, most: most, taken: map[string]int64{}}
}

// Most returns the maximum of one client.
func (p *Shares) Most() int64 { return p.most }

// Enter is Room.Enter for a client. The error is ErrShare if the client would exceed its share;
// then it does not wait.
func (p *Shares) Enter(ctx context.Context, client string, weight int64) (leave func(), err error) {
	if p == nil {
		return func() {}, nil
	}
	if !p.take(client, weight) {
		return nil, ErrShare
	}
	left, err := p.Room.Enter(ctx, weight)
	if err != nil {
		p.giveBack(client, weight)
		return nil, err
	}
	return sync.OnceFunc(func() { left(); p.giveBack(client, weight) }), nil
}

func (p *Shares) take(client string, weight int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken[client]+weight > p.most {
		return false
	}
	p.taken[client] += weight
	return true
}

func (p *Shares) giveBack(client string, weight int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken[client] -= weight; p.taken[client] == 0 {
		delete(p.taken, client)
	}
}
