// Package answer counts the bytes and execution steps of an answer while it is built, and stops
// the operation when a limit is exceeded. The lengths of texts and lists are known only then, and
// they must not fill the memory first.
package answer

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"product-comments/store/errs"
)

// A step takes about a microsecond and 600 bytes. A field of an object is one step; these are
// additional steps.
const (
	ItemSteps  = 3 // of an item of a list, which has a goroutine
	ErrorSteps = 3 // of an error, reported or not
)

// Limits limit one answer.
type Limits struct {
	Bytes int64 // of the answer's data
	Steps int64
	// Keep reserves memory for more steps than FreeSteps, StepsKept at a time, or returns an error
	// that stops the answer; nil reserves none. It is called by one goroutine at a time.
	Keep func() error
}

const (
	FreeSteps = 2000
	StepsKept = 8000
	// StepBytes is the part of a step's memory that counts towards the memory for answers, an
	// eighth (see admission.Memory).
	StepBytes = 100
)

// Meter counts for one answer. It is safe for concurrent use. A nil Meter sets no limit.
type Meter struct {
	ctx    context.Context // of the request
	limits Limits

	written, taken atomic.Int64
	resolved       atomic.Int64 // fields with a resolver
	kept           atomic.Int64 // steps with reserved memory

	mu     sync.Mutex
	noRoom error // the error of Keep
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

// FromContext returns the meter of a context; nil if it has none.
func FromContext(ctx context.Context) *Meter {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	return m
}

// AddBytes adds bytes that are written. It reports whether no limit is exceeded.
func (m *Meter) AddBytes(bytes int) bool {
	if m == nil {
		return true
	}
	m.written.Add(int64(bytes))
	return m.within()
}

// AddSteps adds steps before they are taken. It reports whether no limit is exceeded.
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

// reserve reserves memory for a number of steps, and reports whether it succeeded.
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

// Steps returns the number of steps taken.
func (m *Meter) Steps() int64 { return m.taken.Load() }

// Resolved returns the number of fields that a resolver was called for.
func (m *Meter) Resolved() int64 { return m.resolved.Load() }

// Bytes returns the number of bytes written.
func (m *Meter) Bytes() int64 { return m.written.Load() }

// BytesLeft returns the number of bytes that may still be written.
func (m *Meter) BytesLeft() int64 {
	if m == nil {
		return 1 << 40
	}
	return max(0, m.limits.Bytes-m.written.Load())
}

// Exceeded returns a BadUserInput error with limit and value if a limit is exceeded, else nil. A
// stopped answer has no other error.
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
