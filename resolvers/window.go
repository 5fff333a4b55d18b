package resolvers

import (
	"errors"

	"product-comments/graph"
	"product-comments/store/cursor"
	"product-comments/store/errs"
)

// window is a stretch of a list of any kind, as the store's windows are.
type window[Place any] struct {
	Limit         int
	Backward      bool
	After, Before *Place
}

// parseWindow reads the arguments of a connection as Relay's specification
// defines them. decode reads the cursors of the list named by scope.
func parseWindow[Place any](decode func(scope, token string) (Place, error), scope string, first *int, after *string, last *int, before *string) (w window[Place], err error) {
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
	if w.After, err = parseCursor("after", decode, scope, after); err != nil {
		return w, err
	}
	w.Before, err = parseCursor("before", decode, scope, before)
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

func parseCursor[Place any](field string, decode func(scope, token string) (Place, error), scope string, token *string) (*Place, error) {
	if token == nil {
		return nil, nil
	}
	p, err := decode(scope, *token)
	switch {
	case errors.Is(err, cursor.ErrOtherList), errors.Is(err, cursor.ErrDamaged):
		return nil, errs.Invalid(field, "this is not a cursor of this list: %v", err)
	case err != nil:
		return nil, err
	}
	return &p, nil
}
