package store

import (
	"context"

	"product-comments/store/item"
	"product-comments/store/orders"
	"product-comments/store/table"
)

// setVerifiedPurchase lets a new comment say whether its owner bought the product, as their orders
// are now. A comment without an owner says nothing. It returns an Unavailable error if the store
// does not answer.
func (s *Store) setVerifiedPurchase(ctx context.Context, c *item.Stored) error {
	if c.Owner == "" {
		return nil
	}
	bought, err := s.purchases.Bought(ctx, c.Owner, c.ProductID)
	if err != nil {
		return err
	}
	c.VerifiedPurchase, c.Follows = &bought, true
	return nil
}

// purchaseConditions returns what of a transaction holds that the comment says what its owner's
// orders do.
func purchaseConditions(c *item.Stored) []table.Write {
	if !c.Follows {
		return nil
	}
	return []table.Write{orders.IfBought(c.Owner, c.ProductID, c.IsVerified())}
}

// keepVerifiedPurchase leaves it to a comment's orders to say whether its owner bought the product,
// if an import that replaces it says nothing else.
func keepVerifiedPurchase(c, before *item.Stored) {
	if !before.Follows || c.ProductID != before.ProductID || c.Owner != before.Owner {
		return
	}
	if c.VerifiedPurchase == nil || *c.VerifiedPurchase == before.IsVerified() {
		c.VerifiedPurchase, c.Follows = before.VerifiedPurchase, true
	}
}
