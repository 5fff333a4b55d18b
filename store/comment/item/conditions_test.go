package item

import (
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
	"product-comments/store/errs"
	"product-comments/store/key"
)

// Words are found as people type them.
func TestWords(t *testing.T) {
	for words, c := range map[string]struct {
		in   Comment
		want bool
	}{
		"":                {Comment{}, true},
		" \n ":            {Comment{}, true},
		"good":            {Comment{Title: "Goods"}, true},
		"GOOD bag":        {Comment{Title: "A bag", Text: "good"}, true},
		"good bags":       {Comment{Title: "A bag", Text: "good"}, false},
		"anna":            {Comment{Author: "Anna K."}, true},
		"cafe":            {Comment{Text: "Le CAFÉ"}, true},
		"café":            {Comment{Text: "cafe\u0301"}, true},
		"Café ":           {Comment{Text: "cafe"}, true},
		"strasse":         {Comment{Text: "Straße"}, true},
		"STRAẞE":          {Comment{Text: "strasse"}, true},
		"οδος":            {Comment{Text: "ΟΔΌΣ"}, true},
		"istanbul":        {Comment{Text: "İSTANBUL"}, true},
		"office":          {Comment{Text: "oﬃce"}, true},
		"warehouse":       {Comment{Text: "ware\u00adhouse"}, true},
		"كتاب":            {Comment{Text: "كِتَاب"}, true},
		"配達":              {Comment{Text: "早い配達でした"}, true},
		"\u0301 \u200b":   {Comment{}, true}, // nothing to see, so no word
		"a\tb\nc":         {Comment{Title: "c", Text: "b", Author: "a"}, true},
		"end begin":       {Comment{Title: "the end", Text: "begin"}, true},
		"endbegin":        {Comment{Title: "end", Text: "begin"}, false},
		"% _ * . \\ ' \"": {Comment{Text: `% _ * . \ ' "`}, true},
	} {
		w := testkit.Value(ParseWords("words", &words))(t)
		testkit.Equal(t, w.In(&c.in), c.want, "%q in %+v", words, c.in)
	}
	equal := func(a, b string) bool {
		return testkit.Value(ParseWords("words", &a))(t) == testkit.Value(ParseWords("words", &b))(t)
	}
	testkit.Check(t, equal("good Bag good", "bag  GOOD") && !equal("good bag", "goodbag"), "the same words are not the same list")
	for words, want := range map[string]string{
		strings.Repeat("a ", 11):    "", // one word
		"a b c d e f g h i j k":     errs.TooMany,
		strings.Repeat("ß", 201):    errs.TooLong,
		"a\x00b":                    errs.BadCharacter,
		"a\xffb":                    errs.BadCharacter,
		strings.Repeat("\ufdfa", 3): "",
	} {
		_, err := ParseWords("words", &words)
		reason := ""
		if e, ok := err.(*errs.Error); ok {
			reason = e.Reason
		}
		testkit.Equal(t, reason, want, "%q: %v", words, err)
	}
}

// Only equal conditions have the same cursors.
func TestScopesOfConditions(t *testing.T) {
	all := []Conditions{{}, {ProductID: "p"}, {Ratings: 1}, {Ratings: key.Ratings(3)}, {WithPhotos: true}, {Words: "p"},
		{Words: "a b"}, {ProductID: "a", Words: "b"}, {ProductID: "p", WithPhotos: true}}
	scopes := map[string]Conditions{}
	for _, c := range all {
		other, twice := scopes[c.Scope()]
		testkit.Check(t, !twice, "%+v and %+v have the scope %q", c, other, c.Scope())
		scopes[c.Scope()] = c
	}
}
