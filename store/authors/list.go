package authors

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/list"
	"product-comments/store/table"
)

// Filter says which of somebody's comments are wanted.
type Filter struct {
	Author       string
	State        *item.State // nil for any
	From, Before time.Time   // when they were written: at the first or later, before the second; zero for any
}

// Scope spells the filter so that equal filters, and no others, have equal scopes.
func (f Filter) Scope() string {
	state := "any"
	if f.State != nil {
		state = f.State.String()
	}
	bound := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format(time.RFC3339Nano)
	}
	return fmt.Sprintf("%s\x00%s\x00%s\x00%s", f.Author, state, bound(f.From), bound(f.Before))
}

// Has tells whether a comment is wanted, however old it is.
func (f Filter) Has(c *item.Comment) bool {
	return c.Owner == f.Author && (f.State == nil || c.State == *f.State)
}

func (f Filter) states() []item.State {
	if f.State != nil {
		return []item.State{*f.State}
	}
	all := make([]item.State, item.States)
	for i := range all {
		all[i] = item.State(i)
	}
	return all
}

// Page reads the places of a window of somebody's comments, newest first: strongly
// consistent, a read unit for each state that is wanted and some thirty comments. One
// whose state changes this moment may be missing. It returns an Unavailable error if the
// store does not answer.
func (a *Authors) Page(ctx context.Context, f Filter, w list.Window[key.Position]) (list.Page[key.Position], error) {
	in := w.Range()
	states := f.states()
	parts := make([][]key.Position, len(states))
	group, ctx := errgroup.WithContext(ctx)
	for i, state := range states {
		group.Go(func() (err error) {
			parts[i], err = a.stretch(ctx, f, state.String(), in, w.Limit+1)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return list.Page[key.Position]{}, err
	}
	places := slices.Concat(parts...)
	slices.SortFunc(places, func(a, b key.Position) int {
		if in.Descending {
			a, b = b, a
		}
		return cmp.Compare(a.SortKey(), b.SortKey())
	})
	places = slices.CompactFunc(places, func(a, b key.Position) bool { return a.CommentID == b.CommentID }) // seen in two states
	return list.PageOf(w, places[:min(len(places), w.Limit+1)]), nil
}

// stretch reads places of one state, as a range of the list has them.
func (a *Authors) stretch(ctx context.Context, f Filter, state string, in list.Range[key.Position], limit int) ([]key.Position, error) {
	above, below := key.AuthoredIn(state)
	if !f.From.IsZero() {
		above = max(above, key.AuthoredAt(state, f.From))
	}
	if !f.Before.IsZero() {
		below = min(below, key.AuthoredAt(state, f.Before))
	}
	from, to := in.After, in.Until
	if in.Descending {
		from, to = to, from
	}
	if from != nil {
		above = max(above, key.Authored(state, *from))
	}
	if to != nil {
		below = min(below, key.Authored(state, *to))
	}
	if above >= below {
		return nil, nil
	}
	pk := key.User(f.Author)
	after, until := above, below
	if in.Descending {
		after, until = below, above
	}
	items, _, err := a.t.Query(ctx, table.Query{
		Partition: key.Partition{Index: key.Table, Value: pk}, Descending: in.Descending, Limit: limit, Consistent: true,
		After: map[string]string{key.PK: pk, key.SK: after}, Until: until,
	})
	if err != nil {
		return nil, err
	}
	places := make([]key.Position, len(items))
	for i, it := range items {
		var ok bool
		if _, places[i], ok = key.ParseAuthored(table.Text(it, key.SK)); !ok {
			return nil, table.Damaged(it, errs.Errorf(errs.Internal, "it is no mark of a comment"))
		}
	}
	return places, nil
}
