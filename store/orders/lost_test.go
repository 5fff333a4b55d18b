package orders_test

import (
	"strings"
	"testing"

	"product-comments/store/orders"
)

// Whatever stands in names and ids, as long as they may be, orders, lines, lists, marks and
// the person are found by them, and no other's.
func TestNamesOfAnyKind(t *testing.T) {
	s := newShop(t)
	names := []string{"a", "a#b", "a/b", "a%23b", "ORDER#a", "ä€🦊", strings.Repeat("#", orders.MaxUsername), strings.Repeat("é", orders.MaxUsername/2), " a", "erased-", "erased-a"}
	for n, name := range names {
		id := name[:min(len(name), orders.MaxID)]
		s.record(t, placed(id, name, 1+n, "p#"+id, "p"))
		s.set(t, id, orders.Delivered, 30)
	}
	s.wantMarks(t)
	for _, name := range names {
		id := name[:min(len(name), orders.MaxID)]
		for _, f := range []orders.Filter{{Username: name}, {Username: name, Status: orders.Delivered}} {
			wantList(t, name, s.of(t, f), []string{id})
		}
		if o, err := s.Orders().Get(t.Context(), id); err != nil || o.Username != name || len(o.Lines) != 2 || o.Lines[0].ProductID != "p#"+id {
			t.Errorf("%v, %v", &o, err)
		}
		if s.bought(t, name, "p") != 1 {
			t.Errorf("%q bought nothing", name)
		}
	}
}
