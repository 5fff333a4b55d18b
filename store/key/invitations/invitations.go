// Package invitations seals and opens invitations: tokens in links that let a buyer write, read and
// edit their one comment on one product of an order, without signing in. An invitation permits nothing
// else, and is no bearer token.
package invitations

import (
	"encoding/binary"
	"errors"
	"time"

	"product-comments/store/key"
	"product-comments/store/key/sealed"
)

// Period is how long an invitation is valid by default.
const Period = 90 * 24 * time.Hour

// Path begins the paths of pages to write on. A token follows, which nothing may log.
const Path = "/write/"

// Invitation is what a token names.
type Invitation struct {
	OrderID   string
	ProductID string
	Subject   string    // the buyer
	Expires   time.Time // in UTC, whole seconds
	Incentive string    // what the buyer gets for the comment; empty for nothing
}

// Codec seals and opens invitations. It is safe for concurrent use.
type Codec struct{ keys *sealed.Keys }

// New returns a codec with keys that are derived from the secrets of a deployment. The first secret
// seals, all open; so an invitation stays valid while its secret is kept.
func New(secrets ...[]byte) (*Codec, error) {
	keys, err := sealed.New("invitation", secrets...)
	if err != nil {
		return nil, err
	}
	return &Codec{keys}, nil
}

// longest is more than the length of any token: order, product and subject have at most 64, 128 and
// 256 bytes.
const longest = 1024

// Token returns the token of an invitation: base64url, the same for the same invitation. A guest's
// subject follows from the order and is left out, since people print tokens as QR codes.
func (c *Codec) Token(i Invitation) (string, error) {
	subject := i.Subject
	if subject == key.Guest(i.OrderID) {
		subject = ""
	}
	plain := binary.AppendUvarint(nil, uint64(i.Expires.Unix()))
	parts := []string{i.OrderID, i.ProductID, subject}
	if i.Incentive != "" {
		parts = append(parts, i.Incentive)
	}
	for _, part := range parts {
		plain = append(binary.AppendUvarint(plain, uint64(len(part))), part...)
	}
	return c.keys.Token(plain)
}

// The errors of Open.
var (
	ErrDamaged = errors.New("no key of this deployment has sealed the invitation")
	ErrExpired = errors.New("the invitation is no longer valid")
)

// Open returns the invitation of a token. It returns ErrDamaged for a token that no key of the
// deployment has sealed, and the invitation with ErrExpired after its time.
func (c *Codec) Open(token string, now time.Time) (i Invitation, err error) {
	plain, err := c.keys.OpenToken(token, longest)
	if err != nil {
		return i, ErrDamaged
	}
	at, n := binary.Uvarint(plain)
	plain = plain[n:] // sealed by Token, so the lengths are right
	for _, part := range []*string{&i.OrderID, &i.ProductID, &i.Subject, &i.Incentive} {
		if len(plain) == 0 { // without an incentive
			break
		}
		size, n := binary.Uvarint(plain)
		*part, plain = string(plain[n:n+int(size)]), plain[n+int(size):]
	}
	if i.Subject == "" {
		i.Subject = key.Guest(i.OrderID)
	}
	if i.Expires = time.Unix(int64(at), 0).UTC(); !now.Before(i.Expires) {
		return i, ErrExpired
	}
	return i, nil
}
