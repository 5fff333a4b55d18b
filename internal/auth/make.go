package auth

import (
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"product-comments/access"
)

// Make returns a token for a viewer, which an authenticator of this configuration
// accepts for the time to live. The first secret signs it.
func (c Config) Make(v access.Viewer, ttl time.Duration) (string, error) {
	if len(c.Secrets) == 0 {
		return "", errors.New("there is no secret to sign with")
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
