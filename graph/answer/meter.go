// Package answer counts the bytes of an answer while it is written, and stops the
// operation when there are too many: what a query will answer is known only then,
// and must not fill the memory first.
package answer

import (
	"context"
	"sync/atomic"

	"product-comments/store/errs"
)

// Meter counts the bytes of one answer. It is safe for concurrent use. A nil meter
// allows everything.
type Meter struct {
	most    int64
	written atomic.Int64
}

type meterKey struct{}

// WithMeter returns a context whose answer may have so many bytes.
func WithMeter(ctx context.Context, most int64) (context.Context, *Meter) {
	m := &Meter{most: most}
	return context.WithValue(ctx, meterKey{}, m), m
}

// Of returns the meter of a context, nil if it has none.
func Of(ctx context.Context) *Meter {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	return m
}

// Write adds bytes that were written, or are about to be. It returns what Exceeded
// returns.
func (m *Meter) Write(bytes int) error {
	if m == nil {
		return nil
	}
	if m.written.Add(int64(bytes)) > m.most {
		return m.Exceeded()
	}
	return nil
}

// Left returns how many bytes may still be written.
func (m *Meter) Left() int64 {
	if m == nil {
		return 1 << 40
	}
	return max(0, m.most-m.written.Load())
}

// Exceeded returns a BadUserInput error with limit and value if more was written
// than may be, else nil. An answer that is too long has nothing else.
func (m *Meter) Exceeded() error {
	if m == nil {
		return nil
	}
	if n := m.written.Load(); n > m.most {
		return errs.Exceeds("answer", n, m.most,
			"The answer has at least %d bytes, the limit is %d: ask for smaller pages, or for texts with fewer objects")
	}
	return nil
}
