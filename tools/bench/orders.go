package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/orders"
	"product-comments/store/table"
)

const (
	ordersTable = "orders"
	// What a list costs does not depend on how many others there are; a scan costs
	// in proportion to them.
	ordersCount = 2_000
	ordersEach  = 200 // of a person
	ordersOpen  = 10  // one in so many is open
)

// mostByScan is what a page may cost by a scan with a filter that finds the same list.
const mostByScan = 0.03

// measureOrders measures what an order costs when it is written, what comments cost that
// follow orders, and lists of orders beside scans of the table with a filter expression.
func measureOrders(ctx context.Context, b *bench) error {
	s, pay, err := b.billed(ctx, ordersTable, store.Options{})
	if err != nil {
		return err
	}
	say("orders: writes")
	if err := b.orderWrites(ctx, s, pay); err != nil {
		return err
	}
	if err := b.purchases(ctx); err != nil {
		return err
	}
	n := b.flags.of(ordersCount)
	say("orders: %d of %d people", n, max(1, n/ordersEach))
	r := rand.New(rand.NewPCG(1, 2))
	all := make([]orders.Order, n)
	for i := range all {
		all[i] = newOrder(r, i)
	}
	for batch := range slices.Chunk(all, 1000) {
		if _, err := s.ImportOrders(ctx, batch); err != nil {
			return err
		}
	}
	say("orders: lists")
	return b.orderLists(ctx, s, pay, n)
}

// newOrder returns an order of three lines, of this year: open, or shipped, or delivered.
func newOrder(r *rand.Rand, i int) orders.Order {
	placed := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(r.IntN(180*24)) * time.Hour)
	o := orders.Order{ID: fmt.Sprintf("order-%06d", i), Username: personOf(i), Status: orders.Placed, Times: orders.Times{placed}}
	if i%ordersOpen != 0 {
		o.Status = orders.Shipped + orders.Status(r.IntN(2))
		for s := orders.Paid; s <= o.Status; s++ {
			o.Times[s-1] = placed.Add(time.Duration(s) * 20 * time.Hour)
		}
	}
	for range 3 {
		o.Lines = append(o.Lines, orders.Line{ProductID: fmt.Sprint(r.IntN(1000)), Quantity: 1 + r.IntN(3), Price: &orders.Money{Amount: "19.90", Currency: "EUR"}})
	}
	return o
}

func personOf(i int) string { return fmt.Sprintf("person-%05d", i/ordersEach) }

// orderWrites follows orders of three lines through their statuses.
func (b *bench) orderWrites(ctx context.Context, s *store.Store, pay *bill) error {
	const times = 10
	r := rand.New(rand.NewPCG(3, 4))
	all := make([]orders.Order, 2*times) // two of each person
	for i := range all {
		all[i] = newOrder(r, 0)
		all[i].ID, all[i].Username = fmt.Sprintf("followed-%d", i), fmt.Sprintf("follower-%d", i%times)
		all[i].Status, all[i].Times = orders.Placed, orders.Times{time.Date(2026, 1, 1+i/times, 0, 0, 0, 0, time.UTC)}
		for line := range all[i].Lines { // all different, so that each has a mark
			all[i].Lines[line].ProductID = fmt.Sprintf("%d-%d", i, line)
		}
	}
	record := func(from int) func(int) error {
		return func(i int) error {
			_, _, err := s.RecordOrder(ctx, all[from+i])
			return err
		}
	}
	tell := func(from int, to orders.Status) func(int) error {
		return func(i int) error {
			o := all[from+i]
			_, err := s.SetOrderStatus(ctx, o.ID, to, o.Times[0].Add(time.Duration(to)*time.Hour))
			return err
		}
	}
	b.report.line("An order of three lines, on its way:")
	b.report.steps()
	defer b.report.end()
	for _, one := range []struct {
		what string
		do   func(int) error
	}{
		{"recorded, of a person who is new", record(0)},
		{"recorded, of one who is known", record(times)},
		{"recorded once more", record(0)},
		{"PAID", tell(0, orders.Paid)},
		{"SHIPPED", tell(0, orders.Shipped)},
		{"DELIVERED", tell(0, orders.Delivered)},
		{"a late message without news", tell(0, orders.Shipped)},
		{"RETURNED", tell(0, orders.Returned)},
		{"CANCELLED when it was only placed", tell(times, orders.Cancelled)},
		{"a late message with a time that was not known", tell(times, orders.Paid)},
	} {
		if err := b.report.step(one.what, times, pay, one.do); err != nil {
			return err
		}
	}
	return nil
}

// orderLists measures lists, some beside scans that find the same.
func (b *bench) orderLists(ctx context.Context, s *store.Store, pay *bill, n int) error {
	person := personOf(0)
	march, may := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	of := func(f orders.Filter) windows {
		f.Username = person
		return func(ctx context.Context, w store.Window) (int, key.Position, bool, error) {
			p, err := s.OrdersOf(ctx, f, w)
			return pageOfOrders(p, err)
		}
	}
	withLines := func(ctx context.Context, w store.Window) (int, key.Position, bool, error) {
		p, err := s.OrdersOf(ctx, orders.Filter{Username: person}, w)
		refs := make([]orders.Ref, len(p.Items))
		for i := range p.Items {
			refs[i] = p.Items[i].Ref()
		}
		if err == nil {
			_, err = s.OrderLines(ctx, refs)
		}
		return pageOfOrders(p, err)
	}
	open := func(ctx context.Context, w store.Window) (int, key.Position, bool, error) {
		p, err := s.OpenOrders(ctx, w)
		return pageOfOrders(p, err)
	}
	b.report.line("%d orders, of %d of one person, one in %d open; pages of %d, read units of a page. A scan with a filter expression reads the whole table, and finds what the list has in all:", n, ordersEach, ordersOpen, pageSize)
	b.report.columns(2, "list | pattern | orders in all | first pages | last full pages | the scan | a page by the scan")
	for _, l := range []struct {
		name, pattern string
		read          windows
		scan          *dynamodb.ScanInput
	}{
		{"user.orders", "A2", of(orders.Filter{}), nil},
		{"user.orders, with lines", "A2", withLines, nil},
		{"user.orders(status: SHIPPED)", "A4", of(orders.Filter{Status: orders.Shipped}), nil},
		{"user.orders(status: SHIPPED, shippedAfter:)", "A6", of(orders.Filter{Status: orders.Shipped, From: march}), scanFor(
			"#pk = :pk AND #at BETWEEN :from AND :to", map[string]string{"#pk": key.PK, "#at": key.OrderStatusDate},
			table.Item{":pk": table.S(key.User(person)), ":from": table.S(key.StatusBound("SHIPPED", march)), ":to": table.S("SHIPPED$")})},
		{"user.orders(status: SHIPPED, shippedBefore:)", "A5", of(orders.Filter{Status: orders.Shipped, Before: may}), nil},
		{"user.orders(status: SHIPPED, shippedAfter:, shippedBefore:)", "A6", of(orders.Filter{Status: orders.Shipped, From: march, Before: may}), nil},
		{"user.orders(shippedAfter:)", "A6", of(orders.Filter{From: march}), nil},
		{"openOrders", "A5", open, scanFor("attribute_exists(#open)", map[string]string{"#open": key.PlacedID}, nil)},
	} {
		w, err := walk(ctx, pay, l.read)
		if err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		if l.scan == nil {
			b.report.row("%s | %s | %d | %.2f | %.2f | | |", l.name, l.pattern, w.items, w.first, w.deep)
			continue
		}
		found, units, err := scan(ctx, b.client, l.scan)
		if err == nil && found != w.items {
			err = fmt.Errorf("the list has %d orders, a scan finds %d", w.items, found)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		b.report.row("%s | %s | %d | %.2f | %.2f | %.1f | %.4f", l.name, l.pattern, w.items, w.first, w.deep, units, w.first/units)
		b.report.atMost(l.name+", read units of a page by those of a scan", w.first/units, mostByScan*float64(ordersCount)/float64(n))
	}
	for _, one := range []struct {
		name, pattern string
		read          func() error
	}{
		{"user", "A1", func() error { _, err := s.Users(ctx, []string{person}); return err }},
		{"order(id), with three lines", "A3", func() error { _, err := s.Order(ctx, "order-000001"); return err }},
	} {
		pay.take()
		if err := one.read(); err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		b.report.row("%s | %s | | %.2f | | | |", one.name, one.pattern, pay.take().read)
	}
	b.report.end()
	return nil
}

func pageOfOrders(p orders.Page, err error) (n int, last key.Position, more bool, _ error) {
	if n = len(p.Items); n > 0 {
		last = p.Place(n - 1)
	}
	return n, last, p.HasNext, err
}

func scanFor(filter string, names map[string]string, values table.Item) *dynamodb.ScanInput {
	return &dynamodb.ScanInput{
		TableName: aws.String(ordersTable), FilterExpression: &filter, ExpressionAttributeNames: names, ExpressionAttributeValues: values,
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	}
}

// scan reads the whole table with a filter, and tells how many items passed it.
func scan(ctx context.Context, client *dynamodb.Client, how *dynamodb.ScanInput) (found int, units float64, err error) {
	for pages := dynamodb.NewScanPaginator(client, how); pages.HasMorePages(); {
		out, err := pages.NextPage(ctx)
		if err != nil {
			return 0, 0, err
		}
		found += int(out.Count)
		units += aws.ToFloat64(out.ConsumedCapacity.CapacityUnits)
	}
	return found, units, nil
}
