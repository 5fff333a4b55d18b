// Package document parses and validates GraphQL documents. It limits tokens, and lets package
// guard limit everything else before validation. Valid documents are cached in bounded memory.
//
// All work takes time proportional to the limits of package guard, and stops when the request's
// time has ended.
package document

import (
	"context"
	"iter"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/lexer"
	"github.com/vektah/gqlparser/v2/parser"

	"product-comments/graph/guard"
	"product-comments/store/cache"
	"product-comments/store/errs"
)

// Options configure which documents are valid.
type Options struct {
	Schema *ast.Schema
	Tokens int // maximum of tokens in a document
	Guard  guard.Limits
	// Introspection allows introspection. Without it, errors suggest no names either.
	Introspection bool
}

// Reader reads documents. It is safe for concurrent use.
type Reader struct {
	options Options
	rules   []rule
	kept    *cache.Cache[string, *ast.QueryDocument]
}

// NewReader returns a reader with an empty cache.
func NewReader(o Options) *Reader {
	return &Reader{options: o, rules: rulesFor(o.Introspection), kept: newKept()}
}

// Schema returns the schema of the documents.
func (r *Reader) Schema() *ast.Schema { return r.options.Schema }

// Cached returns the statistics of the cache.
func (r *Reader) Cached() cache.Stats { return r.kept.Stats() }

// Read returns a valid document, or its errors, each with a code and a reason in its extensions.
// The document is shared and must not be changed.
func (r *Reader) Read(ctx context.Context, text string) (*ast.QueryDocument, gqlerror.List) {
	if doc, ok := r.kept.Get(text); ok {
		return doc, nil
	}
	text = strings.Clone(text) // the parsed document refers to the text, which may be a part of a larger one
	doc, refusals := r.parse(ctx, text)
	if len(refusals) == 0 {
		r.kept.Set(text, doc, time.Now().Add(keptAtMost))
	}
	return doc, refusals
}

func (r *Reader) parse(ctx context.Context, text string) (*ast.QueryDocument, gqlerror.List) {
	source := &ast.Source{Input: text}
	if err := notUnicode(source); err != nil {
		return nil, notGraphQL(err)
	}
	doc, err := parser.ParseQueryWithTokenLimit(source, r.options.Tokens)
	if err != nil {
		if got := count(source); got > r.options.Tokens {
			return nil, refused(errs.Exceeds("tokens", int64(got), int64(r.options.Tokens), "The document has %d tokens, the limit is %d"))
		}
		return nil, notGraphQL(err)
	}
	if len(doc.Operations) == 0 {
		return nil, gqlerror.List{labelled(gqlerror.Errorf("The document has no operation: send a query or a mutation"), errcode.ValidationFailed, "no_operation")}
	}
	if exceeded := guard.Check(doc, r.options.Guard); exceeded != nil {
		return nil, refused(exceeded)
	}
	return doc, r.validate(ctx, doc)
}

func notGraphQL(err error) gqlerror.List {
	return gqlerror.List{labelled(gqlerror.WrapIfUnwrapped(err), errcode.ParseFailed, "not_graphql")}
}

func refused(err *errs.Error) gqlerror.List { return gqlerror.List{gqlerror.Wrap(err)} }

// labelled adds a code and a reason to an error.
func labelled(err *gqlerror.Error, code, reason string) *gqlerror.Error {
	if err.Extensions == nil {
		err.Extensions = map[string]any{}
	}
	err.Extensions["code"], err.Extensions["reason"] = code, reason
	return err
}

const (
	keptBytes  = 32 << 20 // of all cached documents together
	keptAtMost = 365 * 24 * time.Hour
)

// tokenBytes is the maximum of memory for a token of a parsed document: no part of a document is
// larger than a field, whose position is a token, in a slice with twice the needed capacity.
const tokenBytes = int(unsafe.Sizeof(ast.Field{}) + unsafe.Sizeof(lexer.Token{}) + 2*unsafe.Sizeof(ast.Selection(nil)))

// newKept returns the cache of valid documents by text. It prefers frequently used entries, so
// that documents that are sent once, because they contain values instead of variables, do not
// displace others.
func newKept() *cache.Cache[string, *ast.QueryDocument] {
	return cache.New(cache.Options[string, *ast.QueryDocument]{MaxBytes: keptBytes, Size: func(text string, _ *ast.QueryDocument) int {
		return 2*len(text) + count(&ast.Source{Input: text})*tokenBytes // the lexer copies strings with escapes
	}})
}

// tokens yields the tokens of a text up to its end or to an invalid token, which the parser
// reports.
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

// count returns the number of tokens.
func count(source *ast.Source) (n int) {
	for range tokens(source) {
		n++
	}
	return n
}

// notUnicode returns an error for invalid Unicode. The parser would replace it by U+FFFD, so that
// different texts would become equal.
func notUnicode(source *ast.Source) error {
	text := source.Input
	if at := notUTF8(text); at >= 0 {
		line, column := 1+strings.Count(text[:at], "\n"),
			1+utf8.RuneCountInString(text[1+strings.LastIndexByte(text[:at], '\n'):at])
		return gqlerror.ErrorLocf(source.Name, line, column, "The document is not valid UTF-8")
	}
	if !surrogates.MatchString(text) {
		return nil
	}
	runes := []rune(text) // positions of tokens count runes
	for t := range tokens(source) {
		if t.Kind != lexer.String {
			continue
		}
		spelled := string(runes[t.Pos.Start:t.Pos.End])
		if at := unpairedSurrogate(spelled); at >= 0 {
			// The lexer's column is after the quotation mark.
			column := t.Pos.Column - 1 + utf8.RuneCountInString(spelled[:at])
			return gqlerror.ErrorLocf(source.Name, t.Pos.Line, column,
				`The string has an unpaired surrogate, such as \ud83d: write surrogates in pairs`)
		}
	}
	return nil
}

// notUTF8 returns the position of invalid UTF-8; -1 if there is none.
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
	// escapes finds the escapes of a string. An unpaired surrogate is in group 1.
	escapes = regexp.MustCompile(`\\u[dD][89abAB]..\\u[dD][c-fC-F]|(\\u[dD][89a-fA-F])|\\.`)
)

// unpairedSurrogate returns the position of an unpaired surrogate in a string literal; -1 if there
// is none.
func unpairedSurrogate(spelled string) int {
	for _, found := range escapes.FindAllStringSubmatchIndex(spelled, -1) {
		if found[2] >= 0 {
			return found[2]
		}
	}
	return -1
}
