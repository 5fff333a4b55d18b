package reads

import "context"

type freshKey struct{}

// Fresh returns a context in which pages and counts are always read, neither cached nor shared
// with other callers: for staff, who act on what they see.
func Fresh(ctx context.Context) context.Context { return context.WithValue(ctx, freshKey{}, true) }

// IsFresh reports whether a context is one of Fresh.
func IsFresh(ctx context.Context) bool { return ctx.Value(freshKey{}) != nil }
