package signin_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"product-comments/internal/testing/testkit"
)

const (
	clientID     = "comments"
	clientSecret = "the-secret-of-the-client"
)

// provider is a provider of OpenID Connect whose people are signed in and agree to everything.
type provider struct {
	*httptest.Server
	key *rsa.PrivateKey

	mu     sync.Mutex
	asked  map[string]url.Values // what sign-ins have asked, by their code
	found  int                   // times that the configuration was read
	down   bool
	change func(jwt.MapClaims) // changes ID tokens
	signs  *rsa.PrivateKey     // signs them
	denies bool                // the person does not agree
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{asked: map[string]url.Values{}, key: testkit.Value(rsa.GenerateKey(rand.Reader, 2048))(t), change: func(jwt.MapClaims) {}}
	p.signs = p.key
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, status int, value map[string]any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(value)
	}
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		p.found++
		answer(w, http.StatusOK, map[string]any{"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token",
			"jwks_uri": p.URL + "/keys", "id_token_signing_alg_values_supported": []string{"RS256"}})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		number := func(n *big.Int) string { return base64.RawURLEncoding.EncodeToString(n.Bytes()) }
		answer(w, http.StatusOK, map[string]any{"keys": []any{map[string]any{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "1",
			"n": number(p.key.N), "e": number(big.NewInt(int64(p.key.E)))}}})
	})
	mux.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) {
		q, code := r.URL.Query(), rand.Text()
		back := url.Values{"state": {q.Get("state")}, "code": {code}}
		if p.denies {
			back = url.Values{"state": {q.Get("state")}, "error": {"access_denied"}}
		}
		p.asked[code] = q
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		id, secret, ok := r.BasicAuth()
		if !ok {
			id, secret = r.FormValue("client_id"), r.FormValue("client_secret")
		}
		q := p.asked[r.FormValue("code")]
		challenge := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		switch {
		case id != clientID || secret != clientSecret:
			answer(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client", "error_description": secret})
			return
		case q == nil || q.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(challenge[:]) || q.Get("code_challenge_method") != "S256" || q.Get("redirect_uri") != r.FormValue("redirect_uri"):
			answer(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
			return
		}
		delete(p.asked, r.FormValue("code"))
		claims := jwt.MapClaims{"iss": p.URL, "aud": clientID, "sub": "u-17", "name": "Mia Muster", "role": "moderator", "nonce": q.Get("nonce"),
			"iat": start.Unix(), "exp": start.Add(5 * time.Minute).Unix()}
		p.change(claims)
		token := jwt.NewWithClaims(jwt.SigningMethodRS256, claims)
		token.Header["kid"] = "1"
		signed, err := token.SignedString(p.signs)
		testkit.Check(t, err == nil, "%v", err)
		answer(w, http.StatusOK, map[string]any{"access_token": "unused", "token_type": "Bearer", "id_token": signed})
	})
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.down {
			http.Error(w, "out of order", http.StatusBadGateway)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

// set changes the provider.
func (p *provider) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}
