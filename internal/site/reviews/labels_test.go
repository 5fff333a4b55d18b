package reviews

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"product-comments/graph"
	"product-comments/internal/testing/testkit"
)

// Each language says everything, and the sentences for values of the schema's enums are complete.
func TestLabelsAreComplete(t *testing.T) {
	types := graph.NewExecutableSchema(graph.Config{}).Schema().Types
	english := sections.all[0]
	for _, l := range sections.all {
		for what, texts := range map[string][2]map[string]string{
			"texts": {english.Texts, l.Texts}, "errors": {english.Errors, l.Errors},
			"holds": {english.Holds, l.Holds}, "rejections": {english.Rejections, l.Rejections},
			"incentives": {english.Incentives, l.Incentives},
		} {
			testkit.Check(t, slices.Equal(slices.Sorted(maps.Keys(texts[0])), slices.Sorted(maps.Keys(texts[1]))), "%s: %s differ from English", l.Tag, what)
			for key, text := range texts[1] {
				testkit.Check(t, text != "", "%s: %s.%s is empty", l.Tag, what, key)
			}
		}
		for name, texts := range map[string]map[string]string{"HoldReason": l.Holds, "RejectionCode": l.Rejections} {
			for _, v := range types[name].EnumValues {
				testkit.Check(t, texts[v.Name] != "", "%s: no sentence for %s.%s", l.Tag, name, v.Name)
			}
		}
		for _, v := range types["Incentive"].EnumValues {
			testkit.Check(t, (l.Incentive(v.Name) != "") == (v.Name != "NONE"), "%s: %s is %q", l.Tag, v.Name, l.Incentive(v.Name))
		}
		testkit.Check(t, len(l.Months) == 12 && json.Valid(l.json), "%s has %d months", l.Tag, len(l.Months))
		for _, n := range []int{0, 1, 2, 3, 11, 100, 6000} {
			testkit.Check(t, l.Count("reviews", n) != "" && l.Count("helpful", n) != "", "%s: no text for %d", l.Tag, n)
		}
	}
}

// Labels are found by the nearest language, and numbers and days are spelled in it.
func TestLabels(t *testing.T) {
	for tag, want := range map[string]string{"de-AT": "de", "ar-EG": "ar", "": "en", "tlh": "en", "!!": "en", "fr": "fr"} {
		testkit.Equal(t, LabelsFor(tag).Tag, want, "%q", tag)
	}
	for tag, want := range map[string]string{
		"en": "6,000 reviews · April 1, 2026 · German", "de": "6.000 Bewertungen · 1. April 2026 · Deutsch",
		"ja": "6,000件のレビュー · 2026年4月1日 · ドイツ語", "ar": "6,000 تقييم · 1 أبريل 2026 · الألمانية",
	} {
		l := LabelsFor(tag)
		testkit.Equal(t, l.Count("reviews", 6000)+" · "+l.Day("2026-04-01T23:00:00Z")+" · "+l.Language("de"), want, "%s", tag)
	}
	testkit.Equal(t, LabelsFor("en").Count("reviews", 1), "1 review", "one")
	testkit.Equal(t, LabelsFor("en").Text("stars", "n", 4.25), "4.3 of 5 stars", "a mean")
	testkit.Equal(t, LabelsFor("ar").Count("reviews", 2), "تقييمان", "two")
}
