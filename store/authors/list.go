package authors

import (
	"context"
	"fmt"
	"time"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/list"
	"product-comments/store/scan"
)

// Filter says which of a person's comments are wanted.
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

// Has reports whether a comment is wanted, however old it is.
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

// entrySize is taken for the size in bytes of an author's entry: twice what it has, since a
// strongly consistent read costs twice as much.
const entrySize = 260

// Page reads the places of a window of a person's comments, newest first: strongly
// consistent, a read unit for each state that is wanted and some thirty comments. One
// whose state changes this moment may be missing. It returns an Unavailable error if the
// store does not answer.
func (a *Authors) Page(ctx context.Context, f Filter, w list.Window[key.Position]) (list.Page[key.Position], error) {
	var spans []key.Span
	for _, state := range f.states() {
		spans = append(spans, key.AuthoredIn(f.Author, state.String(), f.From, f.Before))
	}
	return scan.Page(ctx, a.t, true, spans, entrySize, w)
}
