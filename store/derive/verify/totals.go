package verify

import (
	"context"
	"maps"
	"slices"

	"product-comments/store/comment/item"
	"product-comments/store/derive/index"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// totals are the sums of the scan's comments for items that count comments of all products.
type totals struct {
	pks    []string
	before map[index.Key]*index.SumItem // as they were before the scan
	sums   map[index.Key][]index.Sum    // by index
}

func (t *totals) has(at index.Key) bool { return slices.Contains(t.pks, at.PK) }

// count adds a comment of the scan to the totals, and returns the keys of all sums that it has. The
// comment is nil for another item.
func (v *verification) count(ctx context.Context, now settings.Settings, c *item.Stored, it table.Item) ([]index.Key, error) {
	if c == nil {
		return nil, nil
	}
	sums, err := v.sumsOf(ctx, now, c, it)
	v.mu.Lock()
	defer v.mu.Unlock()
	for at, of := range sums {
		for n, sum := range of {
			if sum != nil && v.totals.has(at) {
				v.add(v.totals.sums, n, index.Delta{At: at, Sum: sum})
			}
		}
	}
	return slices.Collect(maps.Keys(sums)), err
}

func (v *verification) readTotals(ctx context.Context) (map[index.Key]*index.SumItem, error) {
	all := map[index.Key]*index.SumItem{}
	for _, pk := range v.totals.pks {
		err := v.t.Each(ctx, key.Partition{Index: key.Table, Value: pk}, func(it table.Item) (err error) {
			at := index.KeyOf(it)
			all[at], err = index.SumItemOf(at, it)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// compareTotals compares the items that count comments of all products with the comments of the scan.
// It leaves out items that changed during the scan, because the scan may have missed a change. If
// other items differ, perhaps since the projector was behind, it scans once more.
func (v *verification) compareTotals(ctx context.Context, now settings.Settings) error {
	deadline := v.t.Now().Add(v.o.Patience)
	for pause := v.t.NewPause(); ; {
		after, err := v.readTotals(ctx)
		if err != nil {
			return err
		}
		differences, err := v.diffTotals(ctx, now, after)
		if err != nil {
			return err
		}
		if len(differences) == 0 || v.t.Now().After(deadline) {
			for _, d := range differences {
				v.found.add(d)
			}
			return nil
		}
		if err := pause.Wait(ctx); err != nil {
			return table.Failed("compare the counts of all products", err)
		}
		if now, err = v.settings.Read(ctx); err != nil {
			return err
		}
		v.totals.sums = map[index.Key][]index.Sum{}
		if v.totals.before, err = v.readTotals(ctx); err != nil {
			return err
		}
		scanner := v.t.NewScanner(table.ScanOptions{Rate: v.o.Rate})
		err = scanner.Run(ctx, func(ctx context.Context, it table.Item) error {
			if _, ok := key.CommentID(table.Text(it, key.PK)); !ok {
				return nil
			}
			c, err := item.Read(it, "")
			if err == nil {
				_, err = v.count(ctx, now, &c, it)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
}

func (v *verification) diffTotals(ctx context.Context, now settings.Settings, after map[index.Key]*index.SumItem) (differences []Difference, err error) {
	for at, is := range after {
		for n, x := range v.sums {
			if zero, ok := x.SumOf(is.Was); ok {
				v.add(v.totals.sums, n, index.Delta{At: at, Sum: zero.Sum})
			}
		}
	}
	for at, sums := range v.totals.sums {
		is, before := after[at], v.totals.before[at]
		if is == nil {
			is = &index.SumItem{At: at}
		}
		if before == nil {
			before = &index.SumItem{}
		}
		if is.Revision != before.Revision {
			continue
		}
		what, err := v.diffItem(ctx, now, is, sums)
		if err != nil {
			return nil, err
		}
		for _, what := range what {
			differences = append(differences, Difference{at.PK, at.SK + ": " + what})
		}
	}
	return differences, nil
}
