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
	this := p.next/2 + rand.N(p.next)
	p.next = min(2*p.next, mostPause)
	return sleep(ctx, this)
}

// sleep returns the context's error if it ends first.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
