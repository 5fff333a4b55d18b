package fastpath

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/graph/model"
	"product-comments/internal/globalid"
	"product-comments/store/item"
)

// The types that pages of comments consist of, with their plain fields. If a query selects another
// field, gqlgen executes it together with its siblings.

var product = &objectType[model.Product]{
	conditions: []string{"Product", "Node"},
	fields: map[string]compileField[model.Product]{
		"__typename": typename[model.Product]("Product"),
		"id":         value(appendID(globalid.Product), func(p model.Product) string { return p.ProductID }),
		"productId":  value(appendString, model.Product.Shown),
	},
}

var comment = &objectType[model.Comment]{
	conditions: []string{"Comment", "Node"},
	fields: withOptionals(map[string]compileField[model.Comment]{
		"__typename": typename[model.Comment]("Comment"),
		"id":         value(appendID(globalid.Comment), func(c model.Comment) string { return c.Comment.ID }),
		"commentId":  value(appendString, model.Comment.CommentID),
		"product":    object(product, func(c *model.Comment) *model.Product { return new(c.Product()) }),
		"rating":     value(appendInt, func(c model.Comment) int { return c.Rating }),
		"language":   value(appendString, func(c model.Comment) string { return c.Language }),
		"title":      optional(appendString, model.Comment.Title),
		"text":       optionalLoaded(appendString, model.Comment.Text),
		"author":     optional(appendString, model.Comment.Author),
		"state":      value(appendString, func(c model.Comment) string { return c.State.String() }),
		"reply":      object(reply, func(c *model.Comment) *item.Reply { return c.Reply }),
		"createdAt":  value(model.AppendDateTime, func(c model.Comment) time.Time { return c.CreatedAt }),
		"updatedAt":  loaded(model.AppendDateTime, model.Comment.UpdatedAt),
		"version":    loaded(appendInt, model.Comment.Version),

		"heldBy":         optional(appendCode, model.Comment.HeldBy),
		"rejectionCode":  optional(appendCode, model.Comment.RejectionCode),
		"stateReason":    optional(appendString, model.Comment.StateReason),
		"helpfulCount":   loaded(appendInt, model.Comment.HelpfulCount),
		"unhelpfulCount": loaded(appendInt, model.Comment.UnhelpfulCount),

		"viewerCanUpdate": value(strconv.AppendBool, model.Comment.ViewerCanUpdate),
		"viewerCanDelete": value(strconv.AppendBool, model.Comment.ViewerCanDelete),
		"viewerCanVote":   value(strconv.AppendBool, model.Comment.ViewerCanVote),
	}),
}

// withOptionals adds the optional members of a comment.
func withOptionals(fields map[string]compileField[model.Comment]) map[string]compileField[model.Comment] {
	for _, o := range item.Optionals {
		switch o.In(new(item.Comment)).(type) {
		case **bool:
			fields[o.Name] = optionalLoaded(strconv.AppendBool, member[bool](o))
		case **int:
			fields[o.Name] = optionalLoaded(appendInt, member[int](o))
		case **string:
			fields[o.Name] = optionalLoaded(appendString, member[string](o))
		}
	}
	return fields
}

// member returns an optional member of a comment.
func member[V any](o item.Optional) func(model.Comment) (*V, error) {
	return func(c model.Comment) (*V, error) { return *o.In(c.Comment).(**V), c.Failed(o) }
}

var reply = &objectType[item.Reply]{
	conditions: []string{"ShopReply"},
	fields: map[string]compileField[item.Reply]{
		"__typename": typename[item.Reply]("ShopReply"),
		"text":       value(appendString, func(r item.Reply) string { return r.Text }),
		"createdAt":  value(model.AppendDateTime, func(r item.Reply) time.Time { return r.CreatedAt }),
		"updatedAt":  value(model.AppendDateTime, func(r item.Reply) time.Time { return r.UpdatedAt }),
	},
}

var commentEdge = &objectType[model.CommentEdge]{
	conditions: []string{"CommentEdge"},
	fields: map[string]compileField[model.CommentEdge]{
		"__typename": typename[model.CommentEdge]("CommentEdge"),
		"cursor":     loaded(appendString, model.CommentEdge.Cursor),
		"node":       object(comment, func(e *model.CommentEdge) *model.Comment { return &e.Node }),
	},
}

var pageInfo = &objectType[model.PageInfo]{
	conditions: []string{"PageInfo"},
	fields: map[string]compileField[model.PageInfo]{
		"__typename":      typename[model.PageInfo]("PageInfo"),
		"hasNextPage":     value(strconv.AppendBool, func(p model.PageInfo) bool { return p.HasNextPage }),
		"hasPreviousPage": value(strconv.AppendBool, func(p model.PageInfo) bool { return p.HasPreviousPage }),
		"startCursor":     optionalLoaded(appendString, model.PageInfo.StartCursor),
		"endCursor":       optionalLoaded(appendString, model.PageInfo.EndCursor),
	},
}

func appendInt(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) }

func appendCode(b []byte, c item.Code) []byte { return appendString(b, string(c)) }

// appendID appends the global id of an object of a type, given its own id.
func appendID(t globalid.Kind) appendValue[string] {
	return func(b []byte, own string) []byte {
		return append(globalid.Append(append(b, '"'), t, own), '"')
	}
}

// appendValue appends the JSON of a value without selections.
type appendValue[V any] func([]byte, V) []byte

// leaf returns a field without selections.
func leaf[T any](write writeField[T]) compileField[T] {
	return func(*graphql.OperationContext, ast.SelectionSet) writeField[T] { return write }
}

// loaded returns a field whose value may be missing because of an error.
func loaded[T, V any](appendJSON appendValue[V], get func(T) (V, error)) compileField[T] {
	return leaf(func(w *writer, of *T) bool {
		v, err := get(*of)
		if err != nil {
			return w.failed(err)
		}
		w.json = appendJSON(w.json, v)
		return true
	})
}

// optionalLoaded is loaded for a nullable field; nil is null.
func optionalLoaded[T, V any](appendJSON appendValue[V], get func(T) (*V, error)) compileField[T] {
	return leaf(func(w *writer, of *T) bool {
		v, err := get(*of)
		switch {
		case err != nil:
			return w.failed(err)
		case v == nil:
			return false
		}
		w.json = appendJSON(w.json, *v)
		return true
	})
}

// value returns a field whose value is in memory.
func value[T, V any](appendJSON appendValue[V], get func(T) V) compileField[T] {
	return leaf(func(w *writer, of *T) bool {
		w.json = appendJSON(w.json, get(*of))
		return true
	})
}

// optional is value for a nullable field; nil is null.
func optional[T, V any](appendJSON appendValue[V], get func(T) *V) compileField[T] {
	return optionalLoaded(appendJSON, func(of T) (*V, error) { return get(of), nil })
}

func typename[T any](name string) compileField[T] {
	return value(appendString, func(T) string { return name })
}

// appendString appends a JSON string, escaped like gqlgen: only where JSON requires it, with
// hexadecimal digits in upper case. Invalid UTF-8 is copied.
func appendString(b []byte, s string) []byte {
	const digits = "0123456789ABCDEF"
	b = append(b, '"')
	start := 0 // of the bytes that have not been appended yet
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(append(b, s[start:i]...), '\\')
		start = i + 1
		switch c {
		case '"', '\\':
			b = append(b, c)
		case '\n':
			b = append(b, 'n')
		case '\r':
			b = append(b, 'r')
		case '\t':
			b = append(b, 't')
		default:
			b = append(b, 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	return append(append(b, s[start:]...), '"')
}

// writer collects the JSON of an intercepted field.
type writer struct {
	ctx  context.Context // of the intercepted field
	op   *graphql.OperationContext
	json []byte
	path []pathStep // from the intercepted field down to the current value
}

// pathStep is a step of an error's path: a field, or an index if field is nil.
type pathStep struct {
	field *graphql.CollectedField
	index int
}

func newWriter(ctx context.Context, op *graphql.OperationContext) *writer {
	return &writer{ctx: ctx, op: op, json: make([]byte, 0, 512), path: make([]pathStep, 0, 4)}
}

func (w *writer) enter(p pathStep) { w.path = append(w.path, p) }
func (w *writer) leave()           { w.path = w.path[:len(w.path)-1] }

// growFor reserves capacity for n more elements like the first, but at most most bytes.
func (w *writer) growFor(n int, most int64) {
	const spare = 64 // bytes for each, because the first may be shorter than the others
	w.json = slices.Grow(w.json, int(min(int64(n*(len(w.json)+spare)), most)))
}

// failed reports the error of the current field, and returns false, which is the result of its
// writeField. gqlgen takes an error's path and location from the contexts of the fields above it,
// which are created only here.
func (w *writer) failed(err error) bool {
	ctx := w.ctx
	for _, p := range w.path {
		at := &graphql.FieldContext{}
		if p.field != nil {
			at.Field = *p.field
		} else {
			at.Index = &p.index
		}
		ctx = graphql.WithFieldContext(ctx, at)
	}
	w.op.Error(ctx, graphql.AddFieldLocationToError(ctx, err))
	return false
}
