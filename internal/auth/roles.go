package auth

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"
	"golang.org/x/text/unicode/norm"

	"product-comments/access"
)

// Roles map the claims of a token to a role.
type Roles struct {
	// Claim names the claim that holds one value or a list. If there is none of
	// this name, dots lead into objects: realm_access.roles.
	Claim string
	// Values are what the claim holds for each role. Others mean nothing.
	Values map[string]access.Role
}

// DefaultRoles reads the role's name from the claim role.
func DefaultRoles() Roles {
	return Roles{Claim: "role", Values: map[string]access.Role{
		access.Author.String(): access.Author, access.Moderator.String(): access.Moderator, access.Service.String(): access.Service,
	}}
}

// roleOf returns the role that claims give: roleOf several moderator, then service. A
// token without any is an author's.
func (r Roles) roleOf(claims map[string]any) access.Role {
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

// MaxSubject is the most bytes of a subject (OpenID Connect Core 1.0, section 2).
const MaxSubject = 255

// CheckSubject refuses a subject that is empty, too long, not UTF-8, or that looks like
// another one: with characters that cannot be seen, with white space around it, or not
// in composed form (NFC).
func CheckSubject(s string) error {
	switch {
	case s == "":
		return errors.New("the subject is empty")
	case len(s) > MaxSubject:
		return fmt.Errorf("the subject has %d bytes, the limit is %d", len(s), MaxSubject)
	case !utf8.ValidString(s):
		return errors.New("the subject is not valid UTF-8")
	}
	for _, r := range s {
		switch {
		case unicode.IsControl(r):
			return fmt.Errorf("the subject contains the control character U+%04X", r)
		case unicode.In(r, unseen...):
			return fmt.Errorf("the subject contains the invisible character U+%04X", r)
		}
	}
	switch {
	case strings.TrimSpace(s) != s:
		return errors.New("the subject begins or ends with white space")
	case !norm.NFC.IsNormalString(s):
		return errors.New("the subject is not in Unicode's composed form (NFC)")
	}
	return nil
}

// unseen are invisible characters: formats such as U+200B and U+202E,
// private ones, ends of lines, and fillers.
var unseen = []*unicode.RangeTable{
	unicode.C, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point,
}

// Make returns a token for a viewer, which an authenticator of this configuration
// accepts for the time to live. The first secret signs it.
func (c Config) Make(v access.Viewer, ttl time.Duration) (string, error) {
	if len(c.Secrets) == 0 {
		return "", errors.New("no secret to sign with is configured")
	}
	if err := CheckSubject(v.Subject); err != nil {
		return "", err
	}
	now := time.Now
	if c.Now != nil {
		now = c.Now
	}
	claims := jwt.MapClaims{"sub": v.Subject, "iat": now().Unix(), "exp": now().Add(ttl).Unix()}
	if c.Issuer != "" {
		claims["iss"] = c.Issuer
	}
	if len(c.Audiences) > 0 {
		claims["aud"] = c.Audiences[0]
	}
	name, ok := c.Roles.nameOf(v.Role)
	switch {
	case ok:
		claims[c.Roles.Claim] = name
	case v.Role != access.Author: // which needs none
		return "", fmt.Errorf("no value of the claim %q gives the role %s", c.Roles.Claim, v.Role)
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(c.Secrets[0])
	if err == nil && len(token) > maxToken {
		return "", fmt.Errorf("the token has %d bytes, the limit is %d", len(token), maxToken)
	}
	return token, err
}
