package store

import (
	"context"
	"math/rand/v2"
	"time"
)

// pause waits between two tries, twice as long each time up to a limit, and at
// random so that those who collided once do not collide again.
type pause struct{ next time.Duration }

const (
	firstPause = 10 * time.Millisecond
	mostPause  = time.Second
)

func newPause() *pause { return &pause{next: firstPause} }

// wait returns the context's error if it ends first.
func (p *pause) wait(ctx context.Context) error {
	timer := time.NewTimer(p.next/2 + rand.N(p.next))
	defer timer.Stop()
	p.next = min(2*p.next, mostPause)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
