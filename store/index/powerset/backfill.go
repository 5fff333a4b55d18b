package powerset

import (
	"context"
	"slices"
	"strconv"
	"time"

	"product-comments/store/comment/item"
	"product-comments/store/derive/index"
	"product-comments/store/index/counts"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// backfillOf returns the backfill that copies existing comments, and that removes the copies of
// disabled products.
func backfillOf(p *PowerSets, c *counts.Statistics) *index.Backfill {
	return &index.Backfill{
		Table: p.t, Settings: p.settings, Partition: key.PowerSetFills, In: key.Table,
		Wanted: func(now settings.Settings) bool { return len(now.PowerSets) > 0 },
		Target: func(ctx context.Context, product string) (string, error) {
			revision, err := p.revision(ctx, product)
			if err == nil && revision == 0 {
				err = changed(product)
			}
			return strconv.Itoa(revision), err
		},
		Reached: func(im *index.Image, target string) bool {
			revision, err := table.Number(im.Item, attrTouched)
			return err == nil && strconv.Itoa(revision) == target
		},
		Counted:   c.Total, // copies are written in the same transactions
		Untouched: true,    // comments projected since the product was enabled
		Touch: func(ctx context.Context, comments []*index.Image, target string) error {
			revision, err := strconv.Atoi(target)
			if err != nil {
				return err
			}
			touches := make([]table.Write, len(comments))
			for i, im := range comments {
				touches[i] = table.Write{
					Key: table.Key(key.Comment(im.ID)), Update: "SET " + attrTouched + " = :rev", If: item.NotDeleted,
					Values: table.Item{":rev": table.N(revision)},
				}
			}
			return index.Touch(ctx, p.t, touches...)
		},
		Key:     keyOfAll,
		Written: func(table.Item, string) bool { return true },
		Remove:  p.remove,
		End: func(ctx context.Context, of index.Progress, _ string, with table.Write) error {
			from, to := settings.IndexBuilding, settings.IndexReadable
			if of.Removing {
				from, to = settings.IndexDisabled, settings.IndexAbsent
			}
			_, err := p.settings.ChangeWith(ctx, func(s *settings.Settings) ([]table.Write, bool, error) {
				if is, err := p.backfill.IsCurrent(ctx, of); err != nil || !is {
					return nil, false, err
				}
				if s.PowerSets[of.Product] == from { // otherwise a rebuild has changed it
					set(s, of.Product, to)
				}
				return []table.Write{with}, true, nil
			})
			return err
		},
	}
}

// Backfill returns the backfill that makes and removes copies.
func (p *PowerSets) Backfill() *index.Backfill { return p.backfill }

// Pause implements index.Maintained.
func (p *PowerSets) Pause() time.Duration { return index.BackfillPause }

// Maintain continues the backfills.
func (p *PowerSets) Maintain(ctx context.Context) error { return p.backfill.Maintain(ctx) }

// removed is the number of comments whose copies are removed between two notes of the progress.
// together is the number of comments of one transaction, which also checks the control item.
const removed, together = 99, (table.MaxItems - 1) / copiesOfComment

// remove removes the copies of some comments of a disabled product, on the condition that it has no
// control item: so a delayed process does not remove copies that were made after the product was
// enabled again.
func (p *PowerSets) remove(ctx context.Context, product string) (comments int, err error) {
	revision, err := p.revision(ctx, product)
	if err == nil && revision > 0 {
		err = p.unkeep(ctx, product)
	}
	if err != nil {
		return 0, err
	}
	items, _, err := p.t.Query(ctx, table.Query{Partition: key.PowerSet(product, "", key.AllRatings), Limit: removed})
	if err != nil {
		return 0, err
	}
	for some := range slices.Chunk(items, together) {
		writes := []table.Write{{Key: controlKey(product), If: table.Absent}}
		for _, it := range some {
			c, err := item.Read(it, product)
			if err != nil {
				return 0, err
			}
			for _, at := range keysOf(&c) {
				writes = append(writes, table.Write{Key: at.Item(key.Table), Delete: true})
			}
		}
		err := p.t.Transact(ctx, "remove copies", writes...)
		if _, kept := table.IsRefused(err); kept {
			return 0, changed(product)
		}
		if err != nil {
			return 0, err
		}
	}
	return len(items), nil
}

// unkeep removes the control item of a disabled product. Afterwards no transaction can write
// copies.
func (p *PowerSets) unkeep(ctx context.Context, product string) error {
	_, err := p.settings.ChangeWith(ctx, func(s *settings.Settings) ([]table.Write, bool, error) {
		if s.PowerSets[product] != settings.IndexDisabled {
			return nil, false, changed(product)
		}
		return []table.Write{{Key: controlKey(product), Delete: true}}, true, nil
	})
	return err
}
