package simulation

import (
	"sync"
)

// gate is shut while everything must stand still.
type gate struct {
	mu     sync.Mutex
	change *sync.Cond
	shut   bool
	inside int
}

func newGate() *gate {
	g := &gate{}
	g.change = sync.NewCond(&g.mu)
	return g
}

// enter waits until the gate is open.
func (g *gate) enter() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.shut {
		g.change.Wait()
	}
	g.inside++
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	g.change.Broadcast()
}

// close shuts the gate and waits until no one is inside.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = true
	for g.inside > 0 {
		g.change.Wait()
	}
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = false
	g.change.Broadcast()
}
