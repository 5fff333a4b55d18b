package resolvers

import (
	"context"
	"errors"

	"product-comments/graph"
	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/cursor"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/plan"
)

func (r product) Comments(ctx context.Context, of *model.Product, language *string, ratings []int, first *int, after *string, last *int, before *string) (model.CommentConnection, error) {
	f, err := parseFilter(of.ProductID, language, ratings)
	if err != nil {
		return model.CommentConnection{}, err
	}
	w, err := r.parseWindow(f, first, after, last, before)
	if err != nil {
		return model.CommentConnection{}, err
	}
	page, err := r.Store.Page(ctx, f, w)
	if err != nil {
		return model.CommentConnection{}, err
	}
	connection := model.NewCommentConnection(page, r.cursorOf(f))
	loadTexts(ctx, connection)
	return *connection, nil
}

func parseFilter(productID string, language *string, ratings []int) (plan.Filter, error) {
	f := plan.Filter{ProductID: productID}
	var err error
	if language != nil {
		if f.Language, err = store.CanonicalLanguage("language", *language); err != nil {
			return f, err
		}
	}
	f.Ratings, err = store.ValidateRatings("ratings", ratings)
	return f, err
}

// parseWindow reads the arguments of a connection as Relay's specification
// defines them.
func (r *Resolver) parseWindow(f plan.Filter, first *int, after *string, last *int, before *string) (w store.Window, err error) {
	if first != nil && last != nil {
		return w, errs.Invalid("last", "give first or last, not both")
	}
	w.Limit = graph.PageSize
	if first != nil {
		w.Limit, err = parseCount("first", *first)
	}
	if last != nil {
		w.Backward = true
		w.Limit, err = parseCount("last", *last)
	}
	if err != nil {
		return w, err
	}
	if w.After, err = r.parseCursor("after", f, after); err != nil {
		return w, err
	}
	w.Before, err = r.parseCursor("before", f, before)
	return w, err
}

func parseCount(field string, n int) (int, error) {
	if n < 0 {
		return 0, errs.Invalid(field, "%d is negative", n)
	}
	if n > graph.MaxPageSize {
		return 0, errs.Invalid(field, "%d is too many, the limit is %d", n, graph.MaxPageSize)
	}
	return n, nil
}

func (r *Resolver) parseCursor(field string, f plan.Filter, token *string) (*key.Position, error) {
	if token == nil {
		return nil, nil
	}
	p, err := r.Cursors.Decode(f.Scope(), *token)
	switch {
	case errors.Is(err, cursor.ErrOtherList), errors.Is(err, cursor.ErrDamaged):
		return nil, errs.Invalid(field, "this is not a cursor of this list: %v", err)
	case err != nil:
		return nil, err
	}
	return &p, nil
}

func (r *Resolver) cursorOf(f plan.Filter) model.CursorOf {
	scope := f.Scope()
	return func(p key.Position) (string, error) { return r.Cursors.Encode(scope, p) }
}
