package staff_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"product-comments/access"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/site/reviews"
	"product-comments/internal/site/staff"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/browser"
	"product-comments/internal/testing/testkit"
	"product-comments/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(browser.Main{M: m}) }

// desk is a service with its desk.
type desk struct {
	*apitest.Service
	URL string // of the desk's server
}

// serve starts a service and a desk. The path /as/{subject}/… signs a person in: a moderator, or an
// author whose subject is alice.
func serve(t *testing.T, change ...func(*httpapi.Config)) desk {
	t.Helper()
	s := apitest.Serve(t, change...)
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	h := staff.New(staff.Options{
		API: s.Config.Handler, Log: log,
		Viewer: func(ctx context.Context) (staff.Person, bool) {
			v := access.From(ctx)
			return staff.Person{Subject: v.Subject, Role: v.Role}, v != access.Viewer{}
		},
		Catalogue: reviews.NewCatalogue([]reviews.Entry{{ProductID: "42", Name: "A & B <pack>", Image: "/shop/42.svg"}}),
	})
	srv := httptest.NewServer(signedIn(h))
	t.Cleanup(srv.Close)
	return desk{s, srv.URL}
}

// signedIn stands for the sign-in of a server: the cookie person is the subject.
func signedIn(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := access.Viewer{}
		if c, err := r.Cookie("person"); err == nil {
			v = access.Viewer{Subject: c.Value, Role: access.Moderator}
			if c.Value == apitest.Alice.Subject {
				v = apitest.Alice
			}
		}
		if v == (access.Viewer{}) && r.Method != http.MethodGet {
			http.Error(w, "The session has ended.", http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r.WithContext(access.With(r.Context(), v)))
	})
}

// send sends a request as a person and returns the answer, without following it, and its body.
func (d desk) send(t *testing.T, person, method, path, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r := testkit.Value(http.NewRequestWithContext(t.Context(), method, d.URL+path, strings.NewReader(body)))(t)
	if person != "" {
		r.AddCookie(&http.Cookie{Name: "person", Value: person})
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	client := *d.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	a := testkit.Value(client.Do(r))(t)
	defer a.Body.Close()
	return a, string(testkit.Value(io.ReadAll(a.Body))(t))
}

// Only the staff has a desk, in the language that a person asks for.
func TestWhoHasADesk(t *testing.T) {
	d := serve(t)
	for _, c := range []struct {
		person, path, language string
		status                 int
		says                   string
	}{
		{"", "/staff", "", http.StatusUnauthorized, "You are not signed in"},
		{"alice", "/staff", "", http.StatusUnauthorized, "You are not signed in"},
		{"mia", "/staff", "", http.StatusOK, "No review waits."},
		{"mia", "/staff", "de-AT, en;q=0.5", http.StatusOK, `<html lang="de" dir="ltr">`},
		{"mia", "/staff?lang=ar", "de", http.StatusOK, `<html lang="ar" dir="rtl">`},
		{"mia", "/staff?lang=ar", "de", http.StatusOK, `href="/staff/reviews?lang=ar"`},
	} {
		a, body := d.send(t, c.person, http.MethodGet, c.path, "", "Accept-Language", c.language)
		testkit.Check(t, a.StatusCode == c.status && strings.Contains(body, c.says), "%+v: %d %s", c, a.StatusCode, body)
		testkit.Equal(t, a.Header.Get("Cache-Control"), "no-store", "Cache-Control")
	}
}
