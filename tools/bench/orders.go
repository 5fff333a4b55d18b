package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
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
	ordersCount = 5_000
	ordersEach  = 20  // of a person
	ordersOpen  = 50  // one in so many is open
	ordersAsked = 200 // times that each list is asked for
	scansAsked  = 3   // a scan takes long
)

// What lists of orders may cost by a scan with a filter that finds the same, in read
// units and in time.
const mostByScan = 0.05

// measureOrders measures what an order costs when it is written, and lists of orders
// beside scans of the table with a filter expression.
func measureOrders(ctx context.Context, b *bench) error {
	m := &writeMeter{Client: b.client}
	s, err := b.newTable(ctx, m, ordersTable)
	if err != nil {
		return err
	}
	if err := b.orderWrites(ctx, m, s); err != nil {
		return err
	}
	n := b.flags.of(ordersCount)
	say("orders: %d of %d people", n, n/ordersEach)
	r := rand.New(rand.NewPCG(1, 2))
	for from := 0; from < n; from += 1000 {
		batch := make([]orders.Order, 0, 1000)
		for i := from; i < min(from+1000, n); i++ {
			batch = append(batch, newOrder(r, i))
		}
		if _, err := s.ImportOrders(ctx, batch); err != nil {
			return err
		}
	}
	return b.orderLists(ctx, s, n)
}

// newOrder returns an order of three lines, of this year.
func newOrder(r *rand.Rand, i int) orders.Order {
	o := orders.Order{ID: fmt.Sprintf("order-%06d", i), Username: personOf(i), Status: orders.Placed}
	placed := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(r.IntN(180*24)) * time.Hour)
	o.Times[0] = placed
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

// writeMeter adds up the write units of everything, the indexes included.
type writeMeter struct {
	*dynamodb.Client
	mu    sync.Mutex
	units float64
}

func (m *writeMeter) add(consumed ...types.ConsumedCapacity) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range consumed {
		m.units += aws.ToFloat64(c.CapacityUnits)
	}
}

// read returns the units since the last time.
func (m *writeMeter) read() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	units := m.units
	m.units = 0
	return units
}

func (m *writeMeter) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	in.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
	out, err := m.Client.PutItem(ctx, in, o...)
	if err == nil && out.ConsumedCapacity != nil {
		m.add(*out.ConsumedCapacity)
	}
	return out, err
}

func (m *writeMeter) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	in.ReturnConsumedCapacity = types.ReturnConsumedCapacityTotal
	out, err := m.Client.TransactWriteItems(ctx, in, o...)
	if err == nil {
		m.add(out.ConsumedCapacity...)
	}
	return out, err
}

// orderWrites follows one order of three lines through its statuses.
func (b *bench) orderWrites(ctx context.Context, m *writeMeter, s *store.Store) error {
	o := newOrder(rand.New(rand.NewPCG(3, 4)), 0)
	o.ID, o.Username = "followed", "somebody"
	b.report.line("Write units of an order of three lines, of a person who is new, its indexes included:")
	b.report.columns(1, "what | write units")
	m.read()
	if _, _, err := s.RecordOrder(ctx, o); err != nil {
		return err
	}
	b.report.row("recorded | %.0f", m.read())
	for status := orders.Paid; status <= orders.Returned; status++ {
		if _, err := s.SetOrderStatus(ctx, o.ID, status, o.Times[0].Add(time.Duration(status)*time.Hour)); err != nil {
			return err
		}
		b.report.row("%s | %.0f", status, m.read())
	}
	if _, err := s.SetOrderStatus(ctx, o.ID, orders.Shipped, o.Times[0].Add(100*time.Hour)); err != nil {
		return err
	}
	b.report.row("a late message without news | %.0f", m.read())
	b.report.end()
	return nil
}

// orderLists measures lists, and scans that find the same.
func (b *bench) orderLists(ctx context.Context, s *store.Store, n int) error {
	person := personOf(n / 2)
	after := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	shipped := orders.Filter{Username: person, Status: orders.Shipped, From: after}
	of := func(f orders.Filter) func(context.Context) (int, error) {
		return func(ctx context.Context) (int, error) {
			p, err := s.OrdersOf(ctx, f, orders.Window{Limit: pageSize})
			return len(p.Items), err
		}
	}
	b.report.line("%d orders of %d people, one in %d open; pages of %d; a scan with a filter expression of all that the list has, where it can find it:", n, n/ordersEach, ordersOpen, pageSize)
	b.report.columns(1, "list | orders | read units | p50 ms | found by the scan | read units | calls | ms")
	for _, l := range []struct {
		name string
		read func(context.Context) (int, error)
		scan *dynamodb.ScanInput
	}{
		{"user.orders", of(orders.Filter{Username: person}), nil},
		{"user.orders(status: SHIPPED, shippedAfter:)", of(shipped), &dynamodb.ScanInput{
			FilterExpression: aws.String("#pk = :pk AND #at BETWEEN :from AND :to"), ExpressionAttributeNames: map[string]string{"#pk": key.PK, "#at": key.OrderStatusDate},
			ExpressionAttributeValues: table.Item{":pk": table.S(key.User(person)), ":from": table.S(key.StatusBound("SHIPPED", after)), ":to": table.S("SHIPPED$")},
		}},
		{"user.orders(shippedAfter:)", of(orders.Filter{Username: person, From: after}), nil},
		{"openOrders", func(ctx context.Context) (int, error) {
			p, err := s.OpenOrders(ctx, orders.Window{Limit: pageSize})
			return len(p.Items), err
		}, &dynamodb.ScanInput{
			FilterExpression: aws.String("begins_with(#at, :placed)"), ExpressionAttributeNames: map[string]string{"#at": key.OrderStatusDate},
			ExpressionAttributeValues: table.Item{":placed": table.S("PLACED#")},
		}},
		{"order, with its lines", func(ctx context.Context) (int, error) {
			o, err := s.Order(ctx, "order-000001")
			return len(o.Lines), err
		}, nil},
	} {
		side := &orderSide{}
		for range ordersAsked {
			if err := side.ask(ctx, l.read); err != nil {
				return fmt.Errorf("%s: %w", l.name, err)
			}
		}
		if l.scan == nil {
			b.report.row("%s | %d | %.2f | %.2f | | | |", l.name, side.found, side.units/ordersAsked, side.median())
			continue
		}
		scans := &orderSide{}
		for range scansAsked {
			if err := scans.scan(ctx, b.client, l.scan); err != nil {
				return fmt.Errorf("%s, scanned: %w", l.name, err)
			}
		}
		b.report.row("%s | %d | %.2f | %.2f | %d | %.1f | %d | %.1f", l.name, side.found, side.units/ordersAsked, side.median(),
			scans.found, scans.units/scansAsked, scans.calls/scansAsked, scans.median())
		b.report.atMost(l.name+", read units by those of a scan", side.units/ordersAsked/(scans.units/scansAsked), mostByScan*float64(ordersCount)/float64(n))
	}
	b.report.end()
	return nil
}

// orderSide is what was measured of one way to a list.
type orderSide struct {
	found, calls int
	units        float64
	took         []time.Duration
}

// median is in milliseconds.
func (s *orderSide) median() float64 {
	sorted := slices.Sorted(slices.Values(s.took))
	return float64(sorted[len(sorted)/2].Microseconds()) / 1000
}

func (s *orderSide) ask(ctx context.Context, read func(context.Context) (int, error)) (err error) {
	ctx, meter := table.WithMeter(ctx)
	began := time.Now()
	s.found, err = read(ctx)
	s.took = append(s.took, time.Since(began))
	units, _ := meter.Read()
	s.units += units
	return err
}

// scan reads the whole table with a filter.
func (s *orderSide) scan(ctx context.Context, client *dynamodb.Client, how *dynamodb.ScanInput) error {
	in := *how
	in.TableName, in.ReturnConsumedCapacity = aws.String(ordersTable), types.ReturnConsumedCapacityTotal
	began := time.Now()
	s.found = 0
	for pages := dynamodb.NewScanPaginator(client, &in); pages.HasMorePages(); s.calls++ {
		out, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		s.found += int(out.Count)
		s.units += aws.ToFloat64(out.ConsumedCapacity.CapacityUnits)
	}
	s.took = append(s.took, time.Since(began))
	return nil
}
