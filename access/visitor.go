package access

import (
	"context"
	"sync"
)

// Visitor is an anonymous visitor of one request, whom a cookie tells from others, or
// will from now on. It is safe for concurrent use.
type Visitor struct {
	mu   sync.Mutex
	id   string
	make func() (id string)
}

type visitorKey struct{}

// WithVisitor returns a context of a request of an anonymous visitor. The id is empty
// if they bring none; then make is called once if they need one.
func WithVisitor(ctx context.Context, id string, make func() (id string)) context.Context {
	return context.WithValue(ctx, visitorKey{}, &Visitor{id: id, make: make})
}

// VisitorOf returns the anonymous visitor who makes the request of the context; nil if
// the server does not tell them apart.
func VisitorOf(ctx context.Context) *Visitor {
	v, _ := ctx.Value(visitorKey{}).(*Visitor)
	return v
}

// ID returns who it is; empty if that is not known. It is for a nil Visitor, too.
func (v *Visitor) ID() string {
	if v == nil {
		return ""
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.id
}

// Known returns who it is from now on.
func (v *Visitor) Known() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.id == "" {
		v.id = v.make()
	}
	return v.id
}
