package purchases

import (
	"context"

	"golang.org/x/sync/errgroup"

	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/orders"
	"product-comments/store/settings"
	"product-comments/store/table"
)

var (
	_ index.Index   = (*Purchases)(nil)
	_ index.Watcher = (*Purchases)(nil)
)

// purchase is a user's of a product.
type purchase struct{ username, product string }

// Watches is part of index.Watcher.
func (p *Purchases) Watches() []index.Prefix {
	pk, sk := key.OfAnyPurchase()
	return []index.Prefix{{PK: pk, SK: sk}}
}

// Watch is part of index.Watcher: marks that come to say something else concern the
// comments about their products.
func (p *Purchases) Watch(r index.Record) (product string, ok bool, err error) {
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

// settlers is how many purchases are settled at once.
const settlers = 8

// Flush settles purchases whose marks changed, and purchases of comments that a rebuild
// touched, since the lost records before a rebuild may have been records of marks. It adds
// nothing to the following transaction.
func (p *Purchases) Flush(ctx context.Context, _ settings.Settings,
	changes []index.Change) ([]table.Write, [][]table.Write, error) {
	settle := map[purchase]bool{} // whose marks changed
	look := map[purchase]bool{}   // whose comments come again; what they say
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
				settle[of] = true // one of both is wrong
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
	return nil, nil, group.Wait()
}

// Verifiers compares what comments say with their owners' marks: a read unit for each
// comment that follows one.
func (p *Purchases) Verifiers(now settings.Settings, share *index.Share) []index.Verifier {
	return []index.Verifier{index.Entries{
		About: "product", Subject: productOf, Of: p.wrong, Sources: index.ByID(p.t),
		Name: func(id string) string { return "the verified purchase of comment " + id },
	}.Verify(now, share)}
}

// productOf returns the product of a comment that follows its owner's purchases.
func productOf(_ table.Item, comment *item.Stored) string {
	if comment == nil || !comment.Follows {
		return ""
	}
	return comment.ProductID
}

// wrong returns what a comment should say, if it does not.
func (p *Purchases) wrong(ctx context.Context, _ settings.Settings, _ table.Item,
	comment *item.Stored) ([]index.Entry, error) {
	bought, err := p.Bought(ctx, comment.Owner, comment.ProductID)
	if err != nil || comment.VerifiedPurchase != nil && *comment.VerifiedPurchase == bought {
		return nil, err
	}
	return []index.Entry{{Unit: comment.ID, Digest: 1, N: 1}}, nil
}
