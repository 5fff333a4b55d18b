package feed

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
)

// schema has the rules of Google's schema 2.4 for the elements that a feed has: the children of each in
// their order, ? for optional ones, + for repeated ones. Elements without children have a text, which
// is never empty.
var schema = map[string]string{
	"feed":            "version publisher reviews",
	"publisher":       "name",
	"reviews":         "review+",
	"review":          "review_id reviewer is_verified_purchase? is_incentivized_review? review_timestamp title? content review_language? review_url reviewer_images? ratings products collection_method?",
	"reviewer":        "name reviewer_id?",
	"reviewer_images": "reviewer_image+",
	"reviewer_image":  "url",
	"ratings":         "overall",
	"products":        "product+",
	"product":         "product_ids? product_name? product_url",
	"product_ids":     "gtins? mpns? skus? brands?",
	"gtins":           "gtin+",
	"mpns":            "mpn+",
	"skus":            "sku+",
	"brands":          "brand+",
}

// attributes are the attributes of elements; a name's are optional.
var attributes = map[string]string{"overall": "min=1 max=5", "review_url": "type=group", "name": "is_anonymous=true"}

// element is an element of a feed.
type element struct {
	name, text, attributes string
	children               []*element
}

func (e *element) all(name string) (found []*element) {
	for _, c := range e.children {
		if c.name == name {
			found = append(found, c)
		}
		found = append(found, c.all(name)...)
	}
	return found
}

func (e *element) at(name string) string {
	for _, c := range e.all(name) {
		return c.text
	}
	return ""
}

// parsed reads a feed, and checks it against the schema.
func parsed(t *testing.T, text []byte) *element {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(text))
	stack := []*element{{}}
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		testkit.Must(t, err)
		top := stack[len(stack)-1]
		switch token := token.(type) {
		case xml.StartElement:
			e := &element{name: token.Name.Local}
			for _, a := range token.Attr {
				e.attributes += a.Name.Local + "=" + a.Value + " "
			}
			top.children = append(top.children, e)
			stack = append(stack, e)
		case xml.EndElement:
			follows(t, top)
			stack = stack[:len(stack)-1]
		case xml.CharData:
			top.text += string(token)
		}
	}
	testkit.Need(t, len(stack) == 1 && len(stack[0].children) == 1, "%s is no document", text)
	return stack[0].children[0]
}

// follows checks the children, the text and the attributes of an element.
func follows(t *testing.T, e *element) {
	t.Helper()
	if e.name != "feed" {
		want := attributes[e.name]
		testkit.Check(t, strings.TrimSpace(e.attributes) == want || e.name == "name" && e.attributes == "", "%s has %q", e.name, e.attributes)
	}
	rules, ok := schema[e.name]
	if !ok {
		testkit.Check(t, strings.TrimSpace(e.text) != "" && len(e.children) == 0, "%s has the text %q and %d elements", e.name, e.text, len(e.children))
		return
	}
	children := e.children
	for rule := range strings.FieldsSeq(rules) {
		name := strings.TrimRight(rule, "?+")
		n := 0
		for n < len(children) && children[n].name == name {
			n++
		}
		if e.name == "reviews" {
			rule = "review+?"
		}
		testkit.Check(t, n == 1 || n == 0 && strings.Contains(rule, "?") || n > 1 && strings.Contains(rule, "+"), "%s has %d %s here", e.name, n, name)
		children = children[n:]
	}
	testkit.Check(t, len(children) == 0, "%s has %d elements that do not follow", e.name, len(children))
	testkit.Check(t, strings.TrimSpace(e.text) == "", "%s has the text %q", e.name, e.text)
}

var (
	at      = time.Date(2026, 2, 3, 5, 5, 6, 7000, time.FixedZone("", 3600))
	sandals = &Product{Name: "Sandals", URL: "https://shop.example/s?a=1&b=2", GTIN: "4006381333931", MPN: "S-1", SKU: "s", Brand: "Acme & Sons"}
)

// written returns the feed of comments about a product.
func written(t *testing.T, comments ...store.Comment) []byte {
	t.Helper()
	var b bytes.Buffer
	w := testkit.Value(New(Options{Publisher: "A <shop>", Secret: make([]byte, 32), Files: To(&b),
		Photo: func(p store.Photo) string { return "https://cdn.example/" + p.ID }}))(t)
	for i := range comments {
		testkit.Value(w.Add(&comments[i], sandals))(t)
	}
	testkit.Must(t, w.Close())
	return b.Bytes()
}

func TestFeed(t *testing.T) {
	feed := parsed(t, written(t,
		store.Comment{ID: "a", Rating: 4, Language: "pt-BR", CreatedAt: at, Author: "Ann", Title: "Good", Text: "Does it.", Owner: "ann@shop.example", VerifiedPurchase: new(true), Incentive: "PAID", Invited: true, Photos: []store.Photo{{ID: "p"}, {ID: "q"}}},
		store.Comment{ID: "b", Rating: 1, Language: "en", CreatedAt: at, Title: "Title only", Owner: "bob", VerifiedPurchase: new(false)},
		store.Comment{ID: "c", Rating: 5, Language: "en", CreatedAt: at, Author: " ", Text: "Again", Owner: "ann@shop.example"},
		store.Comment{ID: "none", Rating: 5, Language: "en", CreatedAt: at, Author: "Silent"},
	))
	testkit.Equal(t, feed.at("version")+" "+feed.at("name"), "2.4 A <shop>", "head")
	of := feed.all("review")
	testkit.Need(t, len(of) == 3, "%d reviews", len(of))
	for i, want := range []string{
		"a Ann true true 2026-02-03T04:05:06Z Good Does it. pt-BR https://shop.example/s?a=1&b=2 4 4006381333931 S-1 s Acme & Sons Sandals https://shop.example/s?a=1&b=2 post_fulfillment https://cdn.example/p",
		"b Anonymous false false 2026-02-03T04:05:06Z  Title only en https://shop.example/s?a=1&b=2 1 4006381333931 S-1 s Acme & Sons Sandals https://shop.example/s?a=1&b=2 unsolicited ",
		"c Anonymous  false 2026-02-03T04:05:06Z  Again en https://shop.example/s?a=1&b=2 5 4006381333931 S-1 s Acme & Sons Sandals https://shop.example/s?a=1&b=2 unsolicited ",
	} {
		var got []string
		for name := range strings.FieldsSeq("review_id name is_verified_purchase is_incentivized_review review_timestamp title content review_language review_url overall gtin mpn sku brand product_name product_url collection_method url") {
			got = append(got, of[i].at(name))
		}
		testkit.Equal(t, strings.Join(got, " "), want, "review %d", i)
		anonymous := of[i].all("name")[0].attributes != ""
		testkit.Equal(t, anonymous, i > 0, "review %d is anonymous", i)
	}
	testkit.Equal(t, len(of[0].all("reviewer_image")), 2, "photos")
	ids := []string{of[0].at("reviewer_id"), of[1].at("reviewer_id"), of[2].at("reviewer_id")}
	testkit.Check(t, len(ids[0]) == 24 && ids[0] == ids[2] && ids[0] != ids[1] && !strings.Contains(ids[0], "ann"), "reviewers %v", ids)
	testkit.Equal(t, len(parsed(t, written(t)).all("review")), 0, "reviews of an empty feed")
}

// The id of a reviewer needs the secret.
func TestReviewersNeedTheSecret(t *testing.T) {
	one, other := testkit.Value(New(Options{Secret: make([]byte, 32)}))(t), testkit.Value(New(Options{Secret: bytes.Repeat([]byte{1}, 32)}))(t)
	testkit.Check(t, one.reviewerID("ann") != other.reviewerID("ann"), "two secrets make the same id")
}

// Texts are what their authors wrote, but for what XML cannot have.
func TestHostileTexts(t *testing.T) {
	for text, want := range map[string]string{
		"a ]]> b <![CDATA[ c":            "",
		"</content></review><review>":    "",
		"&amp; &#0; &lt;!ENTITY x>":      "",
		"😀 𝒳 \U0010FFFF":                 "",
		"<!-- -- --> <?xml?>":            "",
		"line\r\nnext\ttab\rend":         "",
		"nul\x00 bell\a esc\x1b[0m":      "nul bell esc[0m",
		"\uFFFE\uFFFFnone \uFFFD some":   "none \uFFFD some",
		"half \xed\xa0\xbd and \xff end": "half  and  end",
		"\u0085 \u2028 \u200F":           "",
	} {
		if want == "" {
			want = text
		}
		e := parsed(t, written(t, store.Comment{ID: text, Rating: 3, Language: "en", CreatedAt: at, Author: text, Title: text, Text: text}))
		for _, name := range []string{"review_id", "name", "title", "content"} {
			testkit.Equal(t, e.all("review")[0].at(name), want, "%s of %q", name, text)
		}
	}
	for _, nothing := range []string{"\x00", " \x01 ", "\uFFFF"} {
		e := parsed(t, written(t, store.Comment{ID: "x", Rating: 3, Language: "en", CreatedAt: at, Author: nothing, Text: nothing}))
		testkit.Equal(t, len(e.all("review")), 0, "reviews of %q", nothing)
	}
}

func TestWhatProductsLack(t *testing.T) {
	for _, c := range []struct {
		p    Product
		want string
	}{
		{Product{URL: "https://s.example/1", GTIN: "4006381333931"}, ""},
		{Product{URL: "https://s.example/1", GTIN: "96385074"}, ""},
		{Product{URL: "https://s.example/1", GTIN: "036000291452"}, ""},
		{Product{URL: "http://s.example/1", SKU: "1"}, ""},
		{Product{URL: "https://s.example/1", MPN: "1", Brand: "A"}, ""},
		{Product{URL: "https://s.example/1", MPN: "1"}, "a gtin, a sku, or an mpn with a brand"},
		{Product{URL: "https://s.example/1", Brand: "A"}, "a gtin, a sku, or an mpn with a brand"},
		{Product{URL: "https://s.example/1", GTIN: "4006381333932"}, "a gtin whose digits are right"},
		{Product{URL: "https://s.example/1", GTIN: "400638133393x"}, "a gtin whose digits are right"},
		{Product{URL: "https://s.example/1", GTIN: "0000"}, "a gtin whose digits are right"},
		{Product{URL: "https://shop.example/1", SKU: " \x01"}, "a gtin, a sku, or an mpn with a brand"},
		{Product{URL: "https://shop.example/1", MPN: "m", Brand: " "}, "a gtin, a sku, or an mpn with a brand"},
		{Product{URL: "/1", GTIN: "4006381333931"}, "its url with https"},
		{Product{GTIN: "4006381333931"}, "its url with https"},
	} {
		testkit.Equal(t, c.p.Lacks(), c.want, "%+v", c.p)
	}
}

// comment returns the n-th of many comments.
func comment(n int) store.Comment {
	return store.Comment{ID: fmt.Sprint("c", n), Rating: 1 + n%5, Language: "en", CreatedAt: at, Author: "Ann", Text: strings.Repeat("word ", 40)}
}

// A feed is split into whole documents of at most the limit; a later, shorter one leaves none of the
// former files, and one that fails leaves the former feed.
func TestFiles(t *testing.T) {
	for _, name := range []string{"reviews.xml", "reviews.xml.gz", "plain"} {
		dir := t.TempDir()
		write := func(comments, limit int) *Files {
			files := NewFiles(filepath.Join(dir, name))
			w := testkit.Value(New(Options{Publisher: "Shop", Secret: make([]byte, 32), Files: files, Limit: limit}))(t)
			for n := range comments {
				testkit.Value(w.Add(new(comment(n)), sandals))(t)
			}
			testkit.Must(t, w.Close())
			return files
		}
		read := func(path string) []byte {
			b := testkit.Value(os.ReadFile(path))(t)
			if strings.HasSuffix(path, ".gz") {
				b = testkit.Value(io.ReadAll(testkit.Value(gzip.NewReader(bytes.NewReader(b)))(t)))(t)
			}
			return b
		}
		const limit = 5000
		files, n := write(20, limit), 0
		names := files.Names()
		testkit.Need(t, len(names) > 3, "%v", names)
		testkit.Equal(t, filepath.Base(names[2]), map[string]string{"reviews.xml": "reviews-3.xml", "reviews.xml.gz": "reviews-3.xml.gz", "plain": "plain-3"}[name], "the third")
		for i, path := range names {
			b := read(path)
			testkit.Check(t, len(b) <= limit && (len(b) > limit/2 || i == len(names)-1), "%s has %d bytes", path, len(b))
			for _, review := range parsed(t, b).all("review") {
				testkit.Equal(t, review.at("review_id"), fmt.Sprint("c", n), "the next")
				n++
			}
		}
		testkit.Equal(t, n, 20, "reviews")
		before := read(names[0])
		failing := NewFiles(filepath.Join(dir, name))
		w := testkit.Value(New(Options{Publisher: "Shop", Secret: make([]byte, 32), Files: failing, Limit: limit}))(t)
		for n := range 10 {
			testkit.Value(w.Add(new(comment(100+n)), sandals))(t)
		}
		failing.Discard()
		testkit.Check(t, bytes.Equal(read(names[0]), before), "a feed that failed replaced the former one")
		testkit.Equal(t, len(testkit.Value(os.ReadDir(dir))(t)), len(names), "files after a failure")
		shorter := write(2, limit)
		testkit.Check(t, slices.Equal(shorter.Removed, names[1:]), "%v are removed of %v", shorter.Removed, names)
		entries := testkit.Value(os.ReadDir(dir))(t)
		testkit.Check(t, len(entries) == 1 && entries[0].Name() == name, "%v", entries)
	}
}

// A stream has one file; the error says the remedy.
func TestStreamsAreNotSplit(t *testing.T) {
	w := testkit.Value(New(Options{Publisher: "Shop", Secret: make([]byte, 32), Files: To(io.Discard), Limit: 3000}))(t)
	var err error
	for n := 0; n < 100 && err == nil; n++ {
		_, err = w.Add(new(comment(n)), sandals)
	}
	testkit.Check(t, err != nil && strings.Contains(err.Error(), "--output"), "%v", err)
	want := errors.New("full")
	w = testkit.Value(New(Options{Publisher: "Shop", Secret: make([]byte, 32), Files: To(broken{want})}))(t)
	testkit.Must(t, func() error { _, err := w.Add(new(comment(1)), sandals); return err }())
	testkit.Check(t, errors.Is(w.Close(), want), "an error of the stream is lost")
}

type broken struct{ error }

func (b broken) Write([]byte) (int, error) { return 0, b.error }

// Memory does not grow with the reviews.
func TestMemoryIsConstant(t *testing.T) {
	w := testkit.Value(New(Options{Publisher: "Shop", Secret: make([]byte, 32), Files: To(io.Discard), Limit: 1 << 40}))(t)
	add := func(n int) uint64 {
		for i := range n {
			testkit.Value(w.Add(new(comment(i)), sandals))(t)
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := add(1000)
	after := add(20_000)
	testkit.Check(t, after < before+(1<<20), "the heap grew from %d to %d bytes", before, after)
}
