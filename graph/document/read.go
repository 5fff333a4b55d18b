// Package document turns the text of a GraphQL document into one that can be run:
// it parses up to a limit of tokens, lets package guard count the rest, and validates.
// Documents that are sent again and again are kept, in bounded memory.
//
// Nothing here takes longer than in proportion to what package guard lets pass, and
// a request whose time is over stops it.
package document

import (
	"context"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
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
		return nil, gqlerror.List{labelled(gqlerror.Errorf("The document has no operation"), errcode.ValidationFailed, "no_operation")}
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
