package orders_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/orders"
	"product-comments/store/table"
)

// The questions of a shop about orders, each answered by key conditions alone.
func TestAccessPatterns(t *testing.T) {
	s := newShop(t)
	first := placed("o1", "alex", 2, "p1", "p2")
	first.Lines[1] = orders.Line{ProductID: "p2", Quantity: 3, Price: &orders.Money{Amount: "12.50", Currency: "VES"}} // a currency of 2018
	s.record(t, first)
	for n, id := range []string{"o2", "o3", "o4", "o5", "o6"} {
		s.record(t, placed(id, "alex", 3+n, "p1"))
	}
	s.record(t, placed("b1", "bob", 1, "p1"))
	s.record(t, placed("b2", "bob", 20, "p9"))
	s.record(t, placed("x#1/%", "al#ex/ORDER", 9, "p#1"))
	s.set(t, "o2", orders.Shipped, 20)
	s.set(t, "o3", orders.Shipped, 31)
	s.set(t, "o4", orders.Shipped, 32) // the 1st of February
	s.set(t, "o5", orders.Paid, 8)
	s.set(t, "o6", orders.Shipped, 15)
	s.set(t, "o6", orders.Delivered, 33)
	s.set(t, "b1", orders.Shipped, 20)
	ctx := t.Context()

	t.Run("A1: users are found by name", func(t *testing.T) {
		people, err := s.Orders().Users(ctx, []string{"alex", "nobody", "bob", "al#ex/ORDER"})
		testkit.Need(t, err == nil && people[1] == nil, "%v %v", people, err)
		for i, since := range map[int]time.Time{0: day(2), 2: day(1), 3: day(9)} {
			u := people[i]
			testkit.Check(t, u != nil && u.Created.Equal(since), "%+v, want one since %s", u, since)
		}
	})
	t.Run("A2: the orders of a user are listed by time", func(t *testing.T) {
		wantList(t, "alex", s.of(t, orders.Filter{Username: "alex"}), []string{"o6", "o5", "o4", "o3", "o2", "o1"})
		wantList(t, "al#ex/ORDER", s.of(t, orders.Filter{Username: "al#ex/ORDER"}), []string{"x#1/%"})
		wantList(t, "nobody", s.of(t, orders.Filter{Username: "al"}), nil)
	})
	t.Run("A3: an order has its lines", func(t *testing.T) {
		o, err := s.Orders().Get(ctx, "o1")
		if err != nil || o.Username != "alex" || o.Status != orders.Placed || !o.Times.Get(orders.Placed).Equal(day(2)) || len(o.Lines) != 2 ||
			o.Lines[0] != first.Lines[0] || o.Lines[1].Quantity != 3 || *o.Lines[1].Price != *first.Lines[1].Price {
			t.Errorf("%+v, %v", o, err)
		}
		metered, meter := table.WithMeter(ctx)
		o, err = s.Orders().Get(metered, "o1")
		testkit.Need(t, err == nil, "%v", err)
		units, trips := meter.Read()
		testkit.Check(t, units == 0.5 && trips == 1, "an order with its lines took %g read units in %d round trips", units, trips)
		_, err = s.Orders().Get(ctx, "o")
		testkit.Check(t, errs.CodeOf(err) == errs.NotFound, "an order that is not there: %v", err)
		lines, err := s.Orders().Lines(ctx, []orders.Ref{{ID: "x#1/%"}, {ID: "none"}, o.Ref()})
		testkit.Check(t, err == nil && len(lines[0]) == 1 && lines[0][0].ProductID == "p#1" && len(lines[1]) == 0 && len(lines[2]) == 2, "%v, %v", lines, err)
	})
	t.Run("A4: the orders of a user with a status are listed", func(t *testing.T) {
		wantList(t, "shipped", s.of(t, orders.Filter{Username: "alex", Status: orders.Shipped}), []string{"o4", "o3", "o2"})
		wantList(t, "paid", s.of(t, orders.Filter{Username: "alex", Status: orders.Paid}), []string{"o5"})
		wantList(t, "cancelled", s.of(t, orders.Filter{Username: "alex", Status: orders.Cancelled}), nil)
	})
	t.Run("A5: open orders are listed", func(t *testing.T) {
		wantList(t, "open", s.ofAll(t), []string{"o1", "x#1/%", "b2"})
	})
	t.Run("A5: orders shipped before a day are listed", func(t *testing.T) {
		wantList(t, "shipped in January or before", s.of(t, orders.Filter{Username: "alex", Status: orders.Shipped, Before: day(32)}), []string{"o3", "o2"})
		wantList(t, "with any status", s.of(t, orders.Filter{Username: "alex", Before: day(32)}), []string{"o3", "o2", "o6"})
	})
	t.Run("A6: orders shipped within some days are listed", func(t *testing.T) {
		wantList(t, "from the 20th to February", s.of(t, orders.Filter{Username: "alex", Status: orders.Shipped, From: day(20), Before: day(32)}), []string{"o3", "o2"})
		wantList(t, "behind the 20th", s.of(t, orders.Filter{Username: "alex", Status: orders.Shipped, From: day(20).Add(1), Before: day(32)}), []string{"o3"})
		wantList(t, "from the 31st on, with any status", s.of(t, orders.Filter{Username: "alex", From: day(31)}), []string{"o4", "o3"})
		wantList(t, "at no time", s.of(t, orders.Filter{Username: "alex", From: day(31), Before: day(31)}), nil)
		wantList(t, "placed, but shipped", s.of(t, orders.Filter{Username: "alex", Status: orders.Placed, From: day(1)}), nil)
	})
	t.Run("a repeated order changes nothing", func(t *testing.T) {
		_, did, err := s.RecordOrder(ctx, first)
		testkit.Check(t, err == nil && did == orders.Unchanged, "%d, %v", did, err)
		for what, change := range map[string]func(*orders.Order){
			"another user":  func(o *orders.Order) { o.Username = "bob" },
			"another time":  func(o *orders.Order) { o.Times[0] = day(3) },
			"another line":  func(o *orders.Order) { o.Lines[0].Quantity++ },
			"another price": func(o *orders.Order) { o.Lines[1].Price = &orders.Money{Amount: "12.5", Currency: "VES"} },
		} {
			other := first
			other.Lines = slices.Clone(first.Lines)
			change(&other)
			_, _, err := s.RecordOrder(ctx, other)
			testkit.Check(t, errs.CodeOf(err) == errs.Conflict, "%s: %v", what, err)
		}
		_, err = s.SetOrderStatus(ctx, "none", orders.Paid, day(1))
		testkit.Check(t, errs.CodeOf(err) == errs.NotFound, "a status of no order: %v", err)
	})
}

// An order that takes one write more than a transaction is refused with the limit; one
// at the limit is there in whole, with the marks of all its products.
func TestManyLines(t *testing.T) {
	s := newShop(t)
	o := placed("large", "alex", 1)
	for n := range orders.MaxLines + 1 {
		o.Lines = append(o.Lines, orders.Line{ProductID: fmt.Sprintf("p%02d", n), Quantity: 1 + n})
	}
	o.Status = orders.Delivered
	_, _, err := s.RecordOrder(t.Context(), o)
	testkit.Check(t, errs.CodeOf(err) == errs.BadUserInput && strings.Contains(err.Error(), "lines: there are 50, the limit is 49"), "%v", err)
	o.Lines = o.Lines[:orders.MaxLines]
	s.record(t, o)
	got, err := s.Orders().Get(t.Context(), "large")
	testkit.Check(t, err == nil && len(got.Lines) == orders.MaxLines && got.Lines[48].Quantity == 49, "%d lines, %v", len(got.Lines), err)
	s.wantMarks(t)
	s.set(t, "large", orders.Returned, 9)
	s.wantMarks(t)
}

// What is wrong with an order is reported at once, and nothing is written.
func TestInvalidOrders(t *testing.T) {
	s := newShop(t)
	o := placed("", key.Guest("17"), 1, "")
	o.Times[orders.Shipped-1] = day(3)
	o.Times[orders.Placed-1] = time.Time{}
	o.Lines[0].Quantity, o.Lines[0].Price = 0, &orders.Money{Amount: "1,50", Currency: "eur"}
	_, _, err := s.RecordOrder(t.Context(), o)
	for _, field := range []string{"orderId", "subject", "placedAt", "shippedAt", "lines.0.productId", "lines.0.quantity", "lines.0.unitPrice.amount", "lines.0.unitPrice.currency"} {
		testkit.Check(t, err != nil && strings.Contains(err.Error(), field+": "), "%v does not name %s", err, field)
	}
	_, err = s.SetOrderStatus(t.Context(), "", orders.Paid, time.Time{})
	testkit.Check(t, err != nil && strings.Contains(err.Error(), "orderId") && strings.Contains(err.Error(), "at: "), "%v", err)
}

// An order without a person is a guest's, whom nothing else can name; given as a list shows them, the
// guest is the same.
func TestGuests(t *testing.T) {
	s := newShop(t)
	o := placed("17", "", 1, "42")
	got, did, err := s.RecordOrder(t.Context(), o)
	testkit.Need(t, err == nil && did == orders.Made && got.Username == "guest:17", "%v, %v", &got, err)
	for _, again := range []string{"", "guest:17"} {
		o.Username = again
		_, did, err = s.RecordOrder(t.Context(), o)
		testkit.Check(t, err == nil && did == orders.Unchanged, "again by %q: %v, %v", again, did, err)
	}
	o.ID = "18"
	_, _, err = s.RecordOrder(t.Context(), o)
	testkit.Check(t, errs.CodeOf(err) == errs.BadUserInput && strings.HasPrefix(err.Error(), "subject: "), "another order's guest: %v", err)
}

// Whatever order messages come in, however often, several at once: an order ends with
// the same status, times, lists and marks.
func TestMessagesInAnyOrder(t *testing.T) {
	s := newShop(t)
	r := testkit.Random(t)
	type message struct {
		id string
		to orders.Status
		n  int
	}
	var all []message
	for n := range 12 {
		id := fmt.Sprintf("o%02d", n)
		s.record(t, placed(id, []string{"alex", "bob"}[n%2], 1+n/3, "p1", fmt.Sprintf("p%d", n%3), "p1"))
		for to := orders.Placed; to <= orders.Status(1+r.IntN(6)); to++ {
			for range 1 + r.IntN(2) {
				all = append(all, message{id, to, 5 + r.IntN(20)})
			}
		}
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })

	testkit.AtOnce(4, func(worker int) {
		for i := worker; i < len(all); i += 4 {
			_, err := s.SetOrderStatus(t.Context(), all[i].id, all[i].to, day(all[i].n))
			testkit.Check(t, err == nil, "%v", err)
		}
	})
	for _, m := range all { // once more, none is news
		s.tell(m.id, m.to, m.n)
	}
	for _, m := range all {
		s.set(t, m.id, m.to, m.n)
	}
	s.wantMarks(t)
	wantList(t, "open", s.ofAll(t), s.open())
	for status := range orders.Cancelled + 1 {
		f := orders.Filter{Username: []string{"alex", "bob"}[status%2], Status: status}
		wantList(t, fmt.Sprintf("%s %s", f.Username, status), s.of(t, f), s.want(f))
	}
}

// Ranges of shipping dates have what lies in them: from their first moment on, without
// the last, at every border.
func TestRanges(t *testing.T) {
	s := newShop(t)
	r := testkit.Random(t)
	for n := range 20 {
		id := fmt.Sprintf("o%02d", r.IntN(1000)*100+n)
		s.record(t, placed(id, "alex", 1+r.IntN(5), "p"))
		if to := orders.Status(1 + r.IntN(6)); to > orders.Placed {
			if to == orders.Shipped || r.IntN(2) == 0 && to > orders.Shipped {
				s.set(t, id, orders.Shipped, 6+r.IntN(6))
			}
			s.set(t, id, to, 12+r.IntN(3))
		}
	}
	for range 20 {
		f := orders.Filter{Username: "alex", Status: orders.Status(r.IntN(7))}
		if r.IntN(4) > 0 {
			f.From = border(r)
		}
		if r.IntN(4) > 0 {
			f.Before = border(r)
		}
		want := s.want(f)
		size := 1 + r.IntN(5)
		for _, backward := range []bool{false, true} {
			got := walk(t, s.of(t, f), size, backward)
			testkit.Check(t, slices.Equal(got, want), "%s from %s before %s, pages of %d, backward %t: %q, want %q", f.Status, f.From, f.Before, size, backward, got, want)
		}
	}
}

// border is a moment when orders were shipped, or next to one.
func border(r *rand.Rand) time.Time {
	return day(5 + r.IntN(8)).Add(time.Duration(r.IntN(3) - 1))
}

// While orders are placed and leave, the list of open ones shows each at most once, all
// that stay, and none that had left before.
func TestOpenOrdersWhileTheyChange(t *testing.T) {
	s := newShop(t)
	var stay []string
	for n := range 24 {
		id := fmt.Sprintf("s%02d", n)
		s.record(t, placed(id, "alex", 1+n, "p"))
		if n%3 == 0 {
			s.set(t, id, orders.Paid, 30) // gone before
		} else if n%3 == 1 {
			stay = append(stay, id)
		}
	}
	var group sync.WaitGroup
	group.Go(func() {
		for n := range 24 {
			if n%3 == 2 {
				_, err := s.SetOrderStatus(t.Context(), fmt.Sprintf("s%02d", n), orders.Cancelled, day(30))
				testkit.Check(t, err == nil, "%v", err)
			}
			_, _, err := s.RecordOrder(t.Context(), placed(fmt.Sprintf("t%02d", n), "bob", 1+n, "p"))
			testkit.Check(t, err == nil, "%v", err)
		}
	})
	for _, backward := range []bool{false, true, false} {
		got := walk(t, s.ofAll(t), 3, backward)
		seen := slices.Compact(slices.Sorted(slices.Values(got)))
		testkit.Check(t, len(seen) == len(got), "an order twice: %q", got)
		i := 0
		for _, id := range got {
			switch {
			case i < len(stay) && id == stay[i]:
				i++
			case id[0] == 's' && slices.Contains(stay, id):
				t.Errorf("%s out of order: %q", id, got)
			case id[0] == 's' && id[1:] < "24" && (int(id[1]-'0')*10+int(id[2]-'0'))%3 == 0:
				t.Errorf("%s had left: %q", id, got)
			}
		}
		testkit.Check(t, i >= len(stay), "%s are missing: %q", stay[i:], got)
	}
	group.Wait()
}
