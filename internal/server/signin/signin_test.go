package signin_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"product-comments/access"
	"product-comments/internal/server/admission"
	"product-comments/internal/server/auth"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/server/signin"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/browser"
	"product-comments/internal/testing/testkit"
	"product-comments/store/key/sealed"
	"product-comments/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(browser.Main{M: m}) }

// start is the time at which tests begin.
var start = time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)

// service is a service with a desk, with a clock of its own.
type service struct {
	*apitest.Service
	keys   *sealed.Set
	passed atomic.Int64 // since start
}

func (s *service) now() time.Time            { return start.Add(time.Duration(s.passed.Load())) }
func (s *service) passes(some time.Duration) { s.passed.Add(int64(some)) }

// serve starts a service whose staff signs in by a provider, or by links if that is nil.
func serve(t *testing.T, by *provider, change ...func(*httpapi.Config)) *service {
	t.Helper()
	s := &service{keys: testkit.Value(sealed.NewSet(make([]byte, sealed.MinSecret)))(t)}
	s.Service = apitest.Serve(t, append([]func(*httpapi.Config){func(c *httpapi.Config) {
		c.Limits.FailureBudget = admission.NewBudget(30, nil)
		c.Limits.Local = true
		c.Staff = &signin.Options{Keys: s.keys, Now: s.now}
		if by != nil {
			c.Staff.Address = "https://reviews.example"
			c.Staff.Provider = &signin.Provider{Issuer: by.URL, ClientID: clientID, Secret: clientSecret, Roles: auth.DefaultRoles()}
		}
	}}, change...)...)
	return s
}

// window has cookies of a service. It is on the same machine, and asks without a network.
type window struct {
	t       *testing.T
	handler http.Handler
	cookies map[string]string
}

func (s *service) browser(t *testing.T) *window {
	return &window{t, s.Config.Handler, map[string]string{}}
}

// copy returns another browser with the same cookies.
func (b *window) copy() *window {
	other := &window{b.t, b.handler, map[string]string{}}
	for name, value := range b.cookies {
		other.cookies[name] = value
	}
	return other
}

// send sends a request, as a person who clicks does unless headers say otherwise.
func (b *window) send(method, path string, headers ...string) *httptest.ResponseRecorder {
	b.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(""))
	r.RemoteAddr, r.Host = "127.0.0.1:1234", "127.0.0.1:8080"
	r.Header.Set("Accept", "text/html")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	for name, value := range b.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		b.cookies[c.Name] = c.Value
		if c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		}
	}
	return w
}

// agrees follows a redirect to the provider and returns the path of the callback.
func (b *window) agrees(w *httptest.ResponseRecorder) (callback string) {
	b.t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	testkit.Need(b.t, w.Code == http.StatusSeeOther, "there is no way to the provider: %d %s", w.Code, w.Body)
	a := testkit.Value(client.Get(w.Header().Get("Location")))(b.t)
	defer a.Body.Close()
	to := testkit.Value(url.Parse(a.Header.Get("Location")))(b.t)
	testkit.Need(b.t, to.Host == "reviews.example" && to.Path == "/staff/callback", "the provider leads to %s", to)
	return to.RequestURI()
}

// signedIn returns a browser in which a person has signed in by the provider.
func (s *service) signedIn(t *testing.T) *window {
	t.Helper()
	b := s.browser(t)
	want(t, b.send("GET", b.agrees(b.send("GET", "/staff"))), http.StatusSeeOther, "", "the callback")
	return b
}

// want fails the test unless an answer has a status and says something.
func want(t *testing.T, w *httptest.ResponseRecorder, status int, says, format string, args ...any) {
	t.Helper()
	testkit.Check(t, w.Code == status && strings.Contains(w.Body.String(), says), "%s: %d %s, want %d and %q", format, w.Code, w.Body, status, says)
	testkit.Equal(t, w.Header().Get("Cache-Control"), "no-store", format, args...)
}

const (
	isSignedIn = "Mia Muster"
	noSession  = "You are not signed in, or your session has ended"
)

// A person comes back from the provider to the page that they asked for, with a cookie that no script, no
// other site and no other host gets. The log has no secret.
func TestSignInAtAProvider(t *testing.T) {
	p := newProvider(t)
	s := serve(t, p)
	b := s.browser(t)
	begun := b.send("GET", "/staff?product=42")
	callback := b.agrees(begun)
	w := b.send("GET", callback)
	testkit.Equal(t, w.Header().Get("Location"), "/staff?product=42", "it leads to")
	for _, set := range append(begun.Result().Cookies(), w.Result().Cookies()...) {
		testkit.Check(t, strings.HasPrefix(set.Name, "__Host-staff") && set.Secure && set.HttpOnly && set.SameSite == http.SameSiteLaxMode && set.Path == "/" && set.Domain == "", "the cookie is %s", set)
	}
	testkit.Check(t, len(b.cookies) == 1 && b.cookies["__Host-staff"] != "", "the cookies are %v", b.cookies)
	want(t, b.send("GET", "/staff"), http.StatusOK, isSignedIn, "the page")
	for _, secret := range []string{clientSecret, b.cookies["__Host-staff"], testkit.Value(url.Parse(callback))(t).Query().Get("code"), "u-17", isSignedIn} {
		testkit.Check(t, !strings.Contains(s.Log.String(), secret), "the log has %s", secret)
	}
	want(t, b.send("GET", "/staff/nothing"), http.StatusNotFound, "404", "no page")
	want(t, b.send("GET", "/staff/comments/nothing"), http.StatusNotFound, "It does not exist any more.", "no comment")
	want(t, b.send("GET", "/staff/numbers/reviews.csv"), http.StatusServiceUnavailable, "not available at the moment", "a CSV without statistics")
	page := b.send("GET", "/staff").Header()
	for name, value := range map[string]string{"X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"} {
		testkit.Equal(t, page.Get(name), value, "%s", name)
	}
	for _, part := range []string{"default-src 'none'", "script-src 'self';", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
		testkit.Check(t, strings.Contains(page.Get("Content-Security-Policy"), part), "the policy lacks %s", part)
	}
	for range 3 {
		s.passes(10 * time.Second)
		s.signedIn(t)
	}
	testkit.Equal(t, p.found, 1, "times that the configuration was read")
}

// A session ends after twelve hours, however it is used. A page leads to the provider then; a form says so,
// and its page keeps what was entered.
func TestSessionsEnd(t *testing.T) {
	s := serve(t, newProvider(t))
	b := s.signedIn(t)
	s.passes(signin.SessionTime - time.Minute)
	want(t, b.send("GET", "/staff"), http.StatusOK, isSignedIn, "before its end")
	want(t, b.send("GET", "/staff", "Cookie", "__Host-staff=junk"), http.StatusOK, isSignedIn, "after a cookie of another server")
	s.passes(time.Minute)
	want(t, b.send("POST", "/staff/comments/c/approve", "Accept", "*/*"), http.StatusUnauthorized, noSession, "a form after it")
	want(t, b.send("POST", "/staff/comments/c/approve"), http.StatusUnauthorized, `href="/staff/sign-in"`, "a form without a script")
	want(t, b.send("GET", "/staff", "Accept", "application/json"), http.StatusUnauthorized, noSession, "a script")
	want(t, b.send("GET", "/staff"), http.StatusSeeOther, "/authorize", "a page")
}

// Who signs out has no session on any server, also with a copy of the cookie.
func TestSignOut(t *testing.T) {
	s := serve(t, newProvider(t))
	b := s.signedIn(t)
	other := signin.New(signin.Options{Keys: s.keys, Now: s.now, Store: s.Store, Address: "https://reviews.example"}).Protect(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(isSignedIn))
	}))
	here, there := b.copy(), &window{t, other, b.cookies}
	want(t, there.send("GET", "/staff"), http.StatusOK, isSignedIn, "on another server")
	want(t, b.send("GET", "/staff/sign-out"), http.StatusNotFound, "", "by a link")
	want(t, here.send("POST", "/staff/sign-out"), http.StatusSeeOther, "", "by a form")
	testkit.Check(t, len(here.cookies) == 0, "the cookies are %v", here.cookies)
	want(t, here.send("GET", "/staff/signed-out"), http.StatusOK, "You have signed out", "it leads to a page")
	want(t, b.send("POST", "/staff/x", "Accept", "*/*"), http.StatusUnauthorized, noSession, "a copy, at once")
	s.passes(6 * time.Second)
	want(t, there.send("GET", "/staff"), http.StatusUnauthorized, noSession, "a copy on another server, in six seconds")
	want(t, there.send("POST", "/staff/sign-out"), http.StatusSeeOther, "", "again")
}

// Every changed character of the cookie is refused, and so is what is sealed for another purpose.
func TestCookiesCannotBeMadeUp(t *testing.T) {
	s := serve(t, newProvider(t))
	b := s.signedIn(t)
	good := b.cookies["__Host-staff"]
	link := signin.Link(s.keys, signin.Person{Subject: "mallory", Role: "service"}, s.now())
	wrong := []string{"", "x", good + "A", good[1:], strings.TrimPrefix(link, "/staff?code="), strings.Repeat("A", 8000)}
	for i := range good {
		wrong = append(wrong, good[:i]+string(good[i]^1)+good[i+1:])
	}
	for _, value := range wrong {
		b.cookies["__Host-staff"] = value
		want(t, b.send("GET", "/staff", "Accept", "*/*"), http.StatusUnauthorized, noSession, value)
	}
}

// Pages of other sites cannot use a session, and no request from the network brings a viewer of its own.
func TestOthersCannotUseASession(t *testing.T) {
	s := serve(t, newProvider(t))
	b := s.signedIn(t)
	for _, headers := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}, {"Origin", "null"}} {
		for _, path := range []string{"/staff/sign-out", "/staff/comments/c/approve"} {
			want(t, b.send("POST", path, headers...), http.StatusForbidden, "A page of another site", path)
		}
	}
	want(t, b.send("POST", "/staff/x", "Origin", "https://reviews.example"), http.StatusNotFound, "", "from its own pages, through a proxy")
	want(t, b.send("GET", "/staff", "Sec-Fetch-Site", "cross-site"), http.StatusOK, isSignedIn, "by a link of another site")
	const query = "/graphql?query={moderationQueue(first:1){counts{state}}}"
	a := b.send("GET", query, "Accept", "application/json", "Viewer", "mia", "X-Viewer", "mia", "Role", "moderator")
	testkit.Check(t, strings.Contains(a.Body.String(), `"code":"UNAUTHENTICATED"`), "the API takes a cookie: %s", a.Body)
}

// While the store does not answer, it is not known whether a session has ended.
func TestWithoutAStore(t *testing.T) {
	s := serve(t, newProvider(t))
	b := s.signedIn(t)
	callback := b.agrees(b.send("GET", "/staff/sign-in"))
	s.passes(6 * time.Second)
	s.Batches.API = &storetest.Calls{API: s.Batches.API, Do: func(context.Context, any, storetest.Call) error { return errors.New("the store is down") }}
	for _, path := range []string{"/staff", callback} {
		w := b.send("GET", path)
		want(t, w, http.StatusServiceUnavailable, "The store does not answer", path)
		testkit.Check(t, w.Header().Get("Retry-After") != "" && b.cookies["__Host-staff"] != "", "%v", w.Header())
	}
	want(t, b.send("POST", "/staff/sign-out"), http.StatusServiceUnavailable, "The store does not answer", "to sign out")
}

// The moderator and the owner of a machine may decide; what only moderators may, they change nothing of.
func TestWhatTheStaffMay(t *testing.T) {
	for role, answer := range map[string]access.Answer{"moderator": access.No, "service": access.Yes} {
		v := (&signin.Person{Subject: "staff", Role: role}).Viewer()
		for _, do := range []access.Action{access.Moderate, access.SeeOrders, access.ManageRequests, access.DefineAttributes} {
			testkit.Equal(t, access.Rules{}.May(v, do, ""), access.Yes, "%s does %d", role, do)
		}
		testkit.Equal(t, access.Rules{}.May(v, access.ManageWebhooks, ""), answer, "%s manages webhooks", role)
	}
}

// The pages speak the languages of the desk, and each says everything.
func TestLanguages(t *testing.T) {
	s := serve(t, nil)
	b := s.browser(t)
	want(t, b.send("GET", "/staff", "Accept-Language", "de-AT,en;q=0.5"), http.StatusUnauthorized, "Sie sind nicht angemeldet", "in German")
	want(t, b.send("GET", "/staff?lang=ar", "Accept-Language", "de"), http.StatusUnauthorized, `<html lang="ar" dir="rtl">`, "in Arabic")
	read := func(name string) (of struct{ Texts map[string]string }) {
		testkit.Must(t, json.Unmarshal(testkit.Value(os.ReadFile("labels/"+name+".json"))(t), &of))
		return of
	}
	english := read("en").Texts
	for _, name := range []string{"de", "fr", "es", "it", "ja", "ar"} {
		texts := read(name).Texts
		testkit.Equal(t, len(texts), len(english), "texts in %s", name)
		for key, text := range english {
			for _, part := range []string{"{address}", "{by}", "{name}", "staff link", "--staff-oidc-issuer"} {
				testkit.Check(t, texts[key] != "" && strings.Contains(text, part) == strings.Contains(texts[key], part), "%s in %s: %s", key, name, texts[key])
			}
		}
	}
}

// A server that executes only the operations of its manifest has a desk, too.
func TestWithAManifest(t *testing.T) {
	s := serve(t, newProvider(t), func(c *httpapi.Config) { c.ManifestOnly = true })
	want(t, s.signedIn(t).send("GET", "/staff"), http.StatusOK, isSignedIn, "the page")
}

// What the desk asks counts for its person, not for the address: services are not limited.
func TestBudgetsOfTheStaff(t *testing.T) {
	s := serve(t, nil, func(c *httpapi.Config) { c.Limits.CostBudget = admission.NewBudget(100, nil) })
	for role, limited := range map[string]bool{"moderator": true, "service": false} {
		b := s.browser(t)
		b.send("GET", signin.Link(s.keys, signin.Person{Subject: "staff", Role: role}, s.now()))
		refused := false
		for range 20 {
			refused = refused || b.send("GET", "/staff").Code != http.StatusOK
		}
		testkit.Equal(t, refused, limited, "a %s is limited", role)
	}
}
