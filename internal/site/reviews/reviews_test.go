package reviews_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"product-comments/access"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/site/reviews"
	"product-comments/internal/site/shop"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/browser"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/comment/moderation"
	"product-comments/store/settings/definitions"
	"product-comments/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(browser.Main{M: m}) }

// hostile is a text that breaks pages which do not escape.
const hostile = `</script><script>alert(1)</script><img src=x onerror=alert(1)>" onmouseover="alert(1)`

// serve starts a service with sections about product 42, which a catalogue has, and 43.
func serve(t *testing.T, change ...func(*httpapi.Config)) *apitest.Service {
	t.Helper()
	s := apitest.Serve(t, append([]func(*httpapi.Config){func(c *httpapi.Config) {
		c.Reviews = &reviews.Options{Catalogue: reviews.NewCatalogue([]reviews.Entry{{ProductID: "42", Name: "A & B <pack>", URL: "/product/42", SKU: "p42"}})}
		c.CacheMaxAge = 5 * time.Second
	}}, change...)...)
	testkit.Value(s.Store.Attributes().Define(t.Context(), definitions.Change{Scope: definitions.Scope{Product: "42"}, Definitions: []attributes.Definition{
		{Key: "fit", Type: attributes.Number, Shown: true, Scale: &attributes.Scale{Minimum: 1, Maximum: 5}},
		{Key: "weight", Type: attributes.Number, Shown: true, Unit: "kg"},
		{Key: "size", Type: attributes.Choice, Shown: true, Options: []attributes.Option{{Value: "S"}, {Value: "L"}}},
	}}))(t)
	testkit.Must(t, s.Store.AttributeIndex().Backfill().Finish(t.Context(), "42", true, nil))
	list := apitest.Comments(45)
	for i := range list {
		c := &list[i]
		c.Author, c.Title = fmt.Sprint("author ", i), fmt.Sprint("title ", i)
		c.Attributes = json.RawMessage(`{"fit":4,"size":"L","weight":1.25}`)
		if i%3 == 0 {
			c.Language, c.Author = "de", ""
		}
	}
	list[44].Title, list[44].Text, list[44].Author = hostile, hostile, hostile
	list[43].Text = strings.Repeat("long ", 200)
	s.Fill(t, list...)
	s.Project(t)
	return s
}

// send sends a request and returns the answer, without following it, and its body.
func send(t *testing.T, s *apitest.Service, method, path, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r := testkit.Value(http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body)))(t)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	client := *s.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	a := testkit.Value(client.Do(r))(t)
	defer a.Body.Close()
	return a, string(testkit.Value(io.ReadAll(a.Body))(t))
}

// get returns the body of a page.
func get(t *testing.T, s *apitest.Service, path string, headers ...string) (*http.Response, string) {
	t.Helper()
	return send(t, s, http.MethodGet, path, "", headers...)
}

var articles = regexp.MustCompile(`<article class="pr-comment" id="comment-(c\d+)"`)

// listed returns the ids of the comments of a page.
func listed(body string) (ids []string) {
	for _, m := range articles.FindAllStringSubmatch(body, -1) {
		ids = append(ids, m[1])
	}
	return ids
}

// Every filter, order and page has a URL; what does not fit is dropped, and is not for search engines.
func TestURLs(t *testing.T) {
	s := serve(t)
	for query, want := range map[string]struct {
		first string
		n     int
		index bool
	}{
		"":                            {"c044", 20, true},
		"?page=2":                     {"c024", 20, true},
		"?page=3":                     {"c004", 5, true},
		"?rating=5":                   {"c044", 9, false},
		"?rating=4&rating=5":          {"c044", 18, false},
		"?language=de":                {"c042", 15, false},
		"?language=de&language=en":    {"c044", 20, false},
		"?sort=oldest":                {"c000", 20, false},
		"?sort=worst":                 {"c000", 20, false},
		"?sort=fit.desc":              {"c044", 20, false},
		"?a.size=L&a.fit.min=4":       {"c044", 20, false},
		"?a.size=S":                   {"", 0, false},
		"?comment=c010":               {"c024", 20, false},
		"?page=7":                     {"", 0, false},
		"?rating=9&utm_source=mail":   {"c044", 20, true},
		"?sort=nothing.asc":           {"c044", 20, true},
		"?a.nothing=x":                {"c044", 20, true},
		"?language=!!":                {"c044", 20, true},
		"?after=nothing":              {"c044", 20, true},
		"?a.fit.min=x&page=2":         {"c044", 20, true},
		"?text=1&verified=1&rating=1": {"", 0, false},
	} {
		for _, path := range []string{"/reviews/42", "/reviews/42/section"} {
			a, body := get(t, s, path+query)
			ids := listed(body)
			first := ""
			if len(ids) > 0 {
				first = ids[0]
			}
			testkit.Check(t, a.StatusCode == http.StatusOK && len(ids) == want.n && first == want.first, "%s: %d, %d from %q, want %d from %q", path+query, a.StatusCode, len(ids), first, want.n, want.first)
			if path == "/reviews/42" {
				index := !strings.Contains(body, `content="noindex, nofollow"`)
				testkit.Check(t, index == want.index && index == strings.Contains(body, `rel="canonical" href="/reviews/42`), "%s: search engines may have it: %t", path+query, index)
			}
		}
	}
	_, body := get(t, s, "/reviews/nothing")
	testkit.Check(t, strings.Contains(body, "There are no reviews yet.") && strings.Contains(body, "noindex") && !strings.Contains(body, "ld+json"), "an unknown product: %s", body)
	_, body = get(t, s, "/reviews/42/section?lang=ar")
	testkit.Check(t, strings.Contains(body, `lang="ar" dir="rtl"`) && strings.Contains(body, "التقييمات"), "in Arabic: %.500s", body)
}

// Numbers of attributes have their unit or scale, as texts that everyone reads.
func TestNumbersOfAttributes(t *testing.T) {
	s := serve(t)
	for lang, want := range map[string][]string{
		"en": {`rect width="80" height="1"/></svg>4.0 of 5</dd>`, "<dd>1.3\u00a0kg</dd>", "<li>fit: 4 of 5</li>", "<li>weight: 1.25\u00a0kg</li>"},
		"de": {"4,0 von 5</dd>", "<dd>1,3\u00a0kg</dd>", "<li>fit: 4 von 5</li>", "<li>weight: 1,25\u00a0kg</li>"},
	} {
		_, body := get(t, s, "/reviews/42/section?lang="+lang)
		for _, one := range want {
			testkit.Check(t, strings.Contains(body, one), "%s: no %s in %s", lang, one, body)
		}
	}
}

// A section that did not change is not sent again. Sections are the same for everyone, and with a
// token no other. Assets with a hash never change.
func TestCaches(t *testing.T) {
	s := serve(t)
	a, body := get(t, s, "/reviews/42/section")
	tag := a.Header.Get("ETag")
	testkit.Check(t, tag != "" && strings.HasPrefix(a.Header.Get("Cache-Control"), "public, max-age=5"), "%+v", a.Header)
	again, _ := get(t, s, "/reviews/42/section", "If-None-Match", tag)
	testkit.Check(t, again.StatusCode == http.StatusNotModified, "%d", again.StatusCode)
	_, own := get(t, s, "/reviews/42/section", append(apitest.Authorization(t, apitest.Alice), "Cookie", "visitor=x")...)
	testkit.Equal(t, own, body, "with a token")
	for _, m := range regexp.MustCompile(`"((/reviews\.(?:js|css))\?v=[0-9a-f]+)"`).FindAllStringSubmatch(body, -1) {
		a, content := get(t, s, m[1])
		testkit.Check(t, strings.HasSuffix(a.Header.Get("Cache-Control"), "immutable") && a.StatusCode == http.StatusOK, "%s: %+v", m[1], a.Header)
		plain, same := get(t, s, m[2])
		testkit.Check(t, same == content && plain.Header.Get("Cache-Control") == "public, max-age=300", "%s: %+v", m[1], plain.Header)
	}
	_, labels := get(t, s, "/reviews/labels/de.json")
	testkit.Check(t, json.Valid([]byte(labels)) && strings.Contains(labels, "Bewertungen"), "%.200s", labels)
}

// Texts are texts, also in JSON-LD, which has what Google's review snippets require. Comments
// without an author are not in it.
func TestHostileTexts(t *testing.T) {
	s := serve(t)
	_, body := get(t, s, "/reviews/42")
	for _, broken := range []string{"<script>alert", "<img src=x", `" onmouseover="`, "A & B <pack>"} {
		testkit.Check(t, !strings.Contains(body, broken), "the page has %s", broken)
	}
	_, data, _ := strings.Cut(body, `<script type="application/ld+json">`)
	data, _, _ = strings.Cut(data, "</script>")
	var product struct {
		Type            string `json:"@type"`
		Name, SKU       string
		AggregateRating struct {
			RatingValue float64
			ReviewCount int
		}
		Review []struct {
			Author       struct{ Name string }
			ReviewRating struct{ RatingValue int }
			ReviewBody   string
		}
	}
	testkit.Must(t, json.Unmarshal([]byte(data), &product))
	testkit.Check(t, product.Type == "Product" && product.Name == "A & B <pack>" && product.SKU == "p42" &&
		product.AggregateRating.RatingValue == 3 && product.AggregateRating.ReviewCount == 45, "%+v", product)
	testkit.Check(t, len(product.Review) == 14 && product.Review[0].ReviewBody == hostile, "%d reviews, %+v", len(product.Review), product.Review[:1])
	for _, one := range product.Review {
		testkit.Check(t, one.Author.Name != "" && one.ReviewRating.RatingValue >= 1, "%+v", one)
	}
	_, query := get(t, s, "/reviews/42?lang=%22%3E%3Cscript%3Ealert(1)&language=%22%3E%3Cscript%3Ealert(1)&a.%22%3E%3Cscript%3E=x")
	testkit.Check(t, !strings.Contains(query, "<script>alert") && !strings.Contains(query, "<script>="), "a parameter is in the page as it is")
	_, path := get(t, s, "/reviews/"+url.PathEscape(`"><script>alert(1)</script>`))
	testkit.Check(t, !strings.Contains(path, "<script>alert"), "the product's id is in the page as it is")
}

// post sends a form and returns the answer without following it.
func post(t *testing.T, s *apitest.Service, v access.Viewer, values url.Values) (*http.Response, string) {
	t.Helper()
	if h := apitest.Authorization(t, v); len(h) > 0 {
		values.Set("token", strings.TrimPrefix(h[1], "Bearer "))
	}
	return send(t, s, http.MethodPost, "/reviews/42", values.Encode(), "Content-Type", "application/x-www-form-urlencoded")
}

// A form without JavaScript creates a comment and leads to it; what is wrong is said at its field.
func TestForm(t *testing.T) {
	s := serve(t)
	_, form := get(t, s, "/reviews/42/form?lang=de")
	testkit.Check(t, strings.Contains(form, "<form") && strings.Contains(form, "Ihre Sterne"), "%s", form)
	right := url.Values{"rating": {"4"}, "title": {"from a form"}, "text": {"good"}, "language": {"en"}, "key": {"k1"}}
	a, body := post(t, s, apitest.Alice, right)
	to := a.Header.Get("Location")
	testkit.Need(t, a.StatusCode == http.StatusSeeOther && strings.HasPrefix(to, "/reviews/42?comment="), "%d to %q: %s", a.StatusCode, to, body)
	again, _ := post(t, s, apitest.Alice, right)
	testkit.Equal(t, again.Header.Get("Location"), to, "the same form again")
	_, page := get(t, s, strings.Split(to, "#")[0])
	testkit.Check(t, strings.Contains(page, "from a form"), "the new comment is not on the page")
	for _, c := range []struct {
		viewer access.Viewer
		values url.Values
		want   string
	}{
		{apitest.Alice, url.Values{"title": {"no rating"}, "language": {"en"}}, `id="pr-e-rating"`},
		{apitest.Alice, url.Values{"rating": {"4"}, "title": {strings.Repeat("x", 301)}, "language": {"en"}}, `id="pr-e-title"`},
		{apitest.Alice, url.Values{"rating": {"4"}, "language": {"nonsense!"}}, `id="pr-e-language"`},
		{apitest.Anonymous, url.Values{"rating": {"4"}, "language": {"en"}}, "Sign in to do this."},
	} {
		a, body := post(t, s, c.viewer, c.values)
		testkit.Check(t, a.StatusCode == http.StatusUnprocessableEntity && strings.Contains(body, c.want) && strings.Contains(body, c.values.Get("title")),
			"%.100v: %d, want %s in %s", c.values, a.StatusCode, c.want, body)
	}
	a, _ = post(t, s, apitest.Alice, url.Values{"text": {strings.Repeat("x", 400<<10)}})
	testkit.Check(t, a.StatusCode == http.StatusRequestEntityTooLarge, "a large form: %d", a.StatusCode)
}

// A comment that waits is not on the page that the form leads to.
func TestFormBeforePublication(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) {
		c.Store = store.New(storetest.Client(t), c.Store.Table(), store.Options{Moderation: moderation.Options{Mode: moderation.Pre}})
	})
	a, _ := post(t, s, apitest.Alice, url.Values{"rating": {"4"}, "title": {"waits"}, "language": {"en"}})
	testkit.Equal(t, a.Header.Get("Location"), "/reviews/42?#pr-title", "it leads to")
	_, body := get(t, s, "/reviews/42")
	testkit.Check(t, !strings.Contains(body, "waits"), "it is on the page")
}

// A server that executes only the operations of its manifest serves sections.
func TestOnlyOperationsOfTheManifest(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) { c.ManifestOnly = true })
	_, body := get(t, s, "/reviews/42/section")
	testkit.Check(t, len(listed(body)) == 20, "%s", body)
}

// Without a projector there are comments, no counts, and nothing that search engines would show.
func TestWithoutProjector(t *testing.T) {
	s := apitest.Serve(t, func(c *httpapi.Config) {
		c.Reviews = &reviews.Options{Catalogue: reviews.NewCatalogue([]reviews.Entry{{ProductID: "42", Name: "Pack"}})}
	})
	s.Fill(t, apitest.Comments(45)...)
	a, body := get(t, s, "/reviews/42/section")
	testkit.Check(t, a.StatusCode == http.StatusOK && len(listed(body)) == 20, "%d: %s", a.StatusCode, body)
	testkit.Check(t, strings.Contains(body, "Counts are not available at the moment.") && !strings.Contains(body, "aggregateRating"), "%s", body)
}

// While the store does not answer, the section says so within the time of a request, and the shop's
// pages load.
func TestStoreDown(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) {
		c.Shop = &shop.Shop{Products: []reviews.Entry{{ProductID: "42", Name: "Pack"}}}
		c.Store = store.New(storetest.At("http://127.0.0.1:1"), c.Store.Table(), store.Options{})
		c.Limits.Timeout = time.Second
	})
	begin := time.Now()
	a, body := get(t, s, "/reviews/42/section")
	testkit.Check(t, a.StatusCode == http.StatusServiceUnavailable && strings.Contains(body, "cannot be shown at the moment") && a.Header.Get("Cache-Control") == "no-store",
		"%d, %+v: %s", a.StatusCode, a.Header, body)
	for path, want := range map[string]string{"/": "Counts are not available at the moment.", "/product/42": "cannot be shown at the moment"} {
		a, body := get(t, s, path)
		testkit.Check(t, a.StatusCode == http.StatusOK && strings.Contains(body, want), "%s: %d: %s", path, a.StatusCode, body)
	}
	testkit.Check(t, time.Since(begin) < 30*time.Second, "it took %v", time.Since(begin))
}

// A catalogue names what is wrong in it.
func TestCatalogue(t *testing.T) {
	file := filepath.Join(t.TempDir(), "products.ndjson")
	for content, want := range map[string]string{
		`{"productId":"1","name":"A","url":"https://shop.example/1"}` + "\n\n": "",
		`{"productId":"1"}`:                                        "line 1 needs productId and name",
		`{"productId":"1","name":"A"}` + "\n[":                     "line 2 is not an object",
		`{"productId":"1","name":"A","url":"javascript:alert(1)"}`: `url is "javascript:alert(1)"`,
	} {
		testkit.Must(t, os.WriteFile(file, []byte(content), 0o600))
		_, err := reviews.OpenCatalogue(file)
		testkit.Check(t, err == nil && want == "" || err != nil && want != "" && strings.Contains(err.Error(), want), "%s: %v", content, err)
	}
}
