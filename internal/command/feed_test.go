package command

import (
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
)

const feedCatalogue = `{"productId":"42","name":"Sandals","url":"https://shop.example/42","gtin":"4006381333931","mpn":"S-1","sku":"s","brand":"Acme"}
{"productId":"43","name":"Boots","url":"https://shop.example/43","sku":"b"}
{"productId":"44","name":"Laces","url":"https://shop.example/44","mpn":"l"}
{"productId":"45","name":"Wax","sku":"w"}
`

// A feed has the published comments of the catalogue's products, and says what it leaves out.
func TestFeed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "products.ndjson", feedCatalogue)
	write(t, dir, "comments", `{"productId":"42","commentId":"a","rating":4,"language":"en","createdAt":"2026-02-03T04:05:09Z","author":"Ann","text":"Good","incentive":"CONTEST","invited":true}
{"productId":"42","commentId":"hidden","rating":1,"language":"en","createdAt":"2026-02-03T04:05:08Z","text":"Spam","moderation":{"status":"REJECTED","code":"SPAM"}}
{"productId":"43","commentId":"silent","rating":5,"language":"en","createdAt":"2026-02-03T04:05:07Z"}
{"productId":"43","commentId":"b","rating":5,"language":"en","createdAt":"2026-02-03T04:05:06Z","title":"Fine"}
{"productId":"44","commentId":"c","rating":5,"language":"en","createdAt":"2026-02-03T04:05:05Z","text":"Long"}
{"productId":"45","commentId":"d","rating":5,"language":"en","createdAt":"2026-02-03T04:05:05Z","text":"Waxy"}
`)
	wantRun(t, dir, "", 0, "6 written", "import", "--data-dir=data", "comments")
	export := []string{"export", "--data-dir=data", "--format=google-reviews", "--catalogue=products.ndjson", "--publisher=Shop"}
	out, log, status := run(t, dir, "", export...)
	testkit.Need(t, status == 0, "%d %s", status, log)
	testkit.Equal(t, strings.Count(out, "<review>"), 2, "reviews")
	for _, has := range []string{
		"<name>Shop</name>", "<review_id>a</review_id>", "<is_incentivized_review>true</is_incentivized_review>", "<collection_method>post_fulfillment</collection_method>",
		"<gtin>4006381333931</gtin>", "<review_id>b</review_id>", "<content>Fine</content>", "<collection_method>unsolicited</collection_method>",
	} {
		testkit.Check(t, strings.Contains(out, has), "no %s in %s", has, out)
	}
	for _, says := range []string{"a gtin, a sku, or an mpn with a brand", "product=44", "its url with https", "product=45", "without title and text are left out", "comments=1", "comments=2 files=1"} {
		testkit.Check(t, strings.Contains(strings.ReplaceAll(log, `"`, ""), says), "no %s in %s", says, log)
	}
	testkit.Equal(t, wantRun(t, dir, "", 0, "comments", append(export, "--output=reviews.xml")...), "", "standard output")
	testkit.Equal(t, read(t, dir, "reviews.xml"), out, "the file")
	for _, folder := range []string{".", dir} {
		wantRun(t, dir, "", exitFailed, "--output: "+dir+" is no file", append(export, "--output="+folder)...)
	}
	only := wantRun(t, dir, "", 0, "the catalogue lacks it", append(export, "--product=43", "--product=46", "--product=43")...)
	testkit.Equal(t, strings.Count(only, "<review>"), 1, "reviews of a product")
	for _, c := range [][]string{
		{"needs --catalogue", "--format=google-reviews"},
		{"need --format google-reviews", "--product=42", "--publisher=Shop"},
		{"excludes --orders", "--format=google-reviews", "--orders"},
	} {
		wantRun(t, dir, "", 80, c[0], append([]string{"export", "--data-dir=data"}, c[1:]...)...)
	}
	wantRun(t, dir, "", exitFailed, "--catalogue: read the catalogue", append(export, "--catalogue=none")...)
}
