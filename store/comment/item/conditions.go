package item

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"product-comments/store/errs"
	"product-comments/store/key"
)

// Conditions are what a list without an index for them checks of each comment that it reads. The
// zero value sets none.
type Conditions struct {
	ProductID  string // empty for any
	Ratings    key.Ratings
	WithPhotos bool
	Words      Words
}

// Has reports whether a comment fulfils the conditions.
func (c Conditions) Has(of *Comment) bool {
	return (c.ProductID == "" || c.ProductID == of.ProductID) && c.Ratings.Has(of.Rating) &&
		(!c.WithPhotos || len(of.Photos) > 0) && c.Words.In(of)
}

// Scope spells the conditions for cursors: "" for none. Only equal conditions have equal scopes.
func (c Conditions) Scope() string {
	if c == (Conditions{}) {
		return ""
	}
	photos := ""
	if c.WithPhotos {
		photos = "p"
	}
	return "\x00" + strings.Join([]string{c.ProductID, c.Ratings.String(), photos, string(c.Words)}, "\x00")
}

// Words are what all must occur in the title, the text or the author's name of a comment, perhaps
// within longer words: without case and diacritics, sorted, with a space between them. No words
// occur in every comment.
type Words string

// The limits of words to look for.
const (
	MaxWords     = 10
	MaxWordsText = 200 // characters
)

// ParseWords returns the words in a text, none for nil.
func ParseWords(field string, text *string) (Words, error) {
	if text == nil {
		return "", nil
	}
	if err := validateText(field, *text, MaxWordsText, "\n\r\t"); err != nil {
		return "", err
	}
	words := strings.Fields(folded(*text))
	slices.Sort(words)
	words = slices.Compact(words)
	if n := len(words); n > MaxWords {
		return "", errs.Invalid(field, "there are %d words, the limit is %d", n, MaxWords).For(errs.TooMany).Past(n, MaxWords)
	}
	return Words(strings.Join(words, " ")), nil
}

// In reports whether all words occur in a comment.
func (w Words) In(c *Comment) bool {
	if w == "" {
		return true
	}
	text := folded(c.Title + "\n" + c.Text + "\n" + c.Author)
	for word := range strings.SplitSeq(string(w), " ") {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// folded returns a text without case, diacritics, invisible characters and compatibility
// distinctions.
func folded(text string) string {
	isOther := func(r rune) bool { return r >= utf8.RuneSelf }
	if strings.ContainsFunc(text, isOther) {
		text = strings.Map(func(r rune) rune {
			if isOther(r) && unicode.In(r, unicode.Mn, unicode.Cf) {
				return -1
			}
			return r
		}, norm.NFKD.String(text))
	}
	if strings.ContainsFunc(text, isOther) {
		return cases.Fold().String(text)
	}
	return strings.ToLower(text) // the same, and faster
}
