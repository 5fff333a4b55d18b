package store

import (
	"context"

	"product-comments/store/comment/item"
	"product-comments/store/orders"
	"product-comments/store/table"
)

// setVerifiedPurchase sets from the owner's orders whether the owner of a new comment bought the
// product. With ordered they will have: an order of theirs is not delivered yet. It leaves comments
// without an owner unchanged.
func (s *Store) setVerifiedPurchase(ctx context.Context, c *item.Stored, ordered bool) error {
	if c.Owner == "" {
		return nil
	}
	bought, err := s.purchases.Bought(ctx, c.Owner, c.ProductID)
	if err != nil {
		return err
	}
	c.VerifiedPurchase, c.Follows = new(bought || ordered), bought || !ordered
	return nil
}

// purchaseConditions returns the condition of a transaction that the owner's orders still agree
// with the comment's VerifiedPurchase.
func purchaseConditions(c *item.Stored) []table.Write {
	if !c.Follows {
		return nil
	}
	return []table.Write{orders.IfBought(c.Owner, c.ProductID, c.IsVerified())}
}

// keepVerifiedPurchase makes a replaced comment still follow its owner's orders, unless the
// import sets another VerifiedPurchase.
func keepVerifiedPurchase(c, before *item.Stored) {
	if !before.Follows || c.ProductID != before.ProductID || c.Owner != before.Owner {
		return
	}
	if c.VerifiedPurchase == nil || *c.VerifiedPurchase == before.IsVerified() {
		c.VerifiedPurchase, c.Follows = before.VerifiedPurchase, true
	}
}
