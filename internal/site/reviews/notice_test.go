package reviews_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"product-comments/access"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/testkit"
)

// People without a token report a comment on a page without scripts: what is wrong is said at its field
// and kept, and at the end there is a receipt.
func TestNoticePage(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) { c.Rules.Notices = true })
	_, body := get(t, s, "/reviews/42?lang=de")
	link := regexp.MustCompile(`<a class="pr-notice" href="([^"]*)" rel="nofollow">Melden</a>`).FindStringSubmatch(body)
	testkit.Need(t, link != nil, "no link to report in %s", body)
	path := html.UnescapeString(link[1])
	a, page := get(t, s, path)
	testkit.Check(t, a.StatusCode == http.StatusOK && strings.Contains(page, "Eine Bewertung melden") && !strings.Contains(page, "<script") &&
		strings.Contains(a.Header.Get("Content-Security-Policy"), "form-action 'self'") && a.Header.Get("Cache-Control") == "no-store", "%s", page)
	post := func(v url.Values) (int, string) {
		a, body := send(t, s, http.MethodPost, path, v.Encode(), "Content-Type", "application/x-www-form-urlencoded")
		return a.StatusCode, body
	}
	status, page := post(url.Values{"name": {hostile}, "email": {hostile}, "text": {""}})
	testkit.Check(t, status == http.StatusUnprocessableEntity && !strings.Contains(page, "<script") && strings.Contains(page, `aria-describedby="pr-e-goodFaith"`), "%d, %s", status, page)
	status, page = post(url.Values{"name": {hostile}, "email": {hostile}, "text": {"\u202e"}, "goodFaith": {"1"}})
	for _, field := range []string{"text", "email"} {
		testkit.Check(t, status == http.StatusUnprocessableEntity && strings.Contains(page, `id="pr-e-`+field+`"`) && !strings.Contains(page, "<script"), "%s: %d, %s", field, status, page)
	}
	status, page = post(url.Values{"name": {"<b>Ann</b>"}, "email": {"ann@example.org"}, "text": {hostile}, "goodFaith": {"1"}})
	testkit.Check(t, status == http.StatusOK && regexp.MustCompile(`Empfangsbestätigung ist [a-z2-7]{16}\.`).MatchString(page), "%d, %s", status, page)
	id := regexp.MustCompile(`/report/(\w+)`).FindStringSubmatch(path)[1]
	status, page = post(url.Values{"name": {"Bea"}, "email": {"bea"}, "text": {"one\r\n\r\ntwo"}, "goodFaith": {"1"}})
	testkit.Check(t, status == http.StatusUnprocessableEntity && strings.Contains(page, ` checked`) && !strings.Contains(page, `id="pr-e-text"`), "what is fine is not kept: %s", page)
	for i := range 20 {
		status, page = post(url.Values{"name": {"Bea"}, "email": {fmt.Sprintf("b%d@example.org", i)}, "text": {"one\r\n\r\ntwo"}, "goodFaith": {"1"}})
	}
	testkit.Check(t, status == http.StatusUnprocessableEntity && strings.Contains(page, "Andere haben diese Bewertung schon gemeldet"), "one more than a comment has: %d, %s", status, page)
	s.Post(t, fmt.Sprintf(`mutation{approveComment(input:{id:%q}){comment{id}}}`, id), nil)
	post(url.Values{"name": {"<b>Ann</b>"}, "email": {"again@example.org"}, "text": {"one\r\ntwo"}, "goodFaith": {"1"}})
	a2 := s.Post(t, fmt.Sprintf(`{comment(id:%q){reports{name email reason}}}`, id), nil)
	testkit.Check(t, strings.Contains(string(a2.Data), `{"name":"<b>Ann</b>","email":"again@example.org","reason":"one two"}`), "%s", a2.Data)
	status, _ = post(url.Values{"name": {strings.Repeat("x", 400<<10)}})
	testkit.Equal(t, status, http.StatusRequestEntityTooLarge, "a long form")
	a, _ = send(t, s, http.MethodPost, "/reviews/42/report/none", url.Values{"name": {"A"}, "email": {"a@example.org"}, "text": {"x"}, "goodFaith": {"1"}}.Encode(), "Content-Type", "application/x-www-form-urlencoded")
	testkit.Equal(t, a.StatusCode, http.StatusUnprocessableEntity, "a comment that is not there")
}

// Without the setting there is neither a link nor a page.
func TestNoNoticePage(t *testing.T) {
	s := serve(t)
	_, body := get(t, s, "/reviews/42")
	a, _ := get(t, s, "/reviews/42/report/c1")
	testkit.Check(t, !strings.Contains(body, "pr-notice") && a.StatusCode == http.StatusNotFound, "status %d", a.StatusCode)
	s.As(access.Viewer{}).WantError(t, `mutation{reportComment(input:{id:"c1",notice:{name:"A",email:"a@example.org",goodFaith:true}}){receipt}}`, "UNAUTHENTICATED", "")
}
