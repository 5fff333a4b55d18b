package purchases

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"product-comments/store/comment/item"
	"product-comments/store/derive/index"
	"product-comments/store/key"
	"product-comments/store/orders"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Name implements index.Index.
func (p *Purchases) Name() string { return "verified purchases" }

// purchase identifies a user's purchase of a product.
type purchase struct{ username, product string }

// Watches implements index.ItemWatcher.
func (p *Purchases) Watches() []index.Prefix {
	pk, sk := key.OfAnyPurchase()
	return []index.Prefix{{PK: pk, SK: sk}}
}

// Product implements index.ItemWatcher: a mark that changes concerns the comments about its
// product.
func (p *Purchases) Product(r index.Record) (product string, ok bool, err error) {
	of, ok := markOf(r)
	if !ok {
		return "", false, nil
	}
	before, err := orders.IsBought(r.Before)
	if err != nil {
		return "", false, err
	}
	after, err := orders.IsBought(r.After)
	return of.product, before != after, err
}

func markOf(r index.Record) (of purchase, ok bool) {
	it := r.After
	if it == nil {
		it = r.Before
	}
	of.username, of.product, ok = key.BoughtBy(table.Text(it, key.PK), table.Text(it, key.SK))
	return of, ok
}

// settlers bounds concurrent calls of Settle.
const settlers = 8

// Watch settles purchases with changed marks. It also checks the purchases of comments that a
// rebuild touched: the records lost before the rebuild may have been records of marks.
func (p *Purchases) Watch(ctx context.Context, _ settings.Settings, changes []index.Change) error {
	settle := map[purchase]bool{} // with changed marks
	look := map[purchase]bool{}   // of touched comments; the value is the comment's VerifiedPurchase
	for _, c := range changes {
		if c.Other != nil {
			if of, ok := markOf(*c.Other); ok {
				settle[of] = true
			}
			continue
		}
		if c.Was != nil && c.Is != nil && c.Is.Follows && c.Was.Generation < c.Is.Generation {
			of := purchase{c.Is.Owner, c.Is.ProductID}
			if said, twice := look[of]; twice && said != c.Is.IsVerified() {
				settle[of] = true // one of the comments is wrong
			}
			look[of] = c.Is.IsVerified()
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(settlers)
	for of := range settle {
		group.Go(func() error { return p.Settle(ctx, of.username, of.product) })
	}
	for of, said := range look {
		if settle[of] {
			continue
		}
		group.Go(func() error {
			bought, err := p.Bought(ctx, of.username, of.product)
			if err != nil || bought == said {
				return err
			}
			return p.Settle(ctx, of.username, of.product)
		})
	}
	return group.Wait()
}

// Subject implements index.Compared: the id of a comment that follows its owner's purchases.
func (p *Purchases) Subject(_ table.Item, comment *item.Stored) string {
	if comment == nil || !comment.Follows {
		return ""
	}
	return comment.ID
}

// Diff implements index.Compared: it compares a comment's VerifiedPurchase with its owner's mark,
// for two read units.
func (p *Purchases) Diff(ctx context.Context, id string) (differences []string, err error) {
	err = item.EachOf(ctx, p.t, []string{id}, func(_ table.Item, c *item.Stored) error {
		if !c.Follows {
			return nil
		}
		bought, err := p.Bought(ctx, c.Owner, c.ProductID)
		if err == nil && (c.VerifiedPurchase == nil || *c.VerifiedPurchase != bought) {
			differences = append(differences, fmt.Sprintf("the comment does not say %t", bought))
		}
		return err
	})
	return differences, err
}
