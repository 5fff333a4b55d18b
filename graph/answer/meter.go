// Package answer counts the bytes and execution steps of an answer while it is built, and stops
// the operation when a limit is exceeded. The lengths of texts and lists are known only then, and
// they must not fill the memory first.
package answer

import (
	"cmp"
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
	RowSteps   = 3 // of an item that the store reads
)

// Bytes for which an answer takes as much memory as for a step.
const (
	readOfStep    = 512 // of items that the store reads
	writtenOfStep = 256 // of the answer
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

	written, taken, read atomic.Int64
	resolved             atomic.Int64 // fields with a resolver
	kept                 atomic.Int64 // steps with reserved memory

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

// AddRead adds the steps of items that the store has read. It returns the error that stops the
// answer if a limit is exceeded.
func (m *Meter) AddRead(items, bytes int) error {
	m.read.Add(int64(items*RowSteps + bytes/readOfStep))
	return m.Stopped()
}

// Stopped returns the error of an answer that exceeds a limit, or for which memory is missing.
func (m *Meter) Stopped() error {
	if m == nil || m.within() {
		return nil
	}
	return cmp.Or(m.Exceeded(), m.OutOfMemory())
}

func (m *Meter) within() bool {
	steps := m.taken.Load() + m.read.Load()
	return m.written.Load() <= m.limits.Bytes && m.held() <= m.limits.Steps && (steps <= m.kept.Load() || m.reserve(steps))
}

// held returns all that takes memory, in steps.
func (m *Meter) held() int64 {
	return m.taken.Load() + m.read.Load() + m.written.Load()/writtenOfStep
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

// Steps returns the number of steps taken, without the steps of reads.
func (m *Meter) Steps() int64 { return m.taken.Load() }

// ReadSteps returns the number of steps of reads.
func (m *Meter) ReadSteps() int64 { return m.read.Load() }

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
	if n := m.held(); n > m.limits.Steps {
		return errs.Exceeds("steps", n, m.limits.Steps,
			"The answer takes at least %d steps, the limit is %d: ask for fewer objects, or for less of their lists")
	}
	return nil
}
