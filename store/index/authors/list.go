package authors

import (
	"context"
	"fmt"
	"time"

	"product-comments/store/comment/item"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/read/scan"
)

// Filter selects comments of a person.
type Filter struct {
	Author       string
	State        *item.State // nil for any
	From, Before time.Time   // creation time: at From or later, and before Before; a zero time is an open end
	Language     string      // canonical; empty for any
	item.Conditions
}

// Scope identifies the filter, for cursors: only equal filters have equal scopes.
func (f Filter) Scope() string {
	state := "any"
	if f.State != nil {
		state = f.State.String()
	}
	s := fmt.Sprintf("%s\x00%s\x00%s\x00%s", f.Author, state, key.SpellTime(f.From), key.SpellTime(f.Before))
	if f.Language != "" {
		s += "\x00l" + f.Language
	}
	return s + f.Conditions.Scope()
}

// Has reports whether the filter selects a comment, without regard to its creation time.
func (f Filter) Has(c *item.Comment) bool {
	return c.Owner == f.Author && (f.State == nil || c.State == *f.State) && (f.Language == "" || f.Language == c.Language) &&
		f.Conditions.Has(c)
}

func (f Filter) states() []item.State {
	if f.State != nil {
		return []item.State{*f.State}
	}
	return []item.State{item.Published, item.Pending, item.Rejected, item.Withdrawn}
}

// entrySize is the assumed size in bytes of an author's entry. It is twice the actual size, since
// a strongly consistent read costs twice.
const entrySize = 260

// Page reads the positions of a window of a person's comments, newest first, strongly consistent.
// It costs a read unit for each selected state and about thirty comments. It may miss a comment
// while its state changes.
func (a *Authors) Page(ctx context.Context, f Filter, w list.Window[key.Position]) (list.Page[key.Position], error) {
	var spans []key.Span
	for _, state := range f.states() {
		spans = append(spans, key.AuthoredIn(f.Author, state.String(), f.From, f.Before))
	}
	return scan.Page(ctx, a.t, true, spans, entrySize, w)
}
