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
