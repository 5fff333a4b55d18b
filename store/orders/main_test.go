package orders_test

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/orders"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// shop is a store with what was told to it.
type shop struct {
	*store.Store
	told map[string]*orders.Order
}

func newShop(t *testing.T) *shop {
	t.Helper()
	// Emulators take their time for a transaction of a hundred items, and none of this is about it.
	s := store.New(storetest.Client(t), storetest.TableName(t), store.Options{CallTimeout: time.Minute})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	return &shop{s, map[string]*orders.Order{}}
}

// day is a day of January 2023, or later if there are more.
func day(n int) time.Time { return time.Date(2023, 1, n, 0, 0, 0, 0, time.UTC) }

// placed is an order with a line for each of some products, placed on a day.
func placed(id, username string, n int, products ...string) orders.Order {
	o := orders.Order{ID: id, Username: username, Status: orders.Placed, Times: orders.Times{day(n)}}
	for _, p := range products {
		o.Lines = append(o.Lines, orders.Line{ProductID: p, Quantity: 1})
	}
	return o
}

func (s *shop) record(t *testing.T, o orders.Order) {
	t.Helper()
	_, _, err := s.RecordOrder(t.Context(), o)
	testkit.Need(t, err == nil, "%v", err)
	if s.told[o.ID] == nil {
		s.told[o.ID] = &o
	}
}

// set tells of a status, on a day, and compares the answer with what it should be.
func (s *shop) set(t *testing.T, id string, to orders.Status, n int) {
	t.Helper()
	got := testkit.Value(s.SetOrderStatus(t.Context(), id, to, day(n)))(t)
	o := s.tell(id, to, n)
	testkit.Need(t, got.Status == o.Status && got.Times == o.Times, "told %s of day %d: %v %v, want %v %v", to, n, &got, got.Times, o, o.Times)
}

// tell notes what a message changes, and returns the order that should result.
func (s *shop) tell(id string, to orders.Status, n int) *orders.Order {
	o := s.told[id]
	o.Status = max(o.Status, to)
	if at := &o.Times[to-1]; at.IsZero() || to != orders.Placed && day(n).Before(*at) {
		*at = day(n)
	}
	return o
}

// want returns the ids of the orders that a filter lets through, in its list's order.
func (s *shop) want(f orders.Filter) (ids []string) {
	var all []*orders.Order
	dated := !f.From.IsZero() || !f.Before.IsZero()
	for _, o := range s.told {
		shipped := o.Times.Get(orders.Shipped)
		switch {
		case o.Username != f.Username, f.Status != 0 && o.Status != f.Status, dated && shipped.IsZero(),
			!f.From.IsZero() && shipped.Before(f.From), !f.Before.IsZero() && !shipped.Before(f.Before):
			continue
		}
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b *orders.Order) int {
		if f.Status != 0 || dated {
			if c := b.Times.Get(orders.Shipped).Compare(a.Times.Get(orders.Shipped)); c != 0 {
				return c
			}
			if !a.Times.Get(orders.Shipped).IsZero() {
				return cmp.Compare(b.ID, a.ID)
			}
		}
		return cmp.Or(b.Times.Get(orders.Placed).Compare(a.Times.Get(orders.Placed)), cmp.Compare(b.ID, a.ID))
	})
	return idsOf(all)
}

// open returns the ids of all open orders, oldest first.
func (s *shop) open() []string {
	var all []*orders.Order
	for _, o := range s.told {
		if o.Status == orders.Placed {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b *orders.Order) int {
		return cmp.Or(a.Times.Get(orders.Placed).Compare(b.Times.Get(orders.Placed)), cmp.Compare(a.ID, b.ID))
	})
	return idsOf(all)
}

func idsOf(all []*orders.Order) []string {
	ids := make([]string, len(all))
	for i, o := range all {
		ids[i] = o.ID
	}
	return ids
}

// read reads one page of a list.
type read func(w orders.Window) (orders.Page, error)

func (s *shop) of(t *testing.T, f orders.Filter) read {
	return func(w orders.Window) (orders.Page, error) { return s.Orders().List(t.Context(), f, w) }
}

func (s *shop) ofAll(t *testing.T) read {
	return func(w orders.Window) (orders.Page, error) { return s.Orders().Open(t.Context(), w) }
}

// walk reads a list page by page, of some size, from either end.
func walk(t *testing.T, from read, size int, backward bool) (ids []string) {
	t.Helper()
	w := orders.Window{Limit: size, Backward: backward}
	for {
		p := testkit.Value(from(w))(t)
		page := make([]string, len(p.Items))
		for i := range p.Items {
			page[i] = p.Items[i].ID
		}
		more := p.HasNext
		if backward {
			ids, more = append(page, ids...), p.HasPrevious
		} else {
			ids = append(ids, page...)
		}
		if !more {
			return ids
		}
		testkit.Need(t, len(page) > 0, "an empty page says that more follow")
		place := p.Position(len(page) - 1)
		w.After = &place
		if backward {
			place := p.Position(0)
			w.After, w.Before = nil, &place
		}
	}
}

// wantList compares a list with what it should be, read in pages of several sizes.
func wantList(t *testing.T, what string, from read, want []string) {
	t.Helper()
	for _, size := range []int{1, 3, 100} {
		for _, backward := range []bool{false, true} {
			got := walk(t, from, size, backward)
			testkit.Check(t, slices.Equal(got, want), "%s in pages of %d, backward %t: %q, want %q", what, size, backward, got, want)
		}
	}
}

// bought returns how many orders count by a mark.
func (s *shop) bought(t *testing.T, username, product string) (n int) {
	t.Helper()
	it, err := s.Projector().Table().Get(t.Context(), "a mark", orders.MarkKey(username, product))
	testkit.Need(t, err == nil, "%v", err)
	n, err = table.Number(it, "n")
	testkit.Need(t, err == nil, "%v", err)
	is, err := orders.IsBought(it)
	testkit.Check(t, err == nil && is == (n > 0), "%d orders count: %t, %v", n, is, err)
	return n
}

// wantMarks compares the marks of people and products with the orders.
func (s *shop) wantMarks(t *testing.T) {
	t.Helper()
	want := map[[2]string]int{}
	for _, o := range s.told {
		counted := map[string]bool{}
		for _, l := range o.Lines {
			k := [2]string{o.Username, l.ProductID}
			if want[k] += 0; o.Status == orders.Delivered && !counted[l.ProductID] {
				counted[l.ProductID] = true
				want[k]++
			}
		}
	}
	for k, n := range want {
		if got := s.bought(t, k[0], k[1]); got != n {
			t.Errorf("%q bought %q by %d orders, want %d", k[0], k[1], got, n)
		}
	}
}
