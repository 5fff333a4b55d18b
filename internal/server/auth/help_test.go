package auth

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"golang.org/x/time/rate"

	"product-comments/access"
	"product-comments/internal/testing/testkit"
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
	k := &Keys{unknown: rate.NewLimiter(0, 0)}
	k.set.Store(must(parseKeySet(text)))
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

// claims returns the claims of a valid token with changes: nil removes a claim.
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

// Two subjects that look alike are the same one.
func TestSubjectsAreChecked(t *testing.T) {
	for _, s := range []string{"alice", "auth0|6523", "Zoë", "李小龍", "Anna Maria", "VXNlcjphbGljZQ", "e@x.example", strings.Repeat("x", MaxSubject)} {
		err := CheckSubject(s)
		testkit.Check(t, err == nil, "%q: %v", s, err)
	}
	for s, want := range map[string]string{
		"":                                "empty",
		strings.Repeat("x", MaxSubject+1): "the limit is 255",
		"\xff":                            "UTF-8",
		"a\nb":                            "U+000A",
		"a\x00":                           "U+0000",
		"a\u0085":                         "U+0085",
		"ali\u200bce":                     "U+200B",
		"alice\u202e":                     "U+202E",
		"alice\ufeff":                     "U+FEFF",
		"al\u00adice":                     "U+00AD",
		"ali\U000E0063ce":                 "U+E0063",
		"ali\u034fce":                     "U+034F",
		"alice\u3164":                     "U+3164",
		"alice\ufe0f":                     "U+FE0F",
		"alice\u2028":                     "U+2028",
		"alice\ue000":                     "U+E000",
		"alice\uffff":                     "U+FFFF",
		" alice":                          "white space",
		"alice ":                          "white space",
		"alice\u3000":                     "white space",
		"Zoe\u0308":                       "NFC",
		"notice:17":                       "without a token",
		"guest:17":                        "without an account",
		"\u212bngstrom":                   "NFC",
	} {
		err := CheckSubject(s)
		testkit.Check(t, err != nil && strings.Contains(err.Error(), want), "%q: %v, want %s", s, err, want)
	}
}

// FuzzToken sends headers as they come, and tokens with any head and claims that are
// signed with the right secret. A header without a signature is refused, an accepted
// viewer has the subject of the claims, and no refusal repeats what was sent.
func FuzzToken(f *testing.F) {
	f.Add("Bearer e30.e30.", "{}", "{}")
	f.Add("Basic YTpi", `{"alg":"HS256"}`, `{"sub":"alice","iss":"https://issuer.example/","aud":"comments","exp":4000000000,"role":"author"}`)
	f.Add("Bearer  ", `{"alg":"HS256","crit":["b64"],"b64":false}`, `{"sub":7,"exp":1e400,"aud":[[]]}`)
	f.Add("bearer a.b.c", `{"alg":"none","kid":"../../dev/null"}`, `{"sub":"a","sub":"b","exp":4000000000,"nbf":-1,"realm_access":{"roles":[]}}`)
	a := shop()
	f.Fuzz(func(t *testing.T, header, head, claims string) {
		if v, err := a.Viewer(t.Context(), []string{header}); err == nil {
			t.Fatalf("%q is %+v", header, v)
		} else {
			checkRefusal(t, err, header)
		}
		signed := b64([]byte(head)) + "." + b64([]byte(claims))
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(signed))
		token := signed + "." + b64(mac.Sum(nil))
		v, err := a.Viewer(t.Context(), []string{"Bearer " + token})
		if err != nil {
			checkRefusal(t, err, token)
			return
		}
		var said map[string]any
		_ = json.Unmarshal([]byte(claims), &said)
		testkit.Need(t, said["sub"] == v.Subject && CheckSubject(v.Subject) == nil, "%+v of %s", v, claims)
	})
}

func checkRefusal(t *testing.T, err error, sent string) {
	var refusal *Refusal
	testkit.Need(t, errors.As(err, &refusal) && refusal.Reason != "" && refusal.Message != "", "%q: %v", sent, err)
	testkit.Need(t, len(sent) <= 40 || !strings.Contains(refusal.Message, sent), "it repeats what was sent: %v", err)
}
