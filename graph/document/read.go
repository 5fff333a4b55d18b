// Package document reads the operations of requests: it parses and validates GraphQL documents,
// coerces variables, and limits tokens, the document's parts, and the cost of execution. Valid
// documents are cached in bounded memory.
//
// One visitor, which visits each fragment once, counts the parts of a document before validation,
// and prices the fields of an operation afterwards. All work takes time proportional to the limits.
package document

import (
	"context"
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
	"github.com/vektah/gqlparser/v2/validator/core"

	"product-comments/store/errs"
	"product-comments/store/read/cache"
)

// Options configure which operations may run.
type Options struct {
	Schema    *ast.Schema
	Limits    Limits
	Cost      int // see Measured
	Mutations int // mutation fields of an operation, with any aliases and in any fragments
	// Introspection allows introspection. Without it, errors suggest no names either.
	Introspection bool
}

// Reader reads documents. It is safe for concurrent use.
type Reader struct {
	options Options
	costs   *costs
	rules   []core.Rule
	kept    *cache.Cache[string, parsed]
}

// parsed is a valid document, and the maximum of bytes that it takes with its text.
type parsed struct {
	*ast.QueryDocument
	literals map[*ast.OperationDefinition]ast.VariableDefinitionList // see literals
	bytes    int
}

const (
	keptBytes  = 32 << 20 // of all cached documents together
	keptAtMost = 365 * 24 * time.Hour
)

// NewReader returns a reader with an empty cache. The cache prefers frequently used documents, so
// that documents that are sent once, because they contain values instead of variables, do not
// displace others.
func NewReader(o Options) *Reader {
	return &Reader{options: o, costs: readCosts(o.Schema), rules: rulesFor(o.Introspection), kept: cache.New(cache.Options[string, parsed]{
		MaxBytes: keptBytes, Size: func(_ string, p parsed) int { return p.bytes },
	})}
}

// Cached returns the statistics of the cache.
func (r *Reader) Cached() cache.Stats { return r.kept.Stats() }

// Operation is an operation of a valid document, with the variables of a request.
type Operation struct {
	Document   *ast.QueryDocument // is shared and must not be changed
	Definition *ast.OperationDefinition
	Variables  map[string]any // of their types
	Wrong      Wrong          // invalid values
	Measured
}

// Operation returns the operation of a document that has a name, with the variables that were sent
// for it, or its errors. An operation that is refused for its cost is returned, too. The name may
// be empty if the document has one operation only.
func (r *Reader) Operation(ctx context.Context, text, name string, given map[string]any) (op Operation, wrong gqlerror.List) {
	doc, wrong := r.read(ctx, text)
	if len(wrong) > 0 {
		return op, wrong
	}
	chosen, why := choose(doc.Operations, name)
	if why != nil {
		return op, refused(why)
	}
	values, invalid, wrong := coerce(r.options.Schema, chosen, doc.literals[chosen], given)
	if len(wrong) > 0 {
		return op, wrong
	}
	op = Operation{Document: doc.QueryDocument, Definition: chosen, Variables: values, Wrong: invalid}
	if why := r.measure(&op); why != nil {
		return op, refused(why)
	}
	return op, nil
}

func choose(all ast.OperationList, name string) (*ast.OperationDefinition, *errs.Error) {
	if found := all.ForName(name); found != nil {
		return found, nil
	}
	names := make([]string, len(all))
	for i, o := range all {
		names[i] = o.Name
	}
	wrong := errs.Invalid("operationName", "name one of the document's operations: %q", names)
	if name == "" {
		return nil, wrong.For(errs.Required)
	}
	return nil, wrong.For(errs.UnknownOperation)
}

// Read returns a valid document, or its errors, each with a code and a reason in its extensions. The
// document is shared and must not be changed. A new document is not read after the request's time
// has ended. A literal of the wrong type is an error of Operation alone.
func (r *Reader) Read(ctx context.Context, text string) (*ast.QueryDocument, gqlerror.List) {
	doc, wrong := r.read(ctx, text)
	return doc.QueryDocument, wrong
}

func (r *Reader) read(ctx context.Context, text string) (parsed, gqlerror.List) {
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

func (r *Reader) parse(ctx context.Context, text string) (doc parsed, wrong gqlerror.List) {
	if err := ctx.Err(); err != nil {
		return doc, gqlerror.List{gqlerror.Wrap(err)}
	}
	c := &checker{limits: r.options.Limits}
	source := &ast.Source{Input: text}
	tokens, err := c.tokens(source)
	if err == nil && c.exceeded == nil {
		doc.QueryDocument, err = parser.ParseQuery(source)
	}
	switch {
	case c.exceeded != nil:
		return doc, refused(c.exceeded)
	case err != nil:
		return doc, gqlerror.List{labelled(gqlerror.WrapIfUnwrapped(err), errcode.ParseFailed, "not_graphql")}
	case len(doc.Operations) == 0:
		return doc, gqlerror.List{labelled(gqlerror.Errorf("The document has no operation: send a query or a mutation"), errcode.ValidationFailed, "no_operation")}
	}
	doc.bytes = 2*len(text) + tokens*tokenBytes // the lexer copies strings with escapes
	if c.document(doc.QueryDocument); c.exceeded != nil {
		return doc, refused(c.exceeded)
	}
	wrong = r.validate(&doc)
	return doc, wrong
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

// tokenBytes is the maximum of memory for a token of a parsed document: no part of a document is
// larger than a field, whose position is a token, in a slice with twice the needed capacity.
const tokenBytes = int(unsafe.Sizeof(ast.Field{}) + unsafe.Sizeof(lexer.Token{}) + 2*unsafe.Sizeof(ast.Selection(nil)))

// tokens counts and checks the tokens of a text, up to its end or to an invalid token, which the
// parser reports. It returns an error for invalid Unicode: the parser would replace it by U+FFFD,
// so that different texts would become equal.
func (c *checker) tokens(source *ast.Source) (n int, err error) {
	if !utf8.ValidString(source.Input) {
		return 0, gqlerror.Errorf("The document is not valid UTF-8")
	}
	runes := []rune(source.Input) // positions of tokens count runes
	for l := lexer.New(source); ; n++ {
		t, wrong := l.ReadToken()
		if wrong != nil || t.Kind == lexer.EOF {
			c.check("tokens", n, c.limits.Tokens, "The document has %d tokens, the limit is %d")
			return n, err
		}
		switch t.Kind {
		case lexer.Name, lexer.Int, lexer.Float:
			c.check("name_length", len(t.Value), c.limits.Name, "A name or number has %d bytes, the limit is %d")
		case lexer.String:
			if err == nil && strings.ContainsRune(t.Value, utf8.RuneError) && !paired.MatchString(string(runes[t.Pos.Start:t.Pos.End])) {
				err = gqlerror.ErrorLocf("", t.Pos.Line, t.Pos.Column-1, `The string has an unpaired surrogate, such as \ud83d: write surrogates in pairs`)
			}
			fallthrough
		case lexer.BlockString:
			c.check("string_length", len(t.Value), c.limits.String, "A string has %d bytes, the limit is %d")
		}
	}
}

// paired matches string literals without unpaired surrogates.
var paired = regexp.MustCompile(`^([^\\]|\\u[dD][89abAB]..\\u[dD][c-fC-F]|\\u([^dD]|[dD][0-7])|\\[^u])*$`)
