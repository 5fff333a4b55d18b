package gate

import (
	"context"
	"errors"
	"sync"
)

// ErrPart means that a client has as much of a room as one client may.
var ErrPart = errors.New("the client has its part of the room")

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
