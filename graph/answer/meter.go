// Package answer counts the bytes of an answer while it is written, and the steps that
// making it takes, and stops the operation when there are too many of either: how long
// texts and lists are is known only then, and they must not fill the memory first.
package answer

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"product-comments/store/errs"
)

// Steps are about a microsecond and 600 bytes each. A field of an object takes one; what
// comes on top of it are these.
const (
	ItemSteps  = 3 // of an item of a list: it has a goroutine
	ErrorSteps = 3 // of an error, whether it is told or left out
)

// Limits bound the making of one answer.
type Limits struct {
	Bytes int64 // of its data
	Steps int64
	// Keep keeps memory for more steps than FreeSteps, StepsKept at a time, or returns
	// why there is none, which stops the answer; nil keeps none. It is called by one
	// goroutine at a time.
	Keep func() error
}

const (
	FreeSteps = 2000
	StepsKept = 8000
	// StepBytes is what a step takes of the memory that is kept for answers, of which
	// an eighth counts (see gate.Memory).
	StepBytes = 100
)

// Meter counts for one answer. It is safe for concurrent use. A nil meter lets
// everything be written and taken.
type Meter struct {
	ctx    context.Context // of the request
	limits Limits

	written, taken atomic.Int64
	kept           atomic.Int64 // steps

	mu     sync.Mutex
	noRoom error // that Keep returned
}

type meterKey struct{}

// WithMeter returns a context whose answer is limited.
func WithMeter(ctx context.Context, l Limits) (context.Context, *Meter) {
	m := &Meter{ctx: ctx, limits: l}
	if m.kept.Store(FreeSteps); l.Keep == nil {
		m.kept.Store(math.MaxInt64)
	}
	return context.WithValue(ctx, meterKey{}, m), m
}

// FromContext returns the meter of a context, nil if it has none.
func FromContext(ctx context.Context) *Meter {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	return m
}

// AddBytes adds bytes that were written, or are about to be. It reports whether no limit is
// exceeded.
func (m *Meter) AddBytes(bytes int) bool {
	if m == nil {
		return true
	}
	m.written.Add(int64(bytes))
	return m.within()
}

// AddSteps adds steps that are about to be taken. It reports whether no limit is exceeded.
func (m *Meter) AddSteps(steps int) bool {
	if m == nil {
		return true
	}
	m.taken.Add(int64(steps))
	return m.within()
}

func (m *Meter) within() bool {
	taken := m.taken.Load()
	return m.written.Load() <= m.limits.Bytes && taken <= m.limits.Steps && (taken <= m.kept.Load() || m.reserve(taken))
}

// reserve keeps memory for so many steps, and reports whether there was any.
func (m *Meter) reserve(steps int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.noRoom == nil && steps > m.kept.Load() {
		if m.noRoom = m.limits.Keep(); m.noRoom == nil {
			m.kept.Add(StepsKept)
		}
	}
	return m.noRoom == nil
}

// OutOfMemory returns the error of Keep that stopped the answer; nil if none did.
func (m *Meter) OutOfMemory() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.noRoom
}

// Steps returns how many steps were taken.
func (m *Meter) Steps() int64 { return m.taken.Load() }

// Bytes returns how many bytes were written.
func (m *Meter) Bytes() int64 { return m.written.Load() }

// BytesLeft returns how many bytes may still be written.
func (m *Meter) BytesLeft() int64 {
	if m == nil {
		return 1 << 40
	}
	return max(0, m.limits.Bytes-m.written.Load())
}

// Exceeded returns a BadUserInput error with limit and value if a limit is exceeded,
// else nil. An answer that is stopped has nothing else.
func (m *Meter) Exceeded() error {
	if n := m.written.Load(); n > m.limits.Bytes {
		return errs.Exceeds("answer", n, m.limits.Bytes,
			"The answer has at least %d bytes, the limit is %d: ask for smaller pages, or for texts with fewer objects")
	}
	if n := m.taken.Load(); n > m.limits.Steps {
		return errs.Exceeds("steps", n, m.limits.Steps,
			"The answer takes at least %d steps, the limit is %d: ask for fewer objects, or for less of their lists")
	}
	return nil
}
