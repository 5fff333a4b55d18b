package staff_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"product-comments/access"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/site/reviews"
	"product-comments/internal/site/staff"
	"product-comments/internal/site/static"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/browser"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/key/sealed"
	"product-comments/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(browser.Main{M: m}) }

// hostile is a text that breaks pages which do not escape.
const hostile = `</script><script>alert(1)</script><img src=x onerror=alert(1)>" onmouseover="alert(1)`

// desk is a service with its desk.
type desk struct {
	*apitest.Service
	URL string // of the desk's server
	api http.Handler
}

// fails makes fields of the API's next answer fail, as while the store does not answer.
func (d desk) fails(t testing.TB, fields ...string) {
	t.Helper()
	names := testkit.Value(json.Marshal(fields))(t)
	d.api.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/fail", bytes.NewReader(names)))
}

// serve starts a service that moderates before publication, and a desk. Its statistics are kept.
func serve(t testing.TB, change ...func(*httpapi.Config)) desk {
	t.Helper()
	s := apitest.Serve(t, append([]func(*httpapi.Config){func(c *httpapi.Config) {
		c.Store = store.New(storetest.Client(t), c.Store.Table(), store.Options{
			Moderation: moderation.Options{Mode: moderation.Pre}, Keys: testkit.Value(sealed.NewSet(make([]byte, sealed.MinSecret)))(t)})
		c.PhotoURL = func(string, int, bool) string { return "/picture.svg" }
	}}, change...)...)
	api := apitest.Failing(s.Config.Handler)
	h := staff.New(staff.Options{
		API: api, Log: slog.New(slog.DiscardHandler),
		Viewer: func(ctx context.Context) (staff.Person, bool) {
			v := access.From(ctx)
			return staff.Person{Subject: v.Subject, Name: strings.ToUpper(v.Subject), Role: v.Role}, v != access.Viewer{}
		},
		Catalogue: reviews.NewCatalogue([]reviews.Entry{{ProductID: "42", Name: "A & B <pack>", Image: "/picture.svg"}, {ProductID: "43", Name: hostile}}),
	})
	srv := httptest.NewServer(signedIn(h))
	t.Cleanup(srv.Close)
	s.Project(t)
	return desk{s, srv.URL, api}
}

// signedIn is in the place of the sign-in of a server. /as/{subject} signs a person in.
func signedIn(h http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /picture.svg", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		_, _ = io.WriteString(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9" fill="teal"/></svg>`)
	})
	mux.HandleFunc("GET /as/{subject}", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "person", Value: r.PathValue("subject"), Path: "/"})
		_, _ = io.WriteString(w, "signed in")
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		v := access.Viewer{}
		if c, err := r.Cookie("person"); err == nil && c.Value != "none" {
			v = access.Viewer{Subject: c.Value, Role: access.Moderator}
			switch c.Value {
			case apitest.Alice.Subject:
				v = apitest.Alice
			case apitest.Shop.Subject:
				v = apitest.Shop
			}
		}
		if v == (access.Viewer{}) && r.Method != http.MethodGet {
			http.Error(w, "The session has ended.", http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Security-Policy", static.Policy) // browsers hold the pages to it
		h.ServeHTTP(w, r.WithContext(access.With(r.Context(), v)))
	})
	return mux
}

// write writes a comment as an author, and returns its id.
func (d desk) write(t testing.TB, by access.Viewer, product, title, text string) string {
	t.Helper()
	a := d.As(by).Post(t, `mutation($input: CreateCommentInput!) { createComment(input: $input) { comment { commentId } } }`, map[string]any{"input": map[string]any{
		"productId": product, "rating": 2, "language": "en", "title": title, "text": text, "author": by.Subject,
	}})
	testkit.Need(t, len(a.Errors) == 0, "%+v", a.Errors)
	return a.At(t, "createComment", "comment", "commentId").(string)
}

// wait imports comments that wait, a second apart, the first one with the number from.
func (d desk) wait(t testing.TB, from int, comments ...store.Comment) {
	t.Helper()
	for i := range comments {
		c := &comments[i]
		c.ID, c.Language, c.CreatedAt = fmt.Sprintf("w%05d", from+i), "en", time.Date(2026, 1, 1, 0, 0, from+i, 0, time.UTC)
		c.State, c.Rating, c.ProductID = item.Pending, 1+i%5, cmp.Or(c.ProductID, "42")
	}
	d.Fill(t, comments...)
	d.Project(t)
}

// send sends a request as a person and returns the answer, without following it, and its body.
func (d desk) send(t testing.TB, person, method, path, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r := testkit.Value(http.NewRequestWithContext(t.Context(), method, d.URL+path, strings.NewReader(body)))(t)
	r.AddCookie(&http.Cookie{Name: "person", Value: person})
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
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

// get returns the body of a page, as mia sees it.
func (d desk) get(t testing.TB, path string) string {
	t.Helper()
	a, body := d.send(t, "mia", http.MethodGet, path, "")
	testkit.Need(t, a.StatusCode == http.StatusOK, "%s: %d %s", path, a.StatusCode, body)
	return body
}

// post sends a form as a person, and returns the status, the place where the answer leads, and its body.
func (d desk) post(t testing.TB, person, path string, fields ...string) (int, string, string) {
	t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	a, body := d.send(t, person, http.MethodPost, path, form.Encode())
	return a.StatusCode, a.Header.Get("Location"), body
}

// Only the staff has a desk, in the language that a person asks for.
func TestWhoHasADesk(t *testing.T) {
	d := serve(t)
	for _, c := range []struct {
		person, path, language string
		status                 int
		says                   string
	}{
		{"none", "/staff", "", http.StatusUnauthorized, "You are not signed in"},
		{"alice", "/staff", "", http.StatusUnauthorized, "You are not signed in"},
		{"mia", "/staff", "", http.StatusOK, "No review waits."},
		{"mia", "/staff", "de-AT, en;q=0.5", http.StatusOK, `<html lang="de" dir="ltr">`},
		{"mia", "/staff?lang=ar", "de", http.StatusOK, `<html lang="ar" dir="rtl">`},
		{"mia", "/staff?lang=ar", "de", http.StatusOK, `href="/staff/reviews?lang=ar"`},
		{"mia", "/staff/nothing", "", http.StatusNotFound, "404"},
		{"mia", "/staff/comments/nothing", "", http.StatusNotFound, "It does not exist any more."},
	} {
		a, body := d.send(t, c.person, http.MethodGet, c.path, "", "Accept-Language", c.language)
		testkit.Check(t, a.StatusCode == c.status && strings.Contains(body, c.says), "%+v: %d %s", c, a.StatusCode, body)
	}
}
