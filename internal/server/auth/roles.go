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
	"product-comments/store/key"
)

// Roles map the claims of a token to a role.
type Roles struct {
	// Claim names the claim with one value or a list. If no claim has the name, its dots separate
	// a path into objects, such as realm_access.roles.
	Claim string
	// Values map values of the claim to roles. Other values are ignored.
	Values map[string]access.Role
}

// DefaultRoles reads the role's name from the claim role.
func DefaultRoles() Roles {
	return Roles{Claim: "role", Values: map[string]access.Role{
		access.Author.String(): access.Author, access.Moderator.String(): access.Moderator,
		access.Service.String(): access.Service,
	}}
}

// Of returns the role of the claims: moderator before service if there are several, author if
// there is none.
func (r Roles) Of(claims map[string]any) access.Role {
	role := access.Author
	for _, name := range valuesOf(find(claims, r.Claim)) {
		switch given := r.Values[name]; {
		case given == access.Moderator, given == access.Service && role == access.Author:
			role = given
		}
	}
	return role
}

// nameOf returns the claim's value for a role; ok is false if no value gives it.
func (r Roles) nameOf(role access.Role) (name string, ok bool) {
	for value, given := range r.Values {
		if given == role && (!ok || value < name) {
			name, ok = value, true
		}
	}
	return name, ok
}

// find returns a claim by name, or else by path.
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

// CheckSubject returns an error for a subject that is empty, too long, not UTF-8, or that could be
// confused with another one: a guest's, with invisible characters, with white space at its ends, or
// not in composed form (NFC).
func CheckSubject(s string) error {
	switch {
	case s == "":
		return errors.New("the subject is empty")
	case len(s) > MaxSubject:
		return fmt.Errorf("the subject has %d bytes, the limit is %d", len(s), MaxSubject)
	case !utf8.ValidString(s):
		return errors.New("the subject is not valid UTF-8")
	case key.IsNotifier(s):
		return fmt.Errorf("the subject begins with %s, which is for people who report without a token", key.Notifier(""))
	case key.IsGuest(s):
		return fmt.Errorf("the subject begins with %s, which is for buyers without an account", key.Guest(""))
	}
	for _, r := range s {
		switch {
		case unicode.IsControl(r):
			return fmt.Errorf("the subject contains the control character U+%04X", r)
		case unicode.In(r, invisible...):
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

// invisible are format characters such as U+200B and U+202E, private-use characters, line
// separators and fillers.
var invisible = []*unicode.RangeTable{
	unicode.C, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point,
	unicode.Noncharacter_Code_Point,
}

// Make returns a token for a viewer that an authenticator with this configuration accepts. It is
// signed with the first secret and expires after ttl.
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
	case v.Role != access.Author: // other tokens are an author's by default
		return "", fmt.Errorf("no value of the claim %q gives the role %s", c.Roles.Claim, v.Role)
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(c.Secrets[0])
	if err == nil && len(token) > maxToken {
		return "", fmt.Errorf("the token has %d bytes, the limit is %d", len(token), maxToken)
	}
	return token, err
}
