package auth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"product-comments/access"
	"product-comments/internal/testing/testkit"
)

func kid(name string) map[string]any { return map[string]any{"kid": name} }

func TestEachAlgorithmHasItsKey(t *testing.T) {
	a := shop()
	wantViewer(t, a, hs256(t, nil), alice)
	wantViewer(t, a, sign(t, jwt.SigningMethodRS256, rsaKey, kid("rsa"), nil), alice)
	wantViewer(t, a, sign(t, jwt.SigningMethodES256, ecKey, kid("ec"), nil), alice)
	wantViewer(t, a, sign(t, jwt.SigningMethodEdDSA, edKey, kid("ed"), nil), alice)
	wantViewer(t, a, sign(t, jwt.SigningMethodEdDSA, edKey, nil, nil), alice) // without a kid all keys are tried
}

func TestAHeaderMakesNoAnonymousViewer(t *testing.T) {
	for _, a := range []*Authenticator{shop(), nil} {
		v, err := a.Viewer(t.Context(), nil)
		testkit.Check(t, err == nil && v == (access.Viewer{}), "without a header: %+v, %v", v, err)
	}
	token := hs256(t, nil)
	for _, bad := range [][]string{
		{""}, {"Bearer"}, {"Bearer "}, {"Basic YTpi"}, {token}, {"Bearer null"}, {"Bearer undefined"}, {"Bearer " + token + " more"},
		{"Bearer " + token, "Bearer " + token}, {"Bearer " + token + ",Bearer " + token}, {"Bearer\t" + token},
		{"Bearer .."}, {"Bearer ..."}, {"Bearer " + strings.Repeat(".", 5000)}, {"Bearer e30.e30."},
	} {
		for _, a := range []*Authenticator{shop(), nil} {
			v, err := a.Viewer(t.Context(), bad)
			var refusal *Refusal
			testkit.Check(t, errors.As(err, &refusal) && v == (access.Viewer{}), "%.60q: %+v, %v", bad, v, err)
		}
	}
	v, err := shop().Viewer(t.Context(), []string{"bearer  " + token})
	testkit.Check(t, err == nil && v == alice, "the scheme's case does not matter: %+v, %v", v, err)
}

func TestTokensMustBeCurrentAndForThisService(t *testing.T) {
	a := shop()
	at := func(d time.Duration) int64 { return today.Add(d).Unix() }
	for reason, changes := range map[string][]map[string]any{
		expired:    {{"exp": at(-time.Minute)}, {"exp": nil}, {"exp": 0}, {"iss": nil}},
		notYet:     {{"nbf": at(time.Minute)}},
		issuer:     {{"iss": "https://other.example/"}, {"iss": "https://issuer.example"}},
		audience:   {{"aud": "shop"}, {"aud": nil}, {"aud": []string{}}, {"aud": nil, "client_id": "shop"}, {"aud": "shop", "client_id": "comments"}, {"aud": 7}},
		badSubject: {{"sub": nil}, {"sub": ""}, {"sub": strings.Repeat("x", 256)}, {"sub": "a\nb"}, {"sub": "a\x00"}, {"sub": 7}, {"sub": "al\u200bice"}, {"sub": "\u202eecila"}, {"sub": "alice "}, {"sub": "Zoe\u0308"}},
		malformed:  {{"exp": "tomorrow"}, {"nbf": "yesterday"}, {"iss": 7}},
	} {
		for _, c := range changes {
			wantRefusal(t, a, hs256(t, c), reason)
		}
	}
	for _, c := range []map[string]any{
		{"exp": at(-20 * time.Second)}, {"nbf": at(20 * time.Second)}, // clocks differ a little
		{"aud": []string{"shop", "comments"}}, {"aud": nil, "client_id": "comments"}, {"sub": "alice"},
	} {
		wantViewer(t, a, hs256(t, c), alice)
	}
}

// Two subjects that a reader could take for one, or one token that says two things.
func TestClaimsSayOneThing(t *testing.T) {
	a := shop()
	parts := strings.Split(hs256(t, nil), ".")
	claims := string(must(base64.RawURLEncoding.DecodeString(parts[1])))
	for _, more := range []string{`"name":"x\ud800"`, `"sub":"alice"`, "\"name\":\"x\xff\""} {
		signed := parts[0] + "." + b64([]byte(strings.Replace(claims, "{", "{"+more+",", 1)))
		signature := must(jwt.SigningMethodHS256.Sign(signed, secret))
		wantRefusal(t, a, signed+"."+b64(signature), malformed)
	}
}

func TestForgedTokens(t *testing.T) {
	a := shop()
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: must(x509.MarshalPKIXPublicKey(&rsaKey.PublicKey))})
	stranger := must(rsa.GenerateKey(rand.Reader, 2048))
	p384 := must(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))
	none := sign(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, kid("rsa"), nil)
	valid := hs256(t, nil)
	parts := strings.Split(valid, ".")
	for name, token := range map[string]string{
		"alg none":                     none,
		"alg None":                     b64([]byte(`{"alg":"None"}`)) + "." + parts[1] + ".",
		"alg in another case":          b64([]byte(`{"alg":"hs256"}`)) + "." + parts[1] + "." + parts[2],
		"alg missing":                  b64([]byte(`{"typ":"JWT"}`)) + "." + parts[1] + "." + parts[2],
		"alg a number":                 b64([]byte(`{"alg":1}`)) + "." + parts[1] + "." + parts[2],
		"the signature missing":        parts[0] + "." + parts[1] + ".",
		"the signature of another":     parts[0] + "." + b64([]byte(`{"sub":"mallory"}`)) + "." + parts[2],
		"trailing bits of the base64":  valid[:len(valid)-1] + string(valid[len(valid)-1]+1),
		"padding":                      valid + "=",
		"the public key as secret":     sign(t, jwt.SigningMethodHS256, public, kid("rsa"), nil),
		"the modulus as secret":        sign(t, jwt.SigningMethodHS256, rsaKey.N.Bytes(), kid("rsa"), nil),
		"no secret":                    sign(t, jwt.SigningMethodHS256, []byte{}, nil, nil),
		"another secret":               sign(t, jwt.SigningMethodHS256, []byte(strings.Repeat("x", 32)), nil, nil),
		"HS512 with the secret":        sign(t, jwt.SigningMethodHS512, secret, nil, nil),
		"RS512 with the key":           sign(t, jwt.SigningMethodRS512, rsaKey, kid("rsa"), nil),
		"PS256 with the key":           sign(t, jwt.SigningMethodPS256, rsaKey, kid("rsa"), nil),
		"ES384":                        sign(t, jwt.SigningMethodES384, p384, kid("ec"), nil),
		"another key with a known kid": sign(t, jwt.SigningMethodRS256, stranger, kid("rsa"), nil),
		"another key without a kid":    sign(t, jwt.SigningMethodRS256, stranger, nil, nil),
		"the kid of another type":      sign(t, jwt.SigningMethodRS256, rsaKey, kid("ec"), nil),
		"an ES256 signature of zeros":  zeros(t),
		"critical extensions":          sign(t, jwt.SigningMethodHS256, secret, map[string]any{"crit": []string{"exp"}}, nil),
	} {
		got, err := ask(t, a, token)
		testkit.Check(t, err != nil && got == (access.Viewer{}), "%s: %+v, %v", name, got, err)
	}
}

// zeros is a token with r = s = 0.
func zeros(t *testing.T) string {
	parts := strings.Split(sign(t, jwt.SigningMethodES256, ecKey, kid("ec"), nil), ".")
	return parts[0] + "." + parts[1] + "." + b64(make([]byte, 64))
}

// An ES256 signature (r, s) has a twin, (r, n-s), that anybody can work out. It
// says the same and is accepted, so nothing may take a token for unique.
func TestTheTwinOfASignatureSaysTheSame(t *testing.T) {
	parts := strings.Split(sign(t, jwt.SigningMethodES256, ecKey, kid("ec"), nil), ".")
	signature := must(jwt.NewParser().DecodeSegment(parts[2]))
	s := new(big.Int).SetBytes(signature[32:])
	s.Sub(elliptic.P256().Params().N, s).FillBytes(signature[32:])
	wantViewer(t, shop(), parts[0]+"."+parts[1]+"."+b64(signature), alice)
}

func TestAKeyIsFoundByItsIDAlone(t *testing.T) {
	var asked atomic.Int32
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		_, _ = w.Write(keySetOf(rsaJWK("evil", &rsaKey.PublicKey)))
	}))
	defer evil.Close()
	stranger := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	a := shop()
	for _, header := range []map[string]any{
		{"jwk": ecJWK("", &stranger.PublicKey)}, {"jku": evil.URL}, {"x5u": evil.URL}, {"x5c": []string{"MIIB"}},
	} {
		header["kid"] = "ec"
		got, err := ask(t, a, sign(t, jwt.SigningMethodES256, stranger, header, nil))
		testkit.Check(t, err != nil, "%v was believed: %+v", header, got)
	}
	n := asked.Load()
	testkit.Check(t, n == 0, "the addresses in headers were asked %d times", n)
	for _, k := range []any{"", "../../etc/passwd", "/dev/null", "rsa' OR '1'='1", strings.Repeat("k", 5000), "\x00", "RSA"} {
		wantRefusal(t, a, sign(t, jwt.SigningMethodRS256, rsaKey, map[string]any{"kid": k}, nil), unknownKey)
	}
	for _, k := range []any{7, nil, []string{"rsa"}, map[string]any{"kid": "rsa"}} {
		got, err := ask(t, a, sign(t, jwt.SigningMethodRS256, rsaKey, map[string]any{"kid": k}, nil))
		testkit.Check(t, err != nil, "kid %v was taken: %+v", k, got)
	}
}

func TestLongTokensAreNotRead(t *testing.T) {
	wantRefusal(t, shop(), strings.Repeat("a", maxToken+1), tooLong)
	wantRefusal(t, shop(), hs256(t, map[string]any{"more": strings.Repeat("x", 2<<20)}), tooLong)
	deep := `{"sub":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "}"
	_, err := ask(t, shop(), b64([]byte(`{"alg":"HS256"}`))+"."+b64([]byte(deep))[:7000]+".AA")
	testkit.Check(t, err != nil, "a deep token was taken")
}

func TestRolesComeFromAClaim(t *testing.T) {
	keycloak := Roles{Claim: "realm_access.roles", Values: map[string]access.Role{"comments-moderator": access.Moderator, "shop": access.Service}}
	auth0 := Roles{Claim: "https://shop.example/roles", Values: map[string]access.Role{"mod": access.Moderator}}
	for _, c := range []struct {
		roles  Roles
		claims map[string]any
		want   access.Role
	}{
		{DefaultRoles(), nil, access.Author},
		{DefaultRoles(), map[string]any{"role": "moderator"}, access.Moderator},
		{DefaultRoles(), map[string]any{"role": []string{"service", "author"}}, access.Service},
		{DefaultRoles(), map[string]any{"role": []string{"service", "moderator", "service"}}, access.Moderator},
		{DefaultRoles(), map[string]any{"role": "anonymous"}, access.Author},
		{DefaultRoles(), map[string]any{"role": map[string]any{"moderator": true}}, access.Author},
		{DefaultRoles(), map[string]any{"role": []any{1, nil, []string{"moderator"}}}, access.Author},
		{keycloak, map[string]any{"realm_access": map[string]any{"roles": []string{"offline_access", "comments-moderator"}}}, access.Moderator},
		{keycloak, map[string]any{"realm_access": []string{"roles"}, "role": "moderator"}, access.Author},
		{keycloak, map[string]any{"realm_access": map[string]any{"roles": []string{"moderator"}}}, access.Author},
		{auth0, map[string]any{"https://shop.example/roles": []string{"mod"}}, access.Moderator},
		{auth0, map[string]any{"https://shop": map[string]any{"example/roles": "mod"}}, access.Moderator},
	} {
		a := shop(func(f *Config) { f.Roles = c.roles })
		wantViewer(t, a, hs256(t, c.claims), access.Viewer{Subject: "alice", Role: c.want})
	}
}

func TestMadeTokensAreAccepted(t *testing.T) {
	for _, roles := range []Roles{DefaultRoles(), {Claim: "realm_access.roles", Values: map[string]access.Role{"m": access.Moderator, "s": access.Service}}} {
		a := shop(func(c *Config) { c.Roles = roles })
		for _, role := range []access.Role{access.Author, access.Moderator, access.Service} {
			v := access.Viewer{Subject: "mia", Role: role}
			token := testkit.Value(a.c.Make(v, time.Hour))(t)
			wantViewer(t, a, token, v)
		}
	}
	c := shop().c
	for _, subject := range []string{"", "a\nb", strings.Repeat("x", 300), "al\u200bice", " alice", "Zoe\u0308"} {
		token, err := c.Make(access.Viewer{Subject: subject, Role: access.Author}, time.Hour)
		testkit.Check(t, err != nil, "made %s", token)
	}
	c.Roles.Values = nil
	_, err := c.Make(access.Viewer{Subject: "mia", Role: access.Moderator}, time.Hour)
	testkit.Check(t, err != nil, "made a moderator's token that would be an author's")
}

// A secret that was replaced still verifies what it signed.
func TestSecretsAreReplacedWithoutABreak(t *testing.T) {
	old := hs256(t, nil)
	fresh := []byte(strings.Repeat("n", 32))
	a := shop(func(c *Config) { c.Secrets = [][]byte{fresh, secret} })
	wantViewer(t, a, old, alice)
	token := must(a.c.Make(alice, time.Hour))
	wantViewer(t, shop(func(c *Config) { c.Secrets = [][]byte{fresh} }), token, alice)
	wantRefusal(t, shop(func(c *Config) { c.Secrets = [][]byte{fresh} }), old, signature)
}

func TestARememberedTokenEndsWithItsTime(t *testing.T) {
	now := today
	a := shop(func(c *Config) { c.Now = func() time.Time { return now } })
	token := hs256(t, map[string]any{"exp": today.Add(40 * time.Second).Unix()})
	wantViewer(t, a, token, alice)
	n := a.Cached().Entries
	testkit.Check(t, n == 1, "%d tokens are remembered", n)
	now = today.Add(60 * time.Second) // within the leeway
	wantViewer(t, a, token, alice)
	now = today.Add(71 * time.Second)
	wantRefusal(t, a, token, expired)
}

func TestRefusedTokensAreNotRemembered(t *testing.T) {
	a := shop()
	for range 3 {
		wantRefusal(t, a, hs256(t, map[string]any{"aud": "shop"}), audience)
	}
	n := a.Cached().Entries
	testkit.Check(t, n == 0, "%d are remembered", n)
}
