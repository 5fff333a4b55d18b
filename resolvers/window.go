package resolvers

import (
	"errors"

	"product-comments/graph"
	"product-comments/store/cursor"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/list"
)

// parseWindow reads the arguments of a connection as Relay's specification
// defines them, for a list of any kind, whose cursors are given.
func parseWindow[P key.Place](
	cursors cursor.List[P], first *int, after *string, last *int, before *string,
) (w list.Window[P], err error) {
	switch {
	case first != nil && last != nil:
		return w, errs.Invalid("last", "give first or last, not both")
	case first != nil:
		w.Limit, err = parseCount("first", *first)
	case last != nil:
		w.Backward = true
		w.Limit, err = parseCount("last", *last)
	default:
		w.Limit = graph.PageSize
	}
	if err != nil {
		return w, err
	}
	if w.After, err = parseCursor("after", cursors, after); err != nil {
		return w, err
	}
	w.Before, err = parseCursor("before", cursors, before)
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

// parseCursor returns nil, an open end, for none.
func parseCursor[P key.Place](field string, cursors cursor.List[P], token *string) (*P, error) {
	if none(token) {
		return nil, nil
	}
	at, err := cursors.Decode(*token)
	switch {
	case errors.Is(err, cursor.ErrOtherList), errors.Is(err, cursor.ErrDamaged):
		return nil, errs.Invalid(field, "this is not a cursor of this list: %v", err)
	case err != nil:
		return nil, err
	}
	return &at, nil
}
