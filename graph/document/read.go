// Package document turns the text of a GraphQL document into one that can be run:
// it parses up to a limit of tokens, lets package guard count the rest, and validates.
// Documents that are sent again and again are kept, in bounded memory.
//
// Nothing here takes longer than in proportion to what package guard lets pass, and
// a request whose time is over stops it.
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
	"product-comments/internal/cache"
	"product-comments/store/errs"
)

// Options say what documents may be.
type Options struct {
	Schema *ast.Schema
	Tokens int // the most that a document may have
	Guard  guard.Limits
	// Introspection is whether clients may ask for the schema. If not, errors do
	// not help to guess names either.
	Introspection bool
}

// Reader reads documents. It is safe for concurrent use.
type Reader struct {
	options Options
	rules   []rule
	kept    *cache.Cache[string, *ast.QueryDocument]
}

// NewReader returns a reader that keeps nothing yet.
func NewReader(o Options) *Reader {
	return &Reader{options: o, rules: rulesFor(o.Introspection), kept: newKept()}
}

// Schema returns that of the documents.
func (r *Reader) Schema() *ast.Schema { return r.options.Schema }

// Cached returns the figures of the documents that are kept.
func (r *Reader) Cached() cache.Stats { return r.kept.Stats() }

// Read returns a valid document, or what is wrong with it, each with a code and a
// reason in its extensions. The document is shared and must not be changed.
func (r *Reader) Read(ctx context.Context, text string) (*ast.QueryDocument, gqlerror.List) {
	if doc, ok := r.kept.Get(text); ok {
		return doc, nil
	}
	text = strings.Clone(text) // which the parsed document refers to: it may be a part of a larger text
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
	keptBytes  = 32 << 20 // of all documents together
	keptAtMost = 365 * 24 * time.Hour
)

// tokenBytes is the most memory that a token of a text takes when it is parsed: no part of a
// document is larger than a field, whose position is a token, in a slice that may have
// grown to twice what it holds.
const tokenBytes = int(unsafe.Sizeof(ast.Field{}) + unsafe.Sizeof(lexer.Token{}) + 2*unsafe.Sizeof(ast.Selection(nil)))

// newKept returns the cache of valid documents by their texts. It prefers what is asked for
// often, so documents that are sent once, because they have values instead of variables,
// do not push out what is sent again.
func newKept() *cache.Cache[string, *ast.QueryDocument] {
	return cache.New(cache.Options[string, *ast.QueryDocument]{MaxBytes: keptBytes, Size: func(text string, _ *ast.QueryDocument) int {
		return 2*len(text) + count(&ast.Source{Input: text})*tokenBytes // the lexer copies strings that have escapes
	}})
}

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
		if at := unpairedSurrogate(spelled); at >= 0 {
			column := t.Pos.Column - 1 + utf8.RuneCountInString(spelled[:at]) // the lexer's is behind the quotation mark
			return gqlerror.ErrorLocf(source.Name, t.Pos.Line, column, `The string has an unpaired surrogate, such as \ud83d: write surrogates in pairs`)
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

// unpairedSurrogate returns where a string, as it is spelled, has a surrogate without the other one of
// its pair; -1 if it has none.
func unpairedSurrogate(spelled string) int {
	for _, found := range escapes.FindAllStringSubmatchIndex(spelled, -1) {
		if found[2] >= 0 {
			return found[2]
		}
	}
	return -1
}
