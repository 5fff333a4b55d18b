package model

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"product-comments/access"
)

// Viewer is who asks.
type Viewer struct{ of access.Viewer }

// NewViewer returns nil for an anonymous visitor.
func NewViewer(v access.Viewer) *Viewer {
	if v.Role == access.Anonymous {
		return nil
	}
	return &Viewer{v}
}

// Subject returns who it is to whoever made the token.
func (v Viewer) Subject() string { return v.of.Subject }

// Role returns what the viewer may do.
func (v Viewer) Role() Role { return Role{v.of.Role} }

// Role is a role as the schema spells it.
type Role struct{ of access.Role }

// MarshalGQL is part of graphql.Marshaler.
func (r Role) MarshalGQL(w io.Writer) {
	_, _ = io.WriteString(w, strconv.Quote(strings.ToUpper(r.of.String()))) // the executor's buffer cannot fail
}

// UnmarshalGQL is part of graphql.Unmarshaler. Nothing takes a role.
func (r *Role) UnmarshalGQL(v any) error {
	name, _ := v.(string)
	of, ok := access.ParseRole(strings.ToLower(name))
	if !ok {
		return fmt.Errorf("%v is not a role", v)
	}
	r.of = of
	return nil
}
