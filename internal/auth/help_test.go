package auth

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"maps"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"product-comments/access"
	"product-comments/internal/testkit"
)

var (
	today              = time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)
	secret             = bytes.Repeat([]byte{7}, 32)
	rsaKey             = must(rsa.GenerateKey(rand.Reader, 2048))
	ecKey              = must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	edPublic, edKey, _ = ed25519.GenerateKey(rand.Reader)
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func rsaJWK(kid string, k *rsa.PublicKey, more ...string) map[string]string {
	return jwk(map[string]string{"kty": "RSA", "kid": kid, "alg": "RS256", "n": b64(k.N.Bytes()), "e": "AQAB"}, more)
}

func ecJWK(kid string, k *ecdsa.PublicKey, more ...string) map[string]string {
	point := must(k.Bytes())
	half := (len(point) - 1) / 2
	return jwk(map[string]string{"kty": "EC", "kid": kid, "crv": k.Params().Name, "x": b64(point[1 : 1+half]), "y": b64(point[1+half:])}, more)
}

func edJWK(kid string, k ed25519.PublicKey, more ...string) map[string]string {
	return jwk(map[string]string{"kty": "OKP", "kid": kid, "crv": "Ed25519", "x": b64(k)}, more)
}

func jwk(m map[string]string, more []string) map[string]string {
	for i := 0; i < len(more); i += 2 {
		m[more[i]] = more[i+1]
	}
	return m
}

func keySetOf(keys ...map[string]string) []byte {
	return must(json.Marshal(map[string]any{"keys": keys}))
}

// allKeys is a set with a key of each algorithm.
func allKeys() []byte {
	return keySetOf(rsaJWK("rsa", &rsaKey.PublicKey), ecJWK("ec", &ecKey.PublicKey), edJWK("ed", edPublic))
}

// known are keys that are not read again.
func known(text []byte) *Keys {
	k := &Keys{done: make(chan struct{})}
	k.set.Store(must(parseKeySet(text)))
	k.last = time.Now()
	return k
}

// shop accepts tokens of both kinds.
func shop(change ...func(*Config)) *Authenticator {
	c := Config{
		Secrets: [][]byte{secret}, Keys: known(allKeys()), Issuer: "https://issuer.example/", Audiences: []string{"comments"},
		Roles: DefaultRoles(), Now: func() time.Time { return today },
	}
	for _, f := range change {
		f(&c)
	}
	return New(c)
}

// claims are those of a valid token, changed: nil removes one.
func claims(changes map[string]any) jwt.MapClaims {
	c := jwt.MapClaims{"sub": "alice", "iss": "https://issuer.example/", "aud": "comments", "exp": today.Add(time.Hour).Unix()}
	maps.Copy(c, changes)
	maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
	return c
}

func sign(t testing.TB, method jwt.SigningMethod, key any, header, changes map[string]any) string {
	t.Helper()
	token := jwt.NewWithClaims(method, claims(changes))
	maps.Copy(token.Header, header)
	signed := testkit.Value(token.SignedString(key))(t)
	return signed
}

func hs256(t testing.TB, changes map[string]any) string {
	t.Helper()
	return sign(t, jwt.SigningMethodHS256, secret, nil, changes)
}

func ask(t testing.TB, a *Authenticator, token string) (access.Viewer, error) {
	t.Helper()
	return a.Viewer(t.Context(), []string{"Bearer " + token})
}

func wantViewer(t testing.TB, a *Authenticator, token string, want access.Viewer) {
	t.Helper()
	got, err := ask(t, a, token)
	testkit.Check(t, err == nil && got == want, "got %+v, %v, want %+v", got, err, want)
}

func wantRefusal(t testing.TB, a *Authenticator, token, reason string) {
	t.Helper()
	got, err := ask(t, a, token)
	refusal, ok := err.(*Refusal)
	testkit.Check(t, ok && refusal.Reason == reason && got == (access.Viewer{}), "got %+v, %v, want a refusal for %s", got, err, reason)
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

var alice = access.Viewer{Subject: "alice", Role: access.Author}
