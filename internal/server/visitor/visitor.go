// Package visitor identifies anonymous visitors by a signed cookie: a random id with a message
// authentication code. The id contains nothing about the person, and is used for votes only.
package visitor

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"time"
)

// CookieName is the cookie's name.
const CookieName = "product-comments-visitor"

// Age is the lifetime of the cookie after the last vote.
const Age = 365 * 24 * time.Hour

const (
	codeSize = 16 // bytes of the code, too many to try
	// purpose separates these codes from other uses of the same secret.
	purpose = "product-comments visitor\x00"
)

// Codec encodes and decodes cookies. It is safe for concurrent use.
type Codec struct{ secrets [][]byte }

// New returns a codec with these secrets: the first signs, all verify.
func New(secrets ...[]byte) *Codec { return &Codec{secrets} }

// NewID returns the id of a new visitor, which cannot be guessed.
func NewID() string { return rand.Text() }

// Cookie returns the cookie of a visitor. Scripts cannot read it, and browsers do not send it with
// other sites' requests that could change anything; if secure is true, they send it over HTTPS
// only.
func (c *Codec) Cookie(id string, secure bool) *http.Cookie {
	return &http.Cookie{
		Name: CookieName, Value: id + "." + code(c.secrets[0], id), Path: "/", MaxAge: int(Age / time.Second),
		HttpOnly: true, Secure: secure, SameSite: http.SameSiteLaxMode,
	}
}

// ID returns the visitor's id from a request's first valid cookie; empty if it has none.
func (c *Codec) ID(r *http.Request) string {
	for _, cookie := range r.CookiesNamed(CookieName) {
		id, signed, _ := strings.Cut(cookie.Value, ".")
		for _, secret := range c.secrets {
			if hmac.Equal([]byte(signed), []byte(code(secret, id))) {
				return id
			}
		}
	}
	return ""
}

func code(secret []byte, id string) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(purpose + id))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:codeSize])
}
