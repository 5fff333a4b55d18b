// Package purchases lets comments follow what their authors buy: Comment.VerifiedPurchase
// is true while an order of the comment's owner makes its product their purchase.
//
// A comment is written on the condition that the mark of the purchase, see package
// orders, has not changed since that was decided. Whenever a mark says something else
// its record in the table's stream leads to the owner's comments about the product, and
// each is changed on the same condition. So whoever does that, however late or often,
// makes a comment say what is true then; and the record is not passed before all do.
package purchases

import (
	"context"

	"product-comments/store/authors"
	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/orders"
	"product-comments/store/table"
)

// Purchases are those that comments of a table follow. They are safe for concurrent use.
type Purchases struct {
	index.Idle
	t       *table.Table
	authors *authors.Authors
}

// New returns the purchases that comments of a table follow.
func New(t *table.Table, a *authors.Authors) *Purchases { return &Purchases{t: t, authors: a} }

// Of reports whether a user bought a product: strongly consistent, for one read unit. It
// returns an Unavailable error if the store does not answer.
func (p *Purchases) Of(ctx context.Context, username, product string) (bool, error) {
	mark, err := p.t.Get(ctx, "the mark of a purchase", orders.MarkKey(username, product))
	if err != nil {
		return false, err
	}
	return orders.IsBought(mark)
}

// Settle makes all comments of a user about a product that follow their purchases say
// whether they bought it. Their versions stay: no one edited them. It returns an
// Unavailable error if the store does not answer.
func (p *Purchases) Settle(ctx context.Context, username, product string) error {
	return p.authors.About(ctx, username, product, func(places []key.Position) (bool, error) {
		return true, item.EachOf(ctx, p.t, item.IDsAt(places), func(it table.Item, _ *item.Stored) error {
			return p.settle(ctx, it, username, product)
		})
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
		bought, err := p.Of(ctx, username, product)
		if err != nil || c.IsVerified() == bought {
			return err
		}
		err = p.t.Transact(ctx, "note a purchase", item.IfUnchanged(table.Write{
			Key: table.Primary(it), Update: "SET " + item.AttrVerified + " = :bought",
			Values: table.Item{":bought": table.Bool(bought)},
		}, it), orders.IfBought(username, product, bought))
		if _, refused := table.IsRefused(err); !refused {
			return err
		}
		if err := pause.Wait(ctx); err != nil {
			return table.Failed("note a purchase", err)
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
