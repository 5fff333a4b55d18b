package demo

import (
	"context"
	"fmt"
	"time"

	"product-comments/store"
	"product-comments/store/orders"
	"product-comments/store/orders/requests"
)

// RequestAfter is how long after a delivery the demo asks for reviews.
const RequestAfter = 14 * 24 * time.Hour

// guests are buyers without an account, whose orders were delivered so long ago that they are asked
// within the first minute.
var guests = []struct {
	name, language string
	after          time.Duration // since the demo was loaded
	products       []string
}{
	{"Robin", "en", 2 * time.Second, []string{"42", "7"}},
	{"Jana", "de", 20 * time.Second, []string{"13", "42", "100"}},
	{"Salma", "ar", 40 * time.Second, []string{"21"}},
}

// Deliver records the orders of guests, the first time that it is called for a table.
func Deliver(ctx context.Context, st *store.Store) error {
	now := time.Now()
	var all []orders.Order
	for n, g := range guests {
		o := orders.Order{ID: fmt.Sprintf("guest-%d", n+1), Status: orders.Delivered,
			Contact: &requests.Contact{Email: fmt.Sprintf("guest%d@example.com", n+1), Name: g.name, Language: g.language}}
		delivered := now.Add(g.after - RequestAfter)
		o.Times[orders.Placed-1], o.Times[orders.Delivered-1] = delivered.AddDate(0, 0, -3), delivered
		for _, p := range g.products {
			o.Lines = append(o.Lines, orders.Line{ProductID: p, Quantity: 1})
		}
		all = append(all, o)
	}
	_, err := st.ImportOrders(ctx, all) // they exist with other times after the first time
	return err
}
