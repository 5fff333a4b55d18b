// Package visitor tells anonymous visitors from each other by a signed cookie: a random
// id, and a code of the server's secret that shows who made it. It says nothing of who
// they are. The id is for votes alone, and no one gets anything else for it.
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

// CookieName is what the cookie is called.
const CookieName = "product-comments-visitor"

// Age is how long a visitor is known after their last vote.
const Age = 365 * 24 * time.Hour

const (
	idSize   = 16 // bytes, random: no one guesses another's
	codeSize = 16 // bytes of the code, far more than can be tried
	// purpose keeps codes for something else with the same secret from being taken.
	purpose = "product-comments visitor\x00"
)

var encoding = base64.RawURLEncoding

// Codec makes and reads cookies. It is safe for concurrent use.
type Codec struct{ secrets [][]byte }

// New returns the codec of some secrets: the first signs, all verify.
func New(secrets ...[]byte) *Codec { return &Codec{secrets} }

// NewID returns the id of a visitor who was not known before.
func NewID() string {
	id := make([]byte, idSize)
	_, _ = rand.Read(id) // never fails
	return encoding.EncodeToString(id)
}

// Cookie returns the cookie of a visitor. Scripts do not see it, other sites' pages do
// not make a browser send it with what could change anything, and with secure it is
// sent by HTTPS alone.
func (c *Codec) Cookie(id string, secure bool) *http.Cookie {
	return &http.Cookie{
		Name: CookieName, Value: id + "." + code(c.secrets[0], id), Path: "/", MaxAge: int(Age / time.Second),
		HttpOnly: true, Secure: secure, SameSite: http.SameSiteLaxMode,
	}
}

// ID returns who sends a request; empty if no cookie of it was made with one of the
// secrets. Of several, the first that was counts.
func (c *Codec) ID(r *http.Request) string {
	for _, cookie := range r.CookiesNamed(CookieName) {
		id, signed, _ := strings.Cut(cookie.Value, ".")
		if raw, err := encoding.DecodeString(id); err != nil || len(raw) != idSize || encoding.EncodeToString(raw) != id {
			continue
		}
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
	return encoding.EncodeToString(mac.Sum(nil)[:codeSize])
}
