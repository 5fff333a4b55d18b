package resolvers

import (
	"context"
	"math"

	"product-comments/graph"
	"product-comments/graph/globalid"
	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/key/cursor"
)

// start is the start of a page that is selected by its number or by a comment on it.
type start struct {
	offset int
	around string // id of a comment; empty for a page number
}

// parsePage returns the window, and the start that is still to be resolved; nil if there is none. A
// cursor says where the list continues, and so wins over where it starts: Relay and Apollo repeat
// page and around when they load more. without says why the list has no page numbers; it is empty
// if it has some.
func parsePage(
	in model.CommentsArguments, positions cursor.List[key.Position], starts cursor.List[key.PageStart], without string,
) (w store.Window, from *start, err error) {
	if in.Page == nil && isAbsent(in.Around) || !isAbsent(in.After) || !isAbsent(in.Before) {
		return parseAfter(in, positions, starts, without)
	}
	field := "page"
	if in.Page == nil {
		field = "around"
	}
	var wrong []error
	for other, given := range map[string]bool{
		"last": in.Last != nil, "around": field != "around" && !isAbsent(in.Around),
	} {
		if given {
			wrong = append(wrong, errs.Invalid(other, "not together with %s", field).For(errs.Contradiction))
		}
	}
	if without != "" {
		wrong = append(wrong, errs.Invalid(field, "%s", without).For(errs.Contradiction))
	}
	w.Limit = graph.PageSize
	if in.First != nil {
		w.Limit, err = parseCount("first", *in.First, graph.MaxPageSize)
		if wrong = append(wrong, err); err == nil && w.Limit == 0 {
			wrong = append(wrong, errs.Invalid("first", "0 is not from 1 to %d, as %s needs it", graph.MaxPageSize, field).For(errs.OutOfRange).Past(0, 1))
		}
	}
	from = &start{}
	if in.Page != nil {
		if bound := min(max(*in.Page, 1), math.MaxInt32); bound != *in.Page {
			wrong = append(wrong, errs.Invalid("page", "%d is not from 1 to %d", *in.Page, math.MaxInt32).For(errs.OutOfRange).Past(*in.Page, bound))
		}
		from.offset = (*in.Page - 1) * w.Limit
	} else {
		from.around, err = parseID("around", *in.Around, globalid.Comment)
		wrong = append(wrong, err)
	}
	return w, from, errs.Join(wrong...)
}

// parseAfter is parsePage without page and around: after may be the cursor of a page.
func parseAfter(
	in model.CommentsArguments, positions cursor.List[key.Position], starts cursor.List[key.PageStart], without string,
) (w store.Window, from *start, err error) {
	window := model.WindowArguments{First: in.First, After: in.After, Last: in.Last, Before: in.Before}
	var at key.PageStart
	if !isAbsent(in.After) && without == "" {
		if at, err = starts.Decode(*in.After); err == nil {
			from, window.After = &start{offset: at.Offset}, nil
		}
	}
	if w, err = parseWindow(positions, window); from != nil && in.First == nil && in.Last == nil {
		w.Limit = at.Length
	}
	return w, from, err
}

// numbered reads the page numbers of one page.
type numbered struct {
	list  store.NumberedList
	start *start // the selected page; nil for a cursor

	none   bool // the list has no such page
	known  *int // the offset, if it is known
	count  bool // the number of all is selected, or what follows from it
	facets bool // the counts are selected
}

// isSelected reports whether the query selects page numbers.
func (n *numbered) isSelected(ctx context.Context) bool {
	return n.count || n.facets || selects(ctx, "offset")
}

// begin resolves the start of the page.
func (n *numbered) begin(ctx context.Context, w *store.Window) error {
	if n.start == nil {
		return nil
	}
	offset := n.start.offset
	if n.start.around != "" {
		c, err := loadersOf(ctx).published(ctx, n.start.around)
		if err != nil {
			return err
		}
		at, ok := store.PositionOf(n.list.Filter(), c)
		if n.none = !ok; n.none {
			return nil
		}
		before, err := n.list.Before(ctx, at, false)
		if err != nil {
			return err
		}
		offset = before - before%w.Limit
	}
	if offset > 0 {
		at, ok, err := n.list.At(ctx, offset-1)
		if n.none = !ok; n.none || err != nil {
			return err
		}
		w.After = &at
	}
	n.known = &offset
	return nil
}

// read reads the numbers of a window concurrently with the page. shown waits for the page and
// returns its number of comments.
func (n *numbered) read(ctx context.Context, w store.Window, shown func() (int, error)) *model.Numbers {
	out := &model.Numbers{Length: w.Limit}
	astray, toEnd := n.none && n.start.around != "", w.Backward && w.Before == nil
	if n.facets {
		if out.Counts, out.Err = n.list.Counts(ctx); out.Err != nil {
			return out
		}
	}
	if n.count || toEnd || n.none && !astray {
		if out.Count, out.Err = n.list.Count(ctx); out.Err != nil {
			return out
		}
	}
	offset := 0
	switch {
	case astray:
		return out
	case n.none || toEnd:
		offset = out.Count
	case w.Backward:
		offset, out.Err = n.list.Before(ctx, *w.Before, false)
	case n.known != nil:
		offset = *n.known
	case w.After != nil:
		offset, out.Err = n.list.Before(ctx, *w.After, true)
	}
	if w.Backward && out.Err == nil {
		items, err := shown()
		if err != nil { // the page reports it
			return out
		}
		offset = max(0, offset-items)
	}
	if out.Err == nil {
		out.Offset = &offset
	}
	return out
}
