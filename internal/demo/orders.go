package demo

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"product-comments/store/orders"
)

// Visitor is the subject of who looks at the demo: some orders and comments are theirs.
const Visitor = "demo"

// people are those who ordered something, beside the visitor.
var people = []string{
	"alice", "ben", "carla", "dan", "elena", "felix", "greta", "hugo", "ines", "jonas",
	"kenji", "lea", "megan", "nuria", "oscar", "paul", "rachel", "sofia", "thais", "will",
}

// firstOrder is the day of the oldest order of the people.
var firstOrder = day(2026, time.March, 2)

// Orders returns what the visitor and the other people ordered, in all statuses. All
// are valid.
func Orders() []orders.Order {
	all := slices.Clone(told)
	for n, name := range people {
		r := newRandom(uint64(1000 + n))
		for i := range r.between(3, 8) {
			o := ordered(r)
			o.ID, o.Username = fmt.Sprintf("demo-%s-%d", name, i+1), name
			all = append(all, o)
		}
	}
	return all
}

// told are the orders that examples are about.
var told = []orders.Order{
	order("demo-1", Visitor, orders.Delivered, "7", "04-02", "04-02", "04-04", "04-07"),
	order("demo-2", Visitor, orders.Delivered, "103", "05-04", "05-05", "05-06", "05-09"),
	order("demo-3", Visitor, orders.Returned, "21", "05-11", "05-11", "05-13", "05-15", "05-26"),
	order("demo-4", Visitor, orders.Cancelled, "84", "05-20", "", "", "", "", "05-21"),
	order("demo-5", Visitor, orders.Shipped, "100", "05-28", "05-28", "05-31"),
	order("demo-6", Visitor, orders.Shipped, "13", "06-19", "06-20", "06-22"),
	order("demo-7", Visitor, orders.Paid, "101", "06-28", "06-29"),
	order("demo-8", Visitor, orders.Placed, "42", "06-30"),
	order("demo-alice-0", "alice", orders.Shipped, "13", "06-20", "06-20", "06-23"),
}

// order returns one of a single product, with the days of 2026 on which it came to each
// status, as far as they are known.
func order(id, username string, s orders.Status, product string, days ...string) orders.Order {
	o := orders.Order{ID: id, Username: username, Status: s, Lines: []orders.Line{line(product, 1)}}
	for i, d := range days {
		if d != "" {
			o.Times[i] = dayOf(d).Add(time.Duration(9+i) * time.Hour)
		}
	}
	return o
}

// dayOf returns a day of 2026, such as 04-20.
func dayOf(monthAndDay string) time.Time {
	at, err := time.Parse(time.DateOnly, "2026-"+monthAndDay)
	if err != nil {
		panic(err) // it is spelled in this package
	}
	return at
}

// line returns one of an order. A product has one price.
func line(product string, quantity int) orders.Line {
	n, _ := strconv.Atoi(product) // products are numbers here
	return orders.Line{ProductID: product, Quantity: quantity, Price: &orders.Money{Amount: fmt.Sprintf("%d.90", 29+n*7%90), Currency: "EUR"}}
}

// ordered returns an order without id and user, as far as it came until the last day.
func ordered(r random) orders.Order {
	days := int(lastDay.Sub(firstOrder).Hours()/24) + 1
	placed := moment(r, firstOrder.AddDate(0, 0, max(r.below(days), r.below(days)))) // the shop grows
	o := orders.Order{Status: progress(r, lastDay.AddDate(0, 0, 1).Sub(placed))}
	at := placed
	for s := orders.Placed; s <= o.Status; s++ {
		if o.Status == orders.Cancelled && s > orders.Paid && s < orders.Cancelled {
			continue
		}
		o.Times[s-1] = at
		at = at.Add(time.Duration(r.between(4, 40)) * time.Hour)
	}
	for _, p := range some(r, products, r.weighted(60, 30, 10)+1) {
		o.Lines = append(o.Lines, line(p.id, r.weighted(0, 85, 15)))
	}
	return o
}

// progress returns how far an order is so long after it was placed. It is long enough
// for what takes longest.
func progress(r random, since time.Duration) orders.Status {
	switch d := since.Hours() / 24; {
	case d < 2:
		return orders.Placed + orders.Status(r.weighted(70, 30))
	case d < 4:
		return orders.Placed + orders.Status(r.weighted(20, 80))
	case d < 10:
		return orders.Placed + orders.Status(r.weighted(5, 10, 85))
	default:
		return orders.Delivered + orders.Status(r.weighted(84, 9, 7))
	}
}
