package auth

import (
	"strings"

	"product-comments/access"
)

// Roles say which role the claims of a token give.
type Roles struct {
	// Claim names the claim that holds one value or a list. If there is none of
	// this name, dots lead into objects: realm_access.roles.
	Claim string
	// Values are what the claim holds for each role. Others mean nothing.
	Values map[string]access.Role
}

// DefaultRoles takes the roles' own names from the claim role.
func DefaultRoles() Roles {
	return Roles{Claim: "role", Values: map[string]access.Role{
		access.Author.String(): access.Author, access.Moderator.String(): access.Moderator, access.Service.String(): access.Service,
	}}
}

// of returns the role that claims give: of several moderator, then service. A
// token without any is an author's.
func (r Roles) of(claims map[string]any) access.Role {
	role := access.Author
	for _, name := range valuesOf(find(claims, r.Claim)) {
		switch given := r.Values[name]; {
		case given == access.Moderator, given == access.Service && role == access.Author:
			role = given
		}
	}
	return role
}

// nameOf returns the value that gives a role; ok is false if none does.
func (r Roles) nameOf(role access.Role) (name string, ok bool) {
	for value, given := range r.Values {
		if given == role && (!ok || value < name) {
			name, ok = value, true
		}
	}
	return name, ok
}

// find returns a claim by its name, or by its path if there is none of the name.
func find(claims map[string]any, path string) any {
	if v, ok := claims[path]; ok {
		return v
	}
	first, rest, nested := strings.Cut(path, ".")
	if !nested {
		return nil
	}
	inner, _ := claims[first].(map[string]any)
	return find(inner, rest)
}

func valuesOf(claim any) []string {
	switch v := claim.(type) {
	case string:
		return []string{v}
	case []any:
		names := make([]string, 0, len(v))
		for _, each := range v {
			if name, ok := each.(string); ok {
				names = append(names, name)
			}
		}
		return names
	}
	return nil
}
