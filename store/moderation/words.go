package moderation

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Words are blocked words and phrases.
type Words struct {
	by map[string][]phrase // their first word, folded
}

type phrase struct {
	words []string
	as    string // it was given
}

// MaxWords is how many words and phrases can be blocked.
const MaxWords = 10_000

// ReadWords reads a word or phrase a line; empty lines and those that begin with # are
// none. It returns an error that names the line for one without any letter or digit, and
// if there are too many.
func ReadWords(from io.Reader) (*Words, error) {
	w := &Words{by: map[string][]phrase{}}
	lines := bufio.NewScanner(from)
	n := 0
	for at := 1; lines.Scan(); at++ {
		as := strings.TrimSpace(lines.Text())
		if as == "" || strings.HasPrefix(as, "#") {
			continue
		}
		words := folded(as)
		if len(words) == 0 {
			return nil, fmt.Errorf("line %d: %q has no word", at, as)
		}
		if n++; n > MaxWords {
			return nil, fmt.Errorf("line %d: there are more than %d words", at, MaxWords)
		}
		w.by[words[0]] = append(w.by[words[0]], phrase{words, as})
	}
	return w, lines.Err()
}

// In returns the first of the words that a text has, as it was given; empty if it has
// none. Nil has no words.
func (w *Words) In(text string) string {
	if w == nil || text == "" {
		return ""
	}
	words := folded(text)
	for i, word := range words {
		for _, p := range w.by[word] {
			if rest := words[i:]; len(rest) >= len(p.words) && slices.Equal(rest[:len(p.words)], p.words) {
				return p.as
			}
		}
	}
	return ""
}

// folded returns the words of a text, as Unicode's annex 29 divides it, in the form that
// is the same for all spellings of a word: without compatibility distinctions (NFKC),
// case, or characters that are not seen.
func folded(text string) (words []string) {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text)
	text = norm.NFKC.String(cases.Fold().String(norm.NFKC.String(text)))
	for state := -1; text != ""; {
		var word string
		word, text, state = uniseg.FirstWordInString(text, state)
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			words = append(words, word)
		}
	}
	return words
}
