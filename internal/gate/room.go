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
// requests wait a bounded time, and refusing costs almost nothing. Callers enter it by Shares.
type Room struct {
	capacity int64
	queue    int64
	patience time.Duration
	full     error // for callers that find no capacity

	large   *Room // entered first by large weights; nil if they may have all of the room
	small   int64 // a weight that shrinks to this leaves the room
	inside  *semaphore.Weighted
	taken   atomic.Int64
	waiting atomic.Int64
}

// NewRoom returns an empty room with a capacity, in the unit of its weights; nil if the
// capacity is not positive. At most queue callers wait, each for the patience.
func NewRoom(capacity int64, queue int, patience time.Duration) *Room {
	if capacity <= 0 {
		return nil
	}
	return &Room{capacity: capacity, queue: int64(queue), patience: patience, full: ErrFull,
		inside: semaphore.NewWeighted(capacity)}
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
		r.large.small = r.capacity / largeShare
	}
	return r
}

// Hold is a weight inside of rooms. A nil Hold has none.
type Hold struct {
	mu    sync.Mutex
	rooms []*Room
	taken []int64 // of each room
	gone  func()  // called when nothing is left; may be nil
}

// Leave releases the weight. Further calls have no effect.
func (h *Hold) Leave() { h.Shrink(0) }

// Shrink releases what is more than a weight. A large weight that becomes small makes room for
// another large one.
func (h *Hold) Shrink(weight int64) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, r := range h.rooms {
		keep := weight
		if weight <= r.small {
			keep = 0
		}
		if more := h.taken[i] - keep; more > 0 {
			h.taken[i] = keep
			r.taken.Add(-more)
			r.inside.Release(more)
		}
	}
	if weight == 0 && h.gone != nil {
		h.gone()
		h.gone = nil
	}
}

func (r *Room) enter(ctx context.Context, weight int64) error {
	if !r.inside.TryAcquire(weight) {
		if err := r.wait(ctx, weight); err != nil {
			return err
		}
	}
	r.taken.Add(weight)
	return nil
}

func (r *Room) wait(ctx context.Context, weight int64) error {
	defer r.waiting.Add(-1)
	if r.waiting.Add(1) > r.queue {
		return r.full
	}
	patient, cancel := context.WithTimeout(ctx, r.patience)
	defer cancel()
	if r.inside.Acquire(patient, weight) == nil {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return r.full
}

// Occupancy is the state of a room: the weight inside, the capacity, and the callers that wait.
type Occupancy struct{ Inside, Capacity, Waiting int64 }

// Occupancy returns the state of the room; all is 0 for a nil Room.
func (r *Room) Occupancy() Occupancy {
	if r == nil {
		return Occupancy{}
	}
	waiting := r.waiting.Load()
	if r.large != nil {
		waiting += r.large.waiting.Load()
	}
	return Occupancy{r.taken.Load(), r.capacity, waiting}
}

// ErrShare means that a client has exhausted its share of a room.
var ErrShare = errors.New("the client uses its whole share")

// Shares is a room of which each client may take a share. A nil Shares sets no limit.
type Shares struct {
	*Room
	most int64 // of one client

	mu    sync.Mutex
	all   map[string]*Room // the shares that are in use, by client
	users map[string]int   // of each
}

// NewShares divides a room into shares of at most most each, and at least 1. It returns nil for a
// nil room.
func NewShares(room *Room, most int64) *Shares {
	if room == nil {
		return nil
	}
	return &Shares{Room: room, most: max(most, 1), all: map[string]*Room{}, users: map[string]int{}}
}

// Most returns the maximum of one client.
func (s *Shares) Most() int64 { return s.most }

// Enter takes a weight of the capacity, and waits for it if necessary, first in the client's share.
// The empty client may take all of the room. A weight above the share takes all of it. The error is
// ErrShare, ErrFull, or the context's if the context ended first.
func (s *Shares) Enter(ctx context.Context, client string, weight int64) (*Hold, error) {
	return s.enter(ctx, client, weight, false)
}

// EnterLarge is Enter for a part of a large request, whatever the part weighs.
func (s *Shares) EnterLarge(ctx context.Context, client string, weight int64) (*Hold, error) {
	return s.enter(ctx, client, weight, true)
}

func (s *Shares) enter(ctx context.Context, client string, weight int64, large bool) (*Hold, error) {
	if s == nil || weight <= 0 {
		return nil, nil
	}
	h, rooms := &Hold{}, []*Room{s.Room}
	if s.large != nil && (large || weight > s.large.small) {
		rooms = []*Room{s.large, s.Room}
	}
	if client != "" {
		rooms = append([]*Room{s.join(client)}, rooms...)
		h.gone = func() { s.part(client) }
	}
	for _, r := range rooms {
		weight = min(weight, r.capacity)
	}
	for _, r := range rooms {
		if err := r.enter(ctx, weight); err != nil {
			h.Leave()
			return nil, err
		}
		h.rooms, h.taken = append(h.rooms, r), append(h.taken, weight)
	}
	return h, nil
}

// join returns the share of a client. The caller must part from it.
func (s *Shares) join(client string) *Room {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users[client]++; s.users[client] == 1 {
		s.all[client] = NewRoom(s.most, int(s.queue), s.patience)
		s.all[client].full = ErrShare
	}
	return s.all[client]
}

func (s *Shares) part(client string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users[client]--; s.users[client] == 0 {
		delete(s.users, client)
		delete(s.all, client)
	}
}
