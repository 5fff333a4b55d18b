package signin_test

import (
	"crypto/rand"
	"crypto/rsa"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"product-comments/access"
	"product-comments/internal/server/auth"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/testkit"
)

const (
	cannotBeUsed = "The provider&#39;s answer cannot be used"
	clocks       = "The clocks of this server and of the provider differ by more than five minutes"
	noRole       = "who is no moderator here"
	elsewhere    = "This sign-in was begun in another browser"
)

// What a provider's answer must be. Without it there is no session.
func TestAnswersOfAProvider(t *testing.T) {
	p := newProvider(t)
	s := serve(t, p)
	other := testkit.Value(rsa.GenerateKey(rand.Reader, 2048))(t)
	says := func(name string, value any) func() {
		return func() { p.change = func(c jwt.MapClaims) { c[name] = value } }
	}
	lacks := func(name string) func() {
		return func() { p.change = func(c jwt.MapClaims) { delete(c, name) } }
	}
	off := func(by time.Duration) func() {
		return func() {
			p.change = func(c jwt.MapClaims) {
				c["iat"], c["exp"] = start.Add(by).Unix(), start.Add(by+5*time.Minute).Unix()
			}
		}
	}
	for name, c := range map[string]struct {
		change func()
		status int
		says   string
	}{
		"as it should be":                   {func() {}, http.StatusSeeOther, ""},
		"for several clients":               {says("aud", []string{"other", clientID}), http.StatusSeeOther, ""},
		"another nonce":                     {says("nonce", "n"), http.StatusBadGateway, cannotBeUsed},
		"no nonce":                          {lacks("nonce"), http.StatusBadGateway, cannotBeUsed},
		"another audience":                  {says("aud", "other"), http.StatusBadGateway, cannotBeUsed},
		"for another client among several":  {func() { p.change = func(c jwt.MapClaims) { c["aud"], c["azp"] = []string{"other", clientID}, "other" } }, http.StatusBadGateway, cannotBeUsed},
		"another issuer":                    {says("iss", "https://other.example"), http.StatusBadGateway, cannotBeUsed},
		"another key":                       {func() { p.signs = other }, http.StatusBadGateway, cannotBeUsed},
		"no subject":                        {lacks("sub"), http.StatusBadGateway, cannotBeUsed},
		"an invisible character in subject": {says("sub", "u\u200b17"), http.StatusBadGateway, cannotBeUsed},
		"no role":                           {lacks("role"), http.StatusForbidden, noRole},
		"an author":                         {says("role", "author"), http.StatusForbidden, noRole},
		"a name as a page":                  {func() { p.change = func(c jwt.MapClaims) { c["role"], c["name"] = "", "<b>M" } }, http.StatusForbidden, "&lt;b&gt;M, " + noRole},
		"a role among several":              {says("role", []string{"x", "service"}), http.StatusSeeOther, ""},
		"five minutes late":                 {off(-5 * time.Minute), http.StatusSeeOther, ""},
		"five minutes early":                {off(5 * time.Minute), http.StatusSeeOther, ""},
		"six minutes late":                  {off(-6 * time.Minute), http.StatusServiceUnavailable, clocks},
		"six minutes early":                 {off(6 * time.Minute), http.StatusServiceUnavailable, clocks},
		"expired":                           {says("exp", start.Add(-6*time.Minute).Unix()), http.StatusServiceUnavailable, clocks},
		"no time":                           {lacks("iat"), http.StatusServiceUnavailable, clocks},
		"not agreed":                        {func() { p.denies = true }, http.StatusForbidden, "The provider has not signed you in"},
		"out of order":                      {nil, http.StatusServiceUnavailable, "does not answer as it should"},
	} {
		t.Run(name, func(t *testing.T) {
			b := s.browser(t)
			p.set(func() {
				p.change, p.signs, p.denies, p.down = func(jwt.MapClaims) {}, p.key, false, false
				if c.change != nil {
					c.change()
				}
			})
			callback := b.agrees(b.send("GET", "/staff"))
			p.set(func() { p.down = c.change == nil })
			want(t, b.send("GET", callback), c.status, c.says, "the answer")
			testkit.Equal(t, b.cookies["__Host-staff"] != "", c.status == http.StatusSeeOther, "there is a session")
		})
	}
	for _, secret := range []string{clientSecret, "eyJ", "u-17"} {
		testkit.Check(t, !strings.Contains(s.Log.String(), secret), "the log has %s", secret)
	}
}

// An answer of the provider is for one browser, which asked for it within ten minutes, and works once.
func TestAnswersWorkOnce(t *testing.T) {
	s := serve(t, newProvider(t))
	b := s.browser(t)
	callback := b.agrees(b.send("GET", "/staff"))
	victim := s.browser(t)
	want(t, victim.send("GET", callback), http.StatusBadRequest, elsewhere, "a browser that began none")
	victim.send("GET", "/staff")
	want(t, victim.send("GET", callback), http.StatusBadRequest, elsewhere, "a browser that began another")
	want(t, b.send("GET", strings.Replace(callback, "state=", "state=x", 1)), http.StatusBadRequest, elsewhere, "another state")
	for _, headers := range [][]string{{"Sec-Purpose", "prefetch;prerender"}, {"Purpose", "prefetch"}} {
		want(t, b.send("GET", callback, headers...), http.StatusForbidden, "when a person is led to it", "ahead of a click")
	}
	want(t, b.send("HEAD", callback), http.StatusForbidden, "", "its head")
	var all [8]*browser
	for i := range all {
		all[i] = b.copy()
	}
	testkit.AtOnce(len(all), func(i int) { all[i].send("GET", callback) })
	sessions := 0
	for _, one := range all {
		if one.cookies["__Host-staff"] != "" {
			sessions++
		}
	}
	testkit.Equal(t, sessions, 1, "sessions of one answer")
	want(t, b.send("GET", callback), http.StatusBadRequest, "was used, and works once", "again")
	callback = b.agrees(b.send("GET", "/staff"))
	s.passes(10 * time.Minute)
	want(t, b.send("GET", callback), http.StatusBadRequest, elsewhere, "after ten minutes")
}

// The code is used with the verifier of its browser: with another one the provider refuses it.
func TestCodesOfOthers(t *testing.T) {
	s := serve(t, newProvider(t))
	mine, theirs := s.browser(t), s.browser(t)
	stolen := theirs.agrees(theirs.send("GET", "/staff"))
	callback := mine.agrees(mine.send("GET", "/staff"))
	code := func(path string) string {
		_, code, _ := strings.Cut(path, "code=")
		code, _, _ = strings.Cut(code, "&")
		return code
	}
	want(t, mine.send("GET", strings.Replace(callback, code(callback), code(stolen), 1)), http.StatusBadRequest, "does not take its own answer", "a stolen code")
}

// A server starts without its provider, says that it is down, and finds it when it is there.
func TestAProviderThatIsDown(t *testing.T) {
	p := newProvider(t)
	p.down = true
	s := serve(t, p)
	b := s.browser(t)
	want(t, b.send("GET", "/staff"), http.StatusServiceUnavailable, "The provider that signs people in does not answer", "while it is down")
	p.set(func() { p.down = false })
	want(t, b.send("GET", "/staff"), http.StatusServiceUnavailable, "does not answer", "at once")
	s.passes(5 * time.Second)
	want(t, b.send("GET", "/staff"), http.StatusSeeOther, "", "after five seconds")
	testkit.Equal(t, p.found, 1, "times that the configuration was read")
}

// A wrong secret of the client is the operator's to change, and only the log says which flags.
func TestAWrongSecret(t *testing.T) {
	s := serve(t, newProvider(t), func(c *httpapi.Config) { c.Staff.Provider.Secret = "wrong-secret" })
	b := s.browser(t)
	want(t, b.send("GET", b.agrees(b.send("GET", "/staff"))), http.StatusBadGateway, "refuses this server&#39;s client id or secret", "the answer")
	log := s.Log.String()
	testkit.Check(t, strings.Contains(log, "--staff-oidc-client-secret-file") && !strings.Contains(log, "wrong-secret"), "the log: %s", log)
}

// The role is where tokens have it.
func TestRolesOfAProvider(t *testing.T) {
	p := newProvider(t)
	s := serve(t, p, func(c *httpapi.Config) {
		c.Staff.Provider.Roles = auth.Roles{Claim: "realm_access.roles", Values: map[string]access.Role{"comments-mod": access.Moderator}}
	})
	p.change = func(c jwt.MapClaims) { c["realm_access"] = map[string]any{"roles": []string{"x", "comments-mod"}} }
	want(t, s.signedIn(t).send("GET", "/staff"), http.StatusOK, isSignedIn, "with the role")
	p.change = func(jwt.MapClaims) {}
	b := s.browser(t)
	want(t, b.send("GET", b.agrees(b.send("GET", "/staff"))), http.StatusForbidden, noRole, "with the role of another claim")
}

// A sign-in leads to the pages of the staff alone, whatever was asked.
func TestSignInLeadsNowhereElse(t *testing.T) {
	s := serve(t, newProvider(t))
	for asked, leads := range map[string]string{
		"/staff/sign-in?to=https://evil.example":       "/staff",
		"/staff?to=//evil.example":                     "/staff?to=//evil.example",
		"/staff/%2f%2fevil.example":                    "/staff/%2f%2fevil.example",
		"/staff/%5cevil.example":                       "/staff/%5cevil.example",
		"/staff?" + strings.Repeat("q", 4000):          "/staff",
		"http://evil.example/staff/reviews?product=42": "/staff/reviews?product=42",
	} {
		b := s.browser(t)
		w := b.send("GET", asked)
		w = b.send("GET", b.agrees(w))
		testkit.Equal(t, w.Header().Get("Location"), leads, "%.60s", asked)
	}
}
