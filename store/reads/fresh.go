package reads

import "context"

type freshKey struct{}

// Fresh returns a context whose reads of pages and counts give nothing that was kept, nor
// what another caller has begun to read: for those who act on what they see.
func Fresh(ctx context.Context) context.Context { return context.WithValue(ctx, freshKey{}, true) }

// IsFresh reports whether a context is one of Fresh.
func IsFresh(ctx context.Context) bool { return ctx.Value(freshKey{}) != nil }
