package orders

import (
	"context"

	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Marks are written in the transactions of their orders, so Orders projects nothing from the
// stream.
var _ index.Index = (*Orders)(nil)

// Verifiers compares marks of purchases with orders, product by product.
func (o *Orders) Verifiers(now settings.Settings, share *index.Share) []index.Verifier {
	ofUser := func(ctx context.Context, username string, _ []string, each index.EachItem) error {
		return index.EachIn(ctx, o.t, []key.Partition{{Index: key.Table, Value: key.User(username)}}, each)
	}
	return []index.Verifier{index.Entries{
		About: "user", Kind: "marks of purchases",
		Subject: buyerOf, Of: o.purchasesOf, Sources: ofUser,
		Name: func(product string) string { return "purchases of product " + product },
	}.Verify(now, share)}
}

// buyerOf returns the user of an order or of a mark.
func buyerOf(it table.Item, _ *item.Stored) string {
	pk, sk := table.Text(it, key.PK), table.Text(it, key.SK)
	_, isOrder := key.OrderID(sk)
	if _, _, isMark := key.BoughtBy(pk, sk); !isOrder && !isMark {
		return ""
	}
	username, _ := key.Username(pk)
	return username
}

// purchasesOf returns the purchases in an order, or the purchases that a mark counts.
func (o *Orders) purchasesOf(ctx context.Context, _ settings.Settings, it table.Item,
	_ *item.Stored) (all []index.Entry, err error) {
	if _, product, isMark := key.BoughtBy(table.Text(it, key.PK), table.Text(it, key.SK)); isMark {
		n, err := table.Number(it, attrCount)
		return []index.Entry{{Unit: product, Digest: 1, N: -n}}, err
	}
	order, err := orderOf(it)
	if err != nil || !order.Status.counts() || isErasedUser(order.Username) {
		return nil, err
	}
	order, err = o.Whole(ctx, it)
	for _, product := range order.products() {
		all = append(all, index.Entry{Unit: product, Digest: 1, N: 1})
	}
	return all, err
}
