package moderation

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Words are blocked words and phrases.
type Words struct {
	byFirst map[string][]phrase // by their first word, folded
}

type phrase struct {
	words []string
	given string // the original spelling
}

// MaxWords is the maximum number of blocked words and phrases.
const MaxWords = 10_000

// maxWord is the maximum number of characters of a word or phrase, since the reason of a pending
// comment contains it.
const maxWord = 200

// byteOrder is the byte order mark, with which some editors begin a file.
const byteOrder = "\uFEFF"

// ReadWords reads one word or phrase from each line. It skips empty lines and lines that begin with
// #. It returns an error with the line number for an entry without a letter or digit, and for too
// many entries.
func ReadWords(from io.Reader) (*Words, error) {
	w := &Words{byFirst: map[string][]phrase{}}
	lines := bufio.NewScanner(from)
	n := 0
	for at := 1; lines.Scan(); at++ {
		as := strings.TrimSpace(strings.TrimPrefix(lines.Text(), byteOrder))
		if as == "" || strings.HasPrefix(as, "#") {
			continue
		}
		if n := utf8.RuneCountInString(as); n > maxWord {
			return nil, fmt.Errorf("line %d: it has %d characters, the limit is %d", at, n, maxWord)
		}
		f, _ := formsOf(as)
		words := wordsOf(f.plain)
		if len(words) == 0 {
			return nil, fmt.Errorf("line %d: %q has no word", at, as)
		}
		if n++; n > MaxWords {
			return nil, fmt.Errorf("line %d: there are more than %d words", at, MaxWords)
		}
		w.byFirst[words[0]] = append(w.byFirst[words[0]], phrase{words, as})
	}
	return w, lines.Err()
}

// Find returns the first blocked word in a text, in its original spelling, empty for none. A nil
// Words blocks nothing.
func (w *Words) Find(text string) string {
	f, _ := formsOf(text)
	return w.findPlain(f.plain)
}

// findPlain is Find for a text in its plain form.
func (w *Words) findPlain(plain string) string {
	if w == nil || plain == "" {
		return ""
	}
	words := wordsOf(plain)
	for i, word := range words {
		for _, p := range w.byFirst[word] {
			if rest := words[i:]; len(rest) >= len(p.words) && slices.Equal(rest[:len(p.words)], p.words) {
				return p.given
			}
		}
	}
	return ""
}

// wordsOf returns the words of a text in plain form, divided by Unicode's annex 29, each in the
// common form of all its spellings. If annex 29 keeps parts together that are not only letters,
// such as l'ami or the end.Of of two sentences without a space, each part is a word.
func wordsOf(text string) (words []string) {
	for state := -1; text != ""; {
		var word string
		word, text, state = uniseg.FirstWordInString(text, state)
		for _, part := range strings.FieldsFunc(word, func(r rune) bool { return !isOfWord(r) && !unicode.IsMark(r) }) {
			if strings.ContainsFunc(part, isOfWord) {
				words = append(words, part)
			}
		}
	}
	return words
}

func isOfWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// forms are the forms of a text that rules examine.
type forms struct {
	visible string // without invisible characters and compatibility distinctions (NFKC)
	plain   string // also without case, and without accents that do not combine with the letter before
}

// formsOf returns the forms of a text; ok is false if a form would be more than twice as long as
// the text. The remaining accents are from İ in lower case and from letters that are struck
// through.
func formsOf(text string) (f forms, ok bool) {
	text = without(text, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
	if f.visible, ok = normal(text, 2*len(text)+spare); !ok {
		return forms{}, false
	}
	f.plain = without(norm.NFKC.String(cases.Fold().String(f.visible)), accents)
	return f, true
}

// spare is the number of additional bytes that a short text may grow by: a few characters may
// each be an abbreviation of a whole phrase.
const spare = 1 << 10

// normal returns a text in NFKC; ok is false if it is longer than most bytes. One character can
// become eighteen, so normal stops at the limit.
func normal(text string, most int) (out string, ok bool) {
	if norm.NFKC.IsNormalString(text) {
		return text, true
	}
	b := &bounded{most: most}
	w := norm.NFKC.Writer(b)
	if _, err := io.WriteString(w, text); err != nil {
		return "", false
	}
	if err := w.Close(); err != nil {
		return "", false
	}
	return b.String(), true
}

// bounded is a writer of a text with a maximum number of bytes.
type bounded struct {
	strings.Builder
	most int
}

var errLong = errors.New("the text is too long")

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.most {
		return 0, errLong
	}
	return b.Builder.Write(p)
}

// accents are the combining diacritical marks, which follow letters that they could not be
// composed with.
var accents = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x0300, Hi: 0x036F, Stride: 1}}}

func without(text string, those ...*unicode.RangeTable) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsOneOf(those, r) {
			return -1
		}
		return r
	}, text)
}
