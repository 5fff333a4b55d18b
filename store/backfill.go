package store

import (
	"context"
	"sync/atomic"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// ScanOptions say how what reads the whole table goes about it.
type ScanOptions = table.ScanOptions

// Backfill gives comments the keys and attributes that this version writes and
// an earlier one did not, while reads and writes go on: what an index that was
// added later needs to hold them. Those that have them are passed over, so it can
// be stopped and run again. It returns how many comments it wrote, or an
// Unavailable error if the store does not answer.
func (s *Store) Backfill(ctx context.Context, o ScanOptions) (written int64, err error) {
	var wrote atomic.Int64
	ctx = table.Patiently(ctx)
	sc := s.t.NewScanner(o)
	err = sc.Run(ctx, func(ctx context.Context, it table.Item) error {
		if _, ok := key.CommentID(table.Text(it, key.PK)); !ok || item.IsDeleted(it) {
			return nil
		}
		changed, err := s.backfill(ctx, it, sc)
		if changed {
			wrote.Add(1)
		}
		return err
	})
	return wrote.Load(), err
}

// backfill completes one comment, unless it was changed since, which completes
// it too.
func (s *Store) backfill(ctx context.Context, stored table.Item, sc *table.Scanner) (wrote bool, err error) {
	c, err := item.Read(stored, "")
	if err != nil {
		return false, err
	}
	lacking := item.Lacking(&c, stored)
	if len(lacking) == 0 {
		return false, nil
	}
	if err := sc.Spend(ctx, 1); err != nil {
		return false, table.Failed("complete a comment", err)
	}
	w := table.Difference(table.Primary(stored), nil, lacking)
	err = s.t.Write(ctx, "complete a comment", item.IfUnchanged(w, stored))
	if _, changed := table.IsRefused(err); changed {
		return false, nil
	}
	return err == nil, err
}
