package visitor

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
)

func secret(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }

func idOf(c *Codec, values ...string) string {
	r := &http.Request{Header: http.Header{}}
	for _, v := range values {
		r.AddCookie(&http.Cookie{Name: CookieName, Value: v})
	}
	return c.ID(r)
}

func TestACookieTellsWhoseItIs(t *testing.T) {
	c := New(secret(1))
	id := NewID()
	cookie := c.Cookie(id, true)
	err := cookie.Valid()
	testkit.Check(t, err == nil && cookie.HttpOnly && cookie.Secure && cookie.SameSite == http.SameSiteLaxMode && cookie.Path == "/" && cookie.Domain == "", "%v, %v", cookie, err)
	testkit.Check(t, !New(secret(1)).Cookie(id, false).Secure, "without TLS no browser would send it again")
	testkit.Equal(t, idOf(c, cookie.Value), id, "idOf(c, cookie.Value)")
	testkit.Equal(t, idOf(c, "nonsense", cookie.Value), id, "behind another cookie")
	testkit.Equal(t, idOf(New(secret(2), secret(1)), cookie.Value), id, "after the secret was replaced")
	testkit.Check(t, NewID() != id, "two visitors have one id")
}

func TestAForgedCookieNamesNoVisitor(t *testing.T) {
	c := New(secret(1))
	id := NewID()
	good := c.Cookie(id, false).Value
	_, signed, _ := strings.Cut(good, ".")
	for name, value := range map[string]string{
		"no code": id, "empty code": id + ".", "another's code": NewID() + "." + signed, "half a code": good[:len(good)-8],
		"more": good + "A", "another secret": New(secret(2)).Cookie(id, false).Value, "empty": "", "a dot": ".",
	} {
		testkit.Equal(t, idOf(c, value), "", "%s", name)
	}
	testkit.Equal(t, idOf(c), "", "without a cookie")
}
