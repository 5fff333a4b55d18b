package orders

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"product-comments/store/comment/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Name implements index.Index.
func (o *Orders) Name() string { return "purchases" }

// Subject implements index.Compared: the user of an order, or of a mark of a purchase.
func (o *Orders) Subject(it table.Item, _ *item.Stored) string {
	pk, sk := table.Text(it, key.PK), table.Text(it, key.SK)
	_, isOrder := key.OrderID(sk)
	if _, _, isMark := key.BoughtBy(pk, sk); !isOrder && !isMark {
		return ""
	}
	username, _ := key.Username(pk)
	return username
}

// Diff implements index.Compared: it compares a user's marks with the orders, in whose transactions
// they are written.
func (o *Orders) Diff(ctx context.Context, username string) (differences []string, err error) {
	counted, bought := map[string]int{}, map[string]int{} // orders, by product
	err = o.t.Each(ctx, key.Partition{Index: key.Table, Value: key.User(username)}, func(it table.Item) error {
		pk, sk := table.Text(it, key.PK), table.Text(it, key.SK)
		if _, product, isMark := key.BoughtBy(pk, sk); isMark {
			n, err := table.Number(it, attrCount)
			counted[product] = n
			return err
		}
		if _, isOrder := key.OrderID(sk); !isOrder {
			return nil
		}
		order, err := orderOf(it)
		if err != nil || !order.Status.counts() || isErasedUser(order.Username) {
			return err
		}
		order, err = o.Whole(ctx, it)
		for _, product := range order.Products() {
			bought[product]++
		}
		return err
	})
	all := maps.Clone(counted)
	maps.Copy(all, bought)
	for _, product := range slices.Sorted(maps.Keys(all)) {
		if counted[product] != bought[product] {
			differences = append(differences, fmt.Sprintf("the mark of product %s counts %d orders, there are %d", product, counted[product], bought[product]))
		}
	}
	return differences, err
}
