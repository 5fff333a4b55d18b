package access

import (
	"context"
	"sync"
)

// Visitor is an anonymous visitor of one request, whom a cookie tells from others, or
// will from now on. It is safe for concurrent use.
type Visitor struct {
	mu         sync.Mutex
	id         string
	remember   func(id string) string
	remembered bool
}

type visitorKey struct{}

// WithVisitor returns a context of a request of an anonymous visitor, whose id is empty
// if they bring none. When they do something by which they are to be known again,
// remember is called, once: it is told the id and returns it, a new one for none.
func WithVisitor(ctx context.Context, id string, remember func(id string) string) context.Context {
	return context.WithValue(ctx, visitorKey{}, &Visitor{id: id, remember: remember})
}

// VisitorOf returns the anonymous visitor who makes the request of the context; nil if
// they are not told from others.
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

// Remember makes the visitor one who is known again, and returns who it is.
func (v *Visitor) Remember() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.remembered {
		v.id, v.remembered = v.remember(v.id), true
	}
	return v.id
}
