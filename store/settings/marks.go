package settings

import (
	"context"

	"product-comments/store/key"
	"product-comments/store/table"
)

// SetNote stores a note under a name, and replaces the previous one.
func (s *Store) SetNote(ctx context.Context, name, state string) error {
	it := table.Key(key.Meta(name))
	it[attrState] = table.S(state)
	return s.t.Write(ctx, "note the state", table.Write{Put: it})
}

// Note returns the note that was last stored under a name, "" if there is none.
func (s *Store) Note(ctx context.Context, name string) (string, error) {
	it, err := s.t.Get(ctx, "the state", table.Key(key.Meta(name)))
	return table.Text(it, attrState), err
}
