package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"product-comments/store"
	"product-comments/store/orders"
)

// breaking is a store that an import of orders loses now and then.
type breaking struct {
	*store.Store
	windows int
	cancel  context.CancelFunc
}

func (s *breaking) ImportOrders(ctx context.Context, all []orders.Order) ([]store.ImportedOrder, error) {
	if s.windows++; s.windows%3 == 0 {
		return nil, errors.New("failed")
	}
	if s.windows%2 == 0 { // finished, then no more
		s.cancel()
	}
	return s.Store.ImportOrders(ctx, all)
}

// An import of orders that is stopped now and then, in both ways, ends as one that is
// not: everything is there, what is wrong is in the rejects file, and again it changes
// nothing. What is exported is what was imported.
func TestOrdersFile(t *testing.T) {
	o := place(t)
	o.window = 10
	lines := make([]string, 0, 60)
	for i := range 40 {
		lines = append(lines, fmt.Sprintf(`{"orderId":"o%02d","username":"user %d","status":"DELIVERED","placedAt":"2023-01-%02dT00:00:00Z","deliveredAt":"2023-02-01T00:00:00Z","lines":[{"productId":"p%d","quantity":1,"unitPrice":{"amount":"12.50","currency":"EUR"}}]}`, i, i%3, 1+i%28, i%5)+"\n")
	}
	content := strings.Join(lines[:20], "") + "\n{}\n" + strings.Replace(lines[3], "user 0", "another", 1) + strings.Join(lines[20:], "")
	write(t, "orders", content)
	st := newStore(t)
	resumed := 0
	for tries := 0; ; tries++ {
		ctx, cancel := context.WithCancel(t.Context())
		sum, err := ImportOrders(ctx, &breaking{st, tries, cancel}, []string{"orders"}, o)
		cancel()
		if len(sum.Files) > 0 && sum.Files[0].ResumedAfter > 0 {
			resumed++
		}
		if err == nil {
			if sum.Written != 40 || sum.Refused != 2 || sum.Lines != 43 {
				t.Errorf("%+v", sum.Counts)
			}
			break
		}
		var stop *StopError
		if !errors.As(err, &stop) || !stop.Resumes || tries > 20 {
			t.Fatal(err)
		}
	}
	if resumed == 0 {
		t.Error("it never went on where it had stopped")
	}
	if rejected := read(t, "orders.rejects.ndjson"); strings.Count(rejected, "\n") != 2 || !strings.Contains(rejected, "Order o03 is there already") || !strings.Contains(rejected, `"line":23`) {
		t.Errorf("refused: %s", rejected)
	}
	if sum, err := ImportOrders(t.Context(), st, []string{"orders"}, o); err != nil || sum.Unchanged != 40 {
		t.Errorf("again: %+v, %v", sum.Counts, err)
	}
	var exported bytes.Buffer
	if n, err := ExportOrders(t.Context(), st, store.ScanOptions{}, &exported); err != nil || n != 40 {
		t.Fatal(n, err)
	}
	if got := slices.Sorted(strings.Lines(exported.String())); !slices.Equal(got, lines) {
		t.Errorf("exported:\n%s\nwant\n%s", got, lines)
	}
}

// Of several lines about an order the first has the word, and those that contradict it are
// refused, however many orders are taken in at once.
func TestOrdersThatContradictEachOther(t *testing.T) {
	o := place(t)
	var content strings.Builder
	for i := range 60 {
		for quantity := range 3 {
			fmt.Fprintf(&content, `{"orderId":"o%02d","username":"alice","status":"PLACED","placedAt":"2023-01-01T00:00:00Z","lines":[{"productId":"42","quantity":%d}]}`+"\n", i, 1+quantity)
		}
	}
	write(t, "orders", content.String())
	st := newStore(t)
	if sum, err := ImportOrders(t.Context(), st, []string{"orders"}, o); err != nil || sum.Written != 60 || sum.Refused != 120 {
		t.Fatalf("%+v, %v", sum.Counts, err)
	}
	for i := range 60 {
		got, err := st.Orders().Get(t.Context(), fmt.Sprintf("o%02d", i))
		if err != nil || got.Lines[0].Quantity != 1 {
			t.Errorf("%v %+v, %v", &got, got.Lines, err)
		}
	}
}
