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
	byFirst map[string][]phrase // their first word, folded
}

type phrase struct {
	words []string
	given string // it was given
}

// MaxWords is how many words and phrases can be blocked.
const MaxWords = 10_000

// maxWord is how many characters a word or phrase may have: the reason of a comment that
// waits names it.
const maxWord = 200

// byteOrder is the mark with which some editors begin a file.
const byteOrder = "\uFEFF"

// ReadWords reads one word or phrase from each line; it skips empty lines and lines that begin
// with #. It returns an error that names the line for one without any letter or digit, and if
// there are too many.
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

// Find returns the first of the words that a text has, as given; empty if it has
// none. Nil has no words.
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

// wordsOf returns the words of a text in plain form, as Unicode's annex 29 divides it, each
// in the form that is the same for all spellings of it. What annex 29 keeps together
// although it is not all of letters, such as l'ami and the end.Of a sentence without a
// space, are words of their own.
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

// forms are a text in the forms that rules look at.
type forms struct {
	visible string // without characters that no one sees and compatibility distinctions (NFKC)
	plain   string // besides without case, and without accents that make no letter with the one before
}

// formsOf returns the forms of a text; ok is false for one that would grow in them to more
// than twice its length. What accents remain are what remains of İ in lower case, and of
// letters that are struck through.
func formsOf(text string) (f forms, ok bool) {
	text = without(text, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
	if f.visible, ok = normal(text, 2*len(text)+spare); !ok {
		return forms{}, false
	}
	f.plain = without(norm.NFKC.String(cases.Fold().String(f.visible)), accents)
	return f, true
}

// spare is by how many bytes a short text may grow besides, so that a few characters that
// each stand for a phrase are as good as the phrase.
const spare = 1 << 10

// normal returns a text in NFKC; ok is false for one that has more than so many bytes then.
// One character can become eighteen, so the text is not made longer than that to see it.
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

// bounded is a text that takes no more than so many bytes.
type bounded struct {
	strings.Builder
	most int
}

var errLong = errors.New("the text is too long")

// Write is part of io.Writer.
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
