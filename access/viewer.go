// Package access says who asks and what they may do: the viewer, the roles, and
// the rules. It is pure: it knows neither tokens nor the store nor GraphQL.
package access

import (
	"context"
	"sync"
)

// Role is the role of a viewer. The zero value is Anonymous.
type Role int

// The roles. The numbers are not stored anywhere.
const (
	Anonymous Role = iota // without a token
	Author                // a visitor who is known: writes, and changes what is theirs
	Moderator             // of the shop: changes and deletes any comment
	Service               // a program of the shop: creates for others, as an import does
)

var roleNames = [...]string{"anonymous", "author", "moderator", "service"}

// String returns the role's name, by which flags and tokens know it.
func (r Role) String() string { return roleNames[r] }

// ParseRole returns the role with a name, of those that a token can give:
// author, moderator, service.
func ParseRole(name string) (Role, bool) {
	for r := Author; r <= Service; r++ {
		if roleNames[r] == name {
			return r, true
		}
	}
	return Anonymous, false
}

// Viewer is who asks. The zero value is an anonymous visitor.
type Viewer struct {
	Subject string // who it is, as the token says; empty for an anonymous visitor
	Role    Role
}

type viewerKey struct{}

// With returns a context of a request that the viewer makes.
func With(ctx context.Context, v Viewer) context.Context {
	return context.WithValue(ctx, viewerKey{}, v)
}

// From returns who makes the request of the context: an anonymous visitor if
// nobody said otherwise.
func From(ctx context.Context) Viewer {
	v, _ := ctx.Value(viewerKey{}).(Viewer)
	return v
}

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
