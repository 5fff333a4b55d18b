// Package purchases updates Comment.VerifiedPurchase: it is true while an order of the comment's
// owner makes its product a purchase. All methods that call the store return an Unavailable error
// if the store does not answer.
//
// A comment is written on the condition that the mark of the purchase, see package orders, has not
// changed since it was read. When the mark changes, its stream record leads to the owner's comments
// about the product, and each is updated on the same condition. Updates are idempotent, and the
// checkpoint moves once all comments are updated.
package purchases

import (
	"context"
	"math"

	"product-comments/store/comment/item"
	"product-comments/store/index/authors"
	"product-comments/store/key"
	"product-comments/store/orders"
	"product-comments/store/table"
)

// Purchases updates the purchase flags of a table's comments. It is safe for concurrent use.
type Purchases struct {
	t       *table.Table
	authors *authors.Authors
}

// New returns the purchases of a table.
func New(t *table.Table, a *authors.Authors) *Purchases { return &Purchases{t: t, authors: a} }

// Bought reports whether a user bought a product: strongly consistent, for one read unit.
func (p *Purchases) Bought(ctx context.Context, username, product string) (bool, error) {
	mark, err := p.t.Get(ctx, "a purchase", orders.MarkKey(username, product))
	if err != nil {
		return false, err
	}
	return orders.IsBought(mark)
}

// Settle sets VerifiedPurchase of a user's comments about a product, if they follow the user's
// purchases. The comments' versions do not change, since no one edited them.
func (p *Purchases) Settle(ctx context.Context, username, product string) error {
	places, _, err := p.authors.About(ctx, username, product, math.MaxInt)
	if err != nil {
		return err
	}
	return item.EachOf(ctx, p.t, item.IDsAt(places), func(it table.Item, _ *item.Stored) error {
		return p.settle(ctx, it, username, product)
	})
}

// settle is Settle for one comment's item as read.
func (p *Purchases) settle(ctx context.Context, it table.Item, username, product string) error {
	for pause := p.t.NewPause(); ; {
		if !follows(it) {
			return nil
		}
		c, err := item.Read(it, "")
		if err != nil {
			return err
		}
		if c.Owner != username || c.ProductID != product {
			return nil
		}
		bought, err := p.Bought(ctx, username, product)
		if err != nil || c.IsVerified() == bought {
			return err
		}
		err = p.t.Transact(ctx, "record a purchase", item.IfUnchanged(table.Write{
			Key: table.Primary(it), Update: "SET " + item.AttrVerified + " = :bought",
			Values: table.Item{":bought": table.Bool(bought)},
		}, it), orders.IfBought(username, product, bought))
		if _, refused := table.IsRefused(err); !refused {
			return err
		}
		if err := pause.Wait(ctx); err != nil {
			return table.Failed("record a purchase", err)
		}
		if it, err = p.t.Get(ctx, "the comment", table.Primary(it)); err != nil {
			return err
		}
	}
}

// follows reports whether an item is a comment that follows its owner's purchases.
func follows(it table.Item) bool {
	_, isComment := key.CommentID(table.Text(it, key.PK))
	return isComment && table.IsTrue(it, item.AttrFollows) && !item.IsDeleted(it)
}
