package signin_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"product-comments/access"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/server/signin"
	"product-comments/internal/site/reviews"
	"product-comments/internal/site/shop"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/browser"
	"product-comments/internal/testing/testkit"
)

// The moderator of the demo's shop gets to the desk by a button, the owner of the machine by a link. Pages
// without a session are readable on a telephone and a desktop.
func TestInABrowser(t *testing.T) {
	s := serve(t, nil, func(c *httpapi.Config) {
		c.Shop = &shop.Shop{Products: []reviews.Entry{{ProductID: "42", Name: "Pack"}}}
		c.PlaygroundTokens = map[access.Role]string{access.Moderator: strings.TrimPrefix(apitest.Authorization(t, apitest.Mia)[1], "Bearer ")}
	})
	b := browser.Open(t, s.URL)
	at := func(path, says string) {
		t.Helper()
		b.Wait(`location.pathname === "` + path + `" && document.readyState === "complete" && document.body.innerText.includes("` + says + `")`)
	}
	signOut := func() {
		t.Helper()
		b.Do(`document.querySelector('form[action="/staff/sign-out"] button').click()`)
		at("/staff/signed-out", "You have signed out")
	}
	b.Show("/as/moderator/")
	b.Do(`document.querySelector('form[action="/as/moderator/staff"] button').click()`)
	at("/staff", "mia")
	signOut()
	b.Show(signin.Link(s.keys, owner, s.now()))
	at("/staff", "staff")
	testkit.Equal(t, browser.Value[string](b, `location.search + document.cookie + localStorage.length + sessionStorage.length`), "00", "what scripts see")
	signOut()
	for _, width := range []int64{390, 1280} {
		testkit.Must(t, chromedp.Do(b.Ctx, chromedp.EmulateViewport(width, 800)))
		for _, path := range []string{"/staff", "/staff/signed-out", "/staff?code=x"} {
			b.Show(path)
			b.Accessible(path, width)
		}
	}
	b.Quiet(func(problem string) bool { return strings.Contains(problem, "401") || strings.Contains(problem, "403") })
}
