package document

import (
	"iter"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"
)

// tokens goes through the tokens of a text up to its end, or to what is not a token, which
// the parser reports.
func tokens(source *ast.Source) iter.Seq[lexer.Token] {
	return func(yield func(lexer.Token) bool) {
		for l := lexer.New(source); ; {
			t, err := l.ReadToken()
			if err != nil || t.Kind == lexer.EOF || !yield(t) {
				return
			}
		}
	}
}

// count returns the number of those tokens.
func count(source *ast.Source) (n int) {
	for range tokens(source) {
		n++
	}
	return n
}

// notUnicode returns an error for what is not Unicode: the parser would take that for
// U+FFFD, and so texts that differ for the same.
func notUnicode(source *ast.Source) error {
	text := source.Input
	if at := notUTF8(text); at >= 0 {
		line, column := 1+strings.Count(text[:at], "\n"), 1+utf8.RuneCountInString(text[1+strings.LastIndexByte(text[:at], '\n'):at])
		return gqlerror.ErrorLocf(source.Name, line, column, "The document is not valid UTF-8")
	}
	if !surrogates.MatchString(text) {
		return nil
	}
	runes := []rune(text) // in which tokens have their places
	for t := range tokens(source) {
		if t.Kind != lexer.String {
			continue
		}
		spelled := string(runes[t.Pos.Start:t.Pos.End])
		if at := half(spelled); at >= 0 {
			column := t.Pos.Column - 1 + utf8.RuneCountInString(spelled[:at]) // the lexer's is behind the quotation mark
			return gqlerror.ErrorLocf(source.Name, t.Pos.Line, column, `The string holds half of a character, such as \ud83d: write surrogates in pairs`)
		}
	}
	return nil
}

// notUTF8 returns where a text is not UTF-8, -1 if it is.
func notUTF8(text string) int {
	for at, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[at:], string(r)) {
			return at
		}
	}
	return -1
}

var (
	surrogates = regexp.MustCompile(`\\u[dD][89a-fA-F]`)
	// escapes finds the escapes of a string in turn. It puts what is half of a pair into
	// a group.
	escapes = regexp.MustCompile(`\\u[dD][89abAB]..\\u[dD][c-fC-F]|(\\u[dD][89a-fA-F])|\\.`)
)

// half returns where a string, as it is spelled, has a surrogate without the other one of
// its pair; -1 if it has none.
func half(spelled string) int {
	for _, found := range escapes.FindAllStringSubmatchIndex(spelled, -1) {
		if found[2] >= 0 {
			return found[2]
		}
	}
	return -1
}
