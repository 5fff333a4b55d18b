package signin_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"product-comments/internal/server/signin"
	"product-comments/internal/testing/testkit"
	"product-comments/store/key/sealed"
)

var owner = signin.Person{Subject: "staff", Name: "staff", Role: "service"}

const ofALink = "staff-8080" // the cookie

// A link signs in once, within ten minutes.
func TestLinks(t *testing.T) {
	s := serve(t, nil)
	b := s.browser(t)
	want(t, b.send("GET", "/staff"), http.StatusUnauthorized, "staff link", "without a session")
	link := signin.Link(s.keys, owner, s.now())
	for _, headers := range [][]string{{"Sec-Purpose", "prefetch"}, {"Purpose", "prefetch"}} {
		want(t, b.send("GET", link, headers...), http.StatusForbidden, "when a person opens it", "ahead of a click")
	}
	want(t, b.send("HEAD", link), http.StatusForbidden, "", "its head")
	want(t, b.send("GET", link, "X-Forwarded-For", "192.0.2.1"), http.StatusForbidden, "own machine alone", "through a proxy")
	w := b.send("GET", link)
	want(t, w, http.StatusSeeOther, "", "opened")
	testkit.Equal(t, w.Header().Get("Location"), "/staff", "it leads to")
	c := w.Result().Cookies()[0]
	testkit.Check(t, c.Name == ofALink && c.HttpOnly && !c.Secure && c.SameSite == http.SameSiteLaxMode, "the cookie is %s", c)
	want(t, b.send("GET", "/staff"), http.StatusOK, "staff</b>", "the page")
	want(t, s.browser(t).send("GET", link), http.StatusForbidden, "works once", "again")
	late := signin.Link(s.keys, owner, s.now())
	s.passes(10 * time.Minute)
	want(t, b.send("GET", late), http.StatusForbidden, "older than ten minutes", "after ten minutes")
	testkit.Check(t, !strings.Contains(s.Log.String(), strings.TrimPrefix(link, "/staff?code=")), "the log has the link")
}

// Of requests that open a link at once, one signs in.
func TestALinkOpenedAtOnce(t *testing.T) {
	s := serve(t, nil)
	link := signin.Link(s.keys, owner, s.now())
	var all [8]*browser
	for i := range all {
		all[i] = s.browser(t)
	}
	testkit.AtOnce(len(all), func(i int) { all[i].send("GET", link) })
	sessions := 0
	for _, b := range all {
		sessions += len(b.cookies)
	}
	testkit.Equal(t, sessions, 1, "sessions of one link")
}

// A wrong link is a guess, and a client has few. Links of other servers, and edited ones, are wrong.
func TestWrongLinks(t *testing.T) {
	s := serve(t, nil)
	b := s.browser(t)
	good := signin.Link(s.keys, owner, s.now())
	others := testkit.Value(sealed.NewSet([]byte(strings.Repeat("o", sealed.MinSecret))))(t)
	for _, wrong := range []string{"/staff?code=x", good + "A", good[:len(good)-1], strings.ToUpper(good[:40]) + good[40:], signin.Link(others, owner, s.now())} {
		if strings.HasPrefix(wrong, "/staff") {
			want(t, b.send("GET", wrong), http.StatusForbidden, "not of this server", wrong)
		}
	}
	for range 40 {
		b.send("GET", "/staff?code=x")
	}
	want(t, b.send("GET", good), http.StatusTooManyRequests, "Too many wrong links", "after many")
}

// Where a provider signs people in, links do not.
func TestLinksBesideAProvider(t *testing.T) {
	s := serve(t, newProvider(t))
	b := s.browser(t)
	want(t, b.send("GET", signin.Link(s.keys, owner, s.now())), http.StatusSeeOther, "/authorize", "it leads to the provider")
	testkit.Equal(t, b.cookies["__Host-staff"], "", "the session")
}
