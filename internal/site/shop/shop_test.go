package shop_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"product-comments/internal/site/reviews"
	"product-comments/internal/site/shop"
	"product-comments/internal/testing/testkit"
)

// The first page writes numbers as sections do, and does not say that there are no reviews where it
// does not know.
func TestStarsOfTheFirstPage(t *testing.T) {
	for stats, want := range map[string]string{
		`{"totalCount":2030,"averageRating":4.25}`: `4.3 of 5 stars,</span> <span class="soft">2,030 reviews<`,
		`{"totalCount":1,"averageRating":5}`:       `5.0 of 5 stars,</span> <span class="soft">1 review<`,
		`{"totalCount":0,"averageRating":null}`:    `<p><span class="soft">There are no reviews yet.<`,
		`null`:                                     `<p><span class="soft">Counts are not available at the moment.<`,
	} {
		mux := http.NewServeMux()
		(&shop.Shop{
			Service: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, `{"data":{"products":[{"stats":`+stats+`}]}}`)
			}),
			Products: []reviews.Entry{{ProductID: "42", Name: "Pack"}},
			Tokens:   func(*http.Request) map[string]string { return nil },
			Log:      slog.New(slog.DiscardHandler),
		}).Register(mux)
		page := httptest.NewRecorder()
		mux.ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/", http.NoBody))
		testkit.Check(t, strings.Contains(page.Body.String(), want), "%s: no %s in %s", stats, want, page.Body)
	}
}

// A moderator's product page has a button that makes a guest's invitation and leads to its page; other
// pages have none, and other sites cannot press it.
func TestGuestsLink(t *testing.T) {
	mux := http.NewServeMux()
	(&shop.Shop{
		Service: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == "Bearer s" {
				_, _ = io.WriteString(w, `{"data":{"createInvitation":{"invitation":{"token":"abc"}}}}`)
			}
		}),
		Products: []reviews.Entry{{ProductID: "42", Name: "Pack"}},
		Tokens: func(*http.Request) map[string]string {
			return map[string]string{"author": "a", "moderator": "m", "service": "s"}
		},
		Log: slog.New(slog.DiscardHandler),
	}).Register(mux)
	ask := func(method, path, site string) *httptest.ResponseRecorder {
		page, r := httptest.NewRecorder(), httptest.NewRequest(method, path, http.NoBody)
		r.Header.Set("Sec-Fetch-Site", site)
		mux.ServeHTTP(page, r)
		return page
	}
	for path, want := range map[string]bool{"/product/42": false, "/as/author/product/42": false, "/as/moderator/product/42": true} {
		testkit.Equal(t, strings.Contains(ask(http.MethodGet, path, "none").Body.String(), `action="/as/moderator/guest/42"`), want, path)
	}
	testkit.Equal(t, ask(http.MethodGet, "/as/service/product/42", "none").Code, http.StatusNotFound, "as a service")
	testkit.Equal(t, ask(http.MethodPost, "/as/moderator/guest/42", "same-origin").Header().Get("Location"), "/write/abc", "it leads to")
	testkit.Equal(t, ask(http.MethodPost, "/as/moderator/guest/42", "cross-site").Code, http.StatusNotFound, "from another site")
}

// The button to the desk signs a moderator in: only where pages have a moderator's token, and not from
// other sites.
func TestButtonToTheDesk(t *testing.T) {
	tokens, signedIn := map[string]string{"moderator": "m"}, 0
	mux := http.NewServeMux()
	(&shop.Shop{
		Service: http.NotFoundHandler(), Log: slog.New(slog.DiscardHandler),
		Tokens: func(*http.Request) map[string]string { return tokens },
		SignIn: func(http.ResponseWriter, *http.Request) { signedIn++ },
	}).Register(mux)
	for _, c := range []struct {
		token, site string
		want        int
	}{{"m", "same-origin", 1}, {"m", "cross-site", 0}, {"m", "same-site", 0}, {"", "same-origin", 0}} {
		tokens["moderator"], signedIn = c.token, 0
		r := httptest.NewRequest(http.MethodPost, "/as/moderator/staff", http.NoBody)
		r.Header.Set("Sec-Fetch-Site", c.site)
		mux.ServeHTTP(httptest.NewRecorder(), r)
		testkit.Equal(t, signedIn, c.want, "%+v", c)
	}
}
