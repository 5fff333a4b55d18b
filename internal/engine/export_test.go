package engine

import "time"

// Looking returns options with another time between two looks at the engine.
func (o Options) Looking(every time.Duration) Options {
	o.look = every
	return o
}

// Confined tells whether the engine is, as far as e knows.
func (e *Engine) Confined() bool { return e.current.Load().Confined }
