package reviews_test

import (
	"regexp"
	"strings"
	"testing"

	"product-comments/internal/server/httpapi"
	"product-comments/internal/site/reviews"
	"product-comments/internal/testing/testkit"
)

var policyOf = regexp.MustCompile(`(?s)<details class="pr-policy">.*?</details>`)

// The fold below the list says what the settings are, in each language, and nothing that they are not.
func TestPolicy(t *testing.T) {
	sentences := map[string]string{"before": "reads each review before", "at once": "without being read before", "words": "with a word that", "links": "with a link",
		"photos": "with new photos", "pace": "many within an hour", "single": "writes one review", "asked": "asks all buyers", "reported": "several visitors report", "reporting": "also without an account"}
	for _, c := range []struct {
		of   reviews.Policy
		want string
	}{
		{reviews.Policy{}, "at once"},
		{reviews.Policy{Links: true, Photos: true, Words: true, Pace: true}, "at once"}, // without moderation no rule holds anything
		{reviews.Policy{Before: true, Once: true, Asked: true, Reporting: true}, "before single asked reporting"},
		{reviews.Policy{After: true, Links: true}, "at once links reported"},
		{reviews.Policy{After: true, Photos: true}, "at once reported"}, // there are none without a place for them
		{reviews.Policy{After: true, Words: true, Pace: true}, "at once words pace reported"},
	} {
		s := serve(t, func(h *httpapi.Config) { h.Reviews.Policy, h.Rules.Notices = c.of, c.of.Reporting })
		_, body := get(t, s, "/reviews/42/section")
		fold := policyOf.FindString(body)
		for name, sentence := range sentences {
			testkit.Check(t, strings.Contains(fold, sentence) == strings.Contains(" "+c.want+" ", " "+name+" "), "%+v: %q is wrong in %s", c.of, sentence, fold)
		}
		testkit.Check(t, strings.Contains(fold, "It is offensive.") && strings.Index(body, fold) > strings.LastIndex(body, "<article"), "%s", fold)
	}
	s := serve(t, func(h *httpapi.Config) { h.Reviews.Policy.Before = true })
	said := map[string]bool{}
	for _, language := range []string{"en", "de", "fr", "es", "it", "ja", "ar"} {
		_, body := get(t, s, "/reviews/42?lang="+language)
		fold := policyOf.FindString(body)
		testkit.Check(t, strings.Count(fold, "<p") == 5 && strings.Count(fold, "<li>") == 8 && !said[fold], "%s: %s", language, fold)
		said[fold] = true
	}
}

// The shop's own text is shown as it is, whatever it holds.
func TestOwnPolicy(t *testing.T) {
	own := testkit.Value(reviews.ReadPolicy(strings.NewReader("\ufeffWe read all.\r\n\r\n" + hostile + "\n\n\n  \n\nنقرأ الكل\nand more")))(t)
	testkit.Equal(t, len(own), 3, "paragraphs")
	s := serve(t, func(h *httpapi.Config) { h.Reviews.Policy = reviews.Policy{Own: own, Before: true} })
	_, body := get(t, s, "/reviews/42")
	fold := policyOf.FindString(body)
	testkit.Check(t, strings.Contains(fold, `<p dir="auto">We read all.</p>`) && strings.Contains(fold, "&lt;/script&gt;&lt;script&gt;") && !strings.Contains(fold, "<script") &&
		!strings.Contains(fold, "reads each review"), "%s", fold)
	for what, text := range map[string]string{"empty": " \n\n ", "not UTF-8": "\xff", "a control": "a\x00", "an override": "a\u202eb", "long": strings.Repeat("x", reviews.MaxPolicy+1)} {
		_, err := reviews.ReadPolicy(strings.NewReader(text))
		testkit.Check(t, err != nil, "a text that is %s is read", what)
	}
}
