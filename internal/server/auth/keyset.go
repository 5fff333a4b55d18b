package auth

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/MicahParks/jwkset"
	"github.com/MicahParks/keyfunc/v3"
	"github.com/golang-jwt/jwt/v5"
)

// keySetAlgorithms are the accepted algorithms of key sets.
var keySetAlgorithms = []string{
	jwt.SigningMethodRS256.Alg(), jwt.SigningMethodES256.Alg(), jwt.SigningMethodEdDSA.Alg(),
}

// Limits of a key set.
const (
	maxKeySet = 256 << 10 // bytes
	maxKeys   = 100
	minRSA    = 2048 // bits (RFC 7518, section 3.3)
	maxRSA    = 8192 // bits; larger keys make verification slow
)

// keySet is an immutable set of public keys.
type keySet struct {
	keys  keyfunc.Keyfunc
	count int
	text  []byte // as published
}

// parseKeySet parses a JSON Web Key Set. It ignores unsuitable and damaged keys, and returns an
// error if no other key remains.
func parseKeySet(text []byte) (*keySet, error) {
	if len(text) > maxKeySet {
		return nil, fmt.Errorf("the key set has more than %d bytes", maxKeySet)
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &set); err != nil || set.Keys == nil {
		return nil, errors.New("this is not a JSON Web Key Set")
	}
	if len(set.Keys) > maxKeys {
		return nil, fmt.Errorf("the key set has %d keys, the limit is %d", len(set.Keys), maxKeys)
	}
	storage, count := jwkset.NewMemoryStorage(), 0
	for _, raw := range set.Keys {
		k, ok := parseKey(raw)
		if !ok {
			continue
		}
		count++
		_ = storage.KeyWrite(context.Background(), k) // in memory, cannot fail
	}
	if count == 0 {
		return nil, fmt.Errorf("none of the key set's %d keys verifies RS256, ES256 or EdDSA", len(set.Keys))
	}
	keys, err := keyfunc.New(keyfunc.Options{Storage: storage})
	return &keySet{keys, count, text}, err
}

// parseKey parses a public key for signatures. It uses the key's public parameters only: no
// private part, and no certificate URL, which would be fetched.
func parseKey(raw json.RawMessage) (jwkset.JWK, bool) {
	var m jwkset.JWKMarshal
	if json.Unmarshal(raw, &m) != nil || m.USE != "" && m.USE != jwkset.UseSig {
		return jwkset.JWK{}, false
	}
	k, err := jwkset.NewJWKFromMarshal(
		jwkset.JWKMarshal{KTY: m.KTY, KID: m.KID, USE: m.USE, ALG: m.ALG, CRV: m.CRV, X: m.X, Y: m.Y, N: m.N, E: m.E},
		jwkset.JWKMarshalOptions{}, jwkset.JWKValidateOptions{})
	if err != nil {
		return k, false
	}
	switch key := k.Key().(type) {
	case *rsa.PublicKey:
		return k, verifies(m, jwt.SigningMethodRS256) && key.N.BitLen() >= minRSA && key.N.BitLen() <= maxRSA
	case *ecdsa.PublicKey:
		return k, verifies(m, jwt.SigningMethodES256) && key.Curve == elliptic.P256()
	case ed25519.PublicKey:
		return k, verifies(m, jwt.SigningMethodEdDSA)
	}
	return k, false
}

// verifies reports whether a key is declared for the algorithm, or for none.
func verifies(m jwkset.JWKMarshal, method jwt.SigningMethod) bool {
	return m.ALG == "" || m.ALG.String() == method.Alg()
}

// keyFor returns the key that a token names, or all keys if it names none.
func (s *keySet) keyFor(t *jwt.Token) (any, error) {
	if s == nil {
		return nil, errNoKeys
	}
	found, err := s.keys.Keyfunc(t)
	if errors.Is(err, jwkset.ErrKeyNotFound) {
		return nil, errUnknownKey
	}
	return found, err
}
