package packing

import (
	"context"
	"sync"

	"product-comments/store/item"
	"product-comments/store/pack"
	"product-comments/store/table"
)

// Prune removes the dictionaries that no item of the table or of its columns table uses, and
// returns their versions. It consumes at most rate capacity units a second, 0 for no limit, and
// calls progress, which may be nil, with the number of items read. It returns Conflict while
// another process may still write with the previous dictionary, or Unavailable if the store
// does not answer.
func (p *Packing) Prune(ctx context.Context, rate float64, progress func(items int64)) (pruned []int, err error) {
	ctx = table.Patiently(ctx)
	versions, err := p.settings.Prunable(ctx)
	if err != nil || len(versions) == 0 {
		return nil, err
	}
	// By clocks no process writes with these any more, but clocks differ. In the meantime every
	// process has heard of the one in use.
	if err := table.Sleep(ctx, p.settings.SpreadTime()+p.settings.SettleTime()); err != nil {
		return nil, table.Failed("wait for other writers", err)
	}
	var mu sync.Mutex
	used := map[int]bool{}
	for _, t := range []*table.Table{p.t, p.t.Columns()} {
		err := t.NewScanner(table.ScanOptions{Rate: rate, Progress: progress}).Run(ctx, func(_ context.Context, it table.Item) error {
			frame := table.Bytes(it, item.AttrFrame)
			if frame == nil {
				return nil
			}
			version, err := pack.VersionOf(string(frame))
			if err != nil {
				return table.Damaged(it, err)
			}
			mu.Lock()
			defer mu.Unlock()
			used[version] = true
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for _, version := range versions {
		if used[version] {
			continue
		}
		if err := p.settings.Prune(ctx, version); err != nil {
			return pruned, err
		}
		pruned = append(pruned, version)
	}
	return pruned, nil
}
