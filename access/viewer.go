// Package access has the viewer of a request, the roles, and the permissions of each role. It is
// pure: it does not depend on tokens, the store or GraphQL.
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
	Author                // an authenticated visitor: creates comments, and changes their own
	Moderator             // changes and deletes any comment
	Service               // a program of the shop: creates comments without an owner
)

var roleNames = [...]string{"anonymous", "author", "moderator", "service"}

// String returns the role's name in flags and tokens.
func (r Role) String() string { return roleNames[r] }

// ParseRole returns the role with a name that a token can have: author, moderator or
// service.
func ParseRole(name string) (Role, bool) {
	for r := Author; r <= Service; r++ {
		if roleNames[r] == name {
			return r, true
		}
	}
	return Anonymous, false
}

// Viewer is the user of a request. The zero value is an anonymous visitor.
type Viewer struct {
	Subject string // the token's subject; empty for an anonymous visitor
	Role    Role
}

type viewerKey struct{}

// With returns the context for requests of the viewer.
func With(ctx context.Context, v Viewer) context.Context {
	return context.WithValue(ctx, viewerKey{}, v)
}

// From returns the viewer of a context; an anonymous visitor by default.
func From(ctx context.Context) Viewer {
	v, _ := ctx.Value(viewerKey{}).(Viewer)
	return v
}

// Visitor is an anonymous visitor of one request, identified by a cookie of the request
// or of its answer. It is safe for concurrent use.
type Visitor struct {
	mu         sync.Mutex
	id         string
	remember   func(id string) string
	remembered bool
}

type visitorKey struct{}

// WithVisitor returns the context for a request of an anonymous visitor. id is empty if the request
// has no cookie. The first action that needs an id calls remember once. remember returns the given
// id, or a new one if that is empty.
func WithVisitor(ctx context.Context, id string, remember func(id string) string) context.Context {
	return context.WithValue(ctx, visitorKey{}, &Visitor{id: id, remember: remember})
}

// VisitorOf returns the anonymous visitor of the context's request; nil if visitors are
// not identified.
func VisitorOf(ctx context.Context) *Visitor {
	v, _ := ctx.Value(visitorKey{}).(*Visitor)
	return v
}

// ID returns the visitor's id; empty if unknown, and for a nil Visitor.
func (v *Visitor) ID() string {
	if v == nil {
		return ""
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.id
}

// Remember makes the visitor recognizable in later requests, and returns the id.
func (v *Visitor) Remember() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.remembered {
		v.id, v.remembered = v.remember(v.id), true
	}
	return v.id
}
