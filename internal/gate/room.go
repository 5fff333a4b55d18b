package gate

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// ErrFull means that there was no room in time: the caller should come again later.
var ErrFull = errors.New("no capacity is left")

// Room bounds how much is inside at once, with a short queue in front. What comes is
// let in in order; what finds the queue full, or waits for longer than the patience,
// is sent away. So under any load admitted requests wait a bounded time, and
// being sent away costs next to nothing. A nil Room bounds nothing.
type Room struct {
	capacity int64
	queue    int64
	patience time.Duration

	large   *Room // that what is large enters first; nil for all of the room
	inside  *semaphore.Weighted
	taken   atomic.Int64
	waiting atomic.Int64
	entered atomic.Int64
}

// NewRoom returns an empty room for a capacity, in whatever Enter's weights are in;
// nil if it is not above 0. At most queue callers wait, each for the patience.
func NewRoom(capacity int64, queue int, patience time.Duration) *Room {
	if capacity <= 0 {
		return nil
	}
	return &Room{capacity: capacity, queue: int64(queue), patience: patience, inside: semaphore.NewWeighted(capacity)}
}

// Of a room that KeepForSmall divides, what weighs more than an eighth of it is large,
// and has three quarters of it.
const (
	largeShare   = 8
	keptForSmall = 4
)

// KeepForSmall keeps a quarter of the room for what is small, so that it need not wait
// until what is large has left, or has waited. It returns the room.
func (r *Room) KeepForSmall() *Room {
	if r != nil {
		r.large = NewRoom(r.capacity-r.capacity/keptForSmall, int(r.queue), r.patience)
	}
	return r
}

// Enter takes room of a weight, and waits for it if need be. What weighs more than
// the whole room takes all of it. leave gives the room back; calling it again does
// nothing. The error is ErrFull, or the context's if it ended first.
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

// EnterLarge is Enter for a part of what turns out to be large, whatever it weighs.
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

// Occupancy is how full a room is: weights inside and what fits, callers that wait
// and how many may; and how many were let in since the start.
type Occupancy struct{ Inside, Capacity, Waiting, Queue, Entered int64 }

// Occupancy tells how full the room is; all is 0 for a nil Room.
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

// ErrPart means that a client has as much of a room as one client may.
var ErrPart = errors.New("the client uses its whole share")

// Parts is a room of which each client may have a part. A nil Parts bounds nothing.
type Parts struct {
	*Room
	most int64 // of one client

	mu    sync.Mutex
	taken map[string]int64 // by client; without those that have nothing
}

// NewParts divides a room: one client may have so much of it. It returns nil for a nil
// room.
func NewParts(room *Room, most int64) *Parts {
	if room == nil {
		return nil
	}
	return &Parts{Room: room, most: most, taken: map[string]int64{}}
}

// Most returns how much one client may have.
func (p *Parts) Most() int64 { return p.most }

// Enter is Room.Enter for a client. The error is ErrPart if the client would have more
// than its part; then it does not wait.
func (p *Parts) Enter(ctx context.Context, client string, weight int64) (leave func(), err error) {
	if p == nil {
		return func() {}, nil
	}
	if !p.take(client, weight) {
		return nil, ErrPart
	}
	left, err := p.Room.Enter(ctx, weight)
	if err != nil {
		p.giveBack(client, weight)
		return nil, err
	}
	return sync.OnceFunc(func() { left(); p.giveBack(client, weight) }), nil
}

func (p *Parts) take(client string, weight int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken[client]+weight > p.most {
		return false
	}
	p.taken[client] += weight
	return true
}

func (p *Parts) giveBack(client string, weight int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken[client] -= weight; p.taken[client] == 0 {
		delete(p.taken, client)
	}
}
