package resolvers

import (
	"context"
	"errors"

	"product-comments/graph"
	"product-comments/graph/model"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/key/cursor"
	"product-comments/store/key/list"
)

// connection parses the arguments of a connection, and returns the connection that read returns
// for the window. wrong is the error of its other arguments: then cursors are not checked, because
// they belong to a list with these arguments.
func connection[P key.Place, C any](
	ctx context.Context, r *Resolver, kind cursor.Kind[P], scope string, wrong error, in model.WindowArguments,
	read func(list.Window[P], model.CursorOf[P]) (*C, error),
) (*C, error) {
	if wrong != nil {
		in.After, in.Before = nil, nil
	}
	cursors := cursor.ListOf(r.Cursors, kind, scope)
	w, err := parseWindow(cursors, in)
	if err := errs.Join(wrong, err); err != nil {
		return nil, err
	}
	return read(w, cursors.Encode)
}

// parseWindow parses the arguments of a connection as the Relay specification defines them.
// cursors are the cursors of the list.
func parseWindow[P key.Place](cursors cursor.List[P], in model.WindowArguments) (w list.Window[P], err error) {
	switch {
	case in.First != nil && in.Last != nil:
		err = errs.Invalid("last", "give first or last, not both").For(errs.Contradiction)
	case in.First != nil:
		w.Limit, err = parseCount("first", *in.First, graph.MaxPageSize)
	case in.Last != nil:
		w.Backward = true
		w.Limit, err = parseCount("last", *in.Last, graph.MaxPageSize)
	default:
		w.Limit = graph.PageSize
	}
	var wrongAfter, wrongBefore error
	w.After, wrongAfter = parseCursor("after", cursors, in.After)
	w.Before, wrongBefore = parseCursor("before", cursors, in.Before)
	return w, errs.Join(err, wrongAfter, wrongBefore)
}

func parseCount(field string, n, most int) (int, error) {
	if bound := min(max(n, 0), most); bound != n {
		return 0, errs.Invalid(field, "%d is not from 0 to %d", n, most).For(errs.OutOfRange).Past(n, bound)
	}
	return n, nil
}

// parseCursor returns nil, an open end, for a missing cursor.
func parseCursor[P key.Place](field string, cursors cursor.List[P], token *string) (*P, error) {
	if isAbsent(token) {
		return nil, nil
	}
	at, err := cursors.Decode(*token)
	switch {
	case errors.Is(err, cursor.ErrOtherList), errors.Is(err, cursor.ErrDamaged):
		return nil, errs.Invalid(field, "it is not a cursor of this list: %v", err).For(errs.NotACursor)
	case err != nil:
		return nil, err
	}
	return &at, nil
}
