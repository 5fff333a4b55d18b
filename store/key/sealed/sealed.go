// Package sealed encrypts values with keys of the deployment, which it derives from secrets for one
// purpose: what is sealed for one purpose cannot be opened for another.
package sealed

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/tink-crypto/tink-go/v2/daead/subtle"
)

// MinSecret is the minimum size of a secret in bytes.
const MinSecret = 32

// Keys are keys for one purpose. They seal with AES-SIV (RFC 5297), which is deterministic and
// authenticated. The first key seals, all open. Keys are safe for concurrent use.
type Keys struct {
	all []*subtle.AESSIV
}

// New derives keys for a purpose from secrets of at least MinSecret bytes each. To rotate, put the
// new secret first and keep the old one while sealed values are in use.
func New(purpose string, secrets ...[]byte) (*Keys, error) {
	if len(secrets) == 0 {
		return nil, fmt.Errorf("no %s key", purpose)
	}
	k := &Keys{}
	for i, secret := range secrets {
		if len(secret) < MinSecret {
			return nil, fmt.Errorf("%s key %d has %d bytes, it needs at least %d", purpose, i+1, len(secret), MinSecret)
		}
		derived, err := Derive(purpose, secret, subtle.AESSIVKeySize)
		if err != nil {
			return nil, err
		}
		siv, err := subtle.NewAESSIV(derived)
		if err != nil {
			return nil, fmt.Errorf("%s key: %w", purpose, err)
		}
		k.all = append(k.all, siv)
	}
	return k, nil
}

// Derive returns a key of size bytes for a purpose from a secret.
func Derive(purpose string, secret []byte, size int) ([]byte, error) {
	derived, err := hkdf.Key(sha256.New, secret, nil, "product-comments "+purpose, size)
	if err != nil {
		return nil, fmt.Errorf("derive a %s key: %w", purpose, err)
	}
	return derived, nil
}

// Seal encrypts a value. Open needs the same associated data, which are not part of the result.
func (k *Keys) Seal(plain, associated []byte) ([]byte, error) {
	return k.all[0].EncryptDeterministically(plain, associated)
}

// errSealed says that no key opens a value.
var errSealed = errors.New("no key of this deployment opens it")

// Open decrypts a value that any of the keys has sealed. The error names no secret.
func (k *Keys) Open(sealed, associated []byte) ([]byte, error) {
	for _, key := range k.all {
		if plain, err := key.DecryptDeterministically(sealed, associated); err == nil {
			return plain, nil
		}
	}
	return nil, errSealed
}

// The encoding is strict, so that a value has exactly one token.
var encoding = base64.RawURLEncoding.Strict()

// Token seals a value as a text for links: base64url, the same for the same value.
func (k *Keys) Token(plain []byte) (string, error) {
	sealed, err := k.Seal(plain, nil)
	return encoding.EncodeToString(sealed), err
}

// OpenToken is the inverse of Token. It refuses texts of more than longest bytes.
func (k *Keys) OpenToken(token string, longest int) ([]byte, error) {
	if len(token) > longest || strings.ContainsAny(token, "\r\n") { // the decoder ignores line breaks
		return nil, errSealed
	}
	sealed, err := encoding.DecodeString(token)
	if err != nil {
		return nil, errSealed
	}
	return k.Open(sealed, nil)
}

// Set has the keys of a deployment for all purposes, derived from the same secrets.
type Set struct{ secrets [][]byte }

// NewSet returns the keys of secrets, as New. Without secrets it returns nil, which has no keys.
func NewSet(secrets ...[]byte) (*Set, error) {
	if len(secrets) == 0 {
		return nil, nil
	}
	_, err := New("deployment", secrets...)
	return &Set{secrets}, err
}

// Derive returns the keys for a purpose; nil if the set is nil.
func (s *Set) Derive(purpose string) *Keys {
	if s == nil {
		return nil
	}
	k, err := New(purpose, s.secrets...)
	if err != nil { // NewSet has checked the secrets
		panic(err)
	}
	return k
}
