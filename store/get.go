package store

import (
	"context"

	"product-comments/store/comment/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// MaxBatchGet is the most comments that one BatchGetItem reads.
const MaxBatchGet = table.MaxBatchGet

// Get reads a whole comment, strongly consistent, so that its author sees every edit at once. It
// returns nil if there is none.
func (s *Store) Get(ctx context.Context, id string) (*Comment, error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	it, err := s.getItem(ctx, id)
	if err != nil || it == nil {
		return nil, err
	}
	c, err := s.read(it)
	if err != nil {
		return nil, err
	}
	return &c.Comment, nil
}

// getItem returns the item of a comment, nil if there is no such comment.
func (s *Store) getItem(ctx context.Context, id string) (table.Item, error) {
	it, err := s.t.Get(ctx, "the comment", table.Key(key.Comment(id)))
	if item.IsDeleted(it) {
		return nil, err
	}
	return it, err
}

// GetMany reads whole comments by their ids, strongly consistent. The result has the order and
// length of ids, with nil for ids without a comment; ids may repeat. It returns an Unavailable
// error if not all could be read.
func (s *Store) GetMany(ctx context.Context, ids []string) ([]*Comment, error) {
	return s.GetSeen(ctx, ids, func(*Comment) bool { return true })
}

// GetSeen is GetMany for a viewer. A comment that the viewer must not see is nil and has the cost
// of a comment that does not exist.
func (s *Store) GetSeen(ctx context.Context, ids []string, sees func(*Comment) bool) ([]*Comment, error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	items, err := s.getItems(ctx, ids)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]*Comment, len(items))
	for pk, it := range items {
		if item.IsDeleted(it) {
			continue
		}
		c, err := item.Read(it, "")
		if err == nil && !sees(&c.Comment) {
			table.Unseen(ctx, it)
			continue
		}
		if err == nil {
			err = s.unpack(&c)
		}
		if err != nil {
			return nil, err
		}
		seen[pk] = &c.Comment
	}
	out := make([]*Comment, len(ids))
	for i, id := range ids {
		out[i] = seen[key.Comment(id)]
	}
	return out, nil
}

// getItems returns, by partition key, the items of the comments that exist and the tombstones
// of deleted comments.
func (s *Store) getItems(ctx context.Context, ids []string) (map[string]table.Item, error) {
	wanted := make([]table.Item, 0, len(ids))
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		if pk := key.Comment(id); !seen[pk] {
			seen[pk] = true
			wanted = append(wanted, table.Key(pk))
		}
	}
	found := make(map[string]table.Item, len(wanted))
	err := s.t.GetMany(ctx, wanted, true, func(it table.Item) error {
		found[table.Text(it, key.PK)] = it
		return nil
	})
	return found, err
}

// read returns the comment of an item, with author, title and text decompressed.
func (s *Store) read(it table.Item) (item.Stored, error) {
	c, err := item.Read(it, "")
	if err != nil {
		return c, err
	}
	return c, s.unpack(&c)
}
