package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/orders"
)

// shelf is a store that fails, or has lost a comment between a page and its comments.
type shelf struct {
	*store.Store
	gone string
	fail error
}

func (s *shelf) GetMany(ctx context.Context, ids []string) ([]*store.Comment, error) {
	all, err := s.Store.GetMany(ctx, ids)
	for i, id := range ids {
		if id == s.gone {
			all[i] = nil
		}
	}
	return all, errors.Join(err, s.fail)
}

// Comments that were deleted or unpublished a moment ago are left out, and errors end an export.
func TestExportFails(t *testing.T) {
	s := &shelf{Store: newTable(t), gone: "voted"}
	var out bytes.Buffer
	n, err := Export(t.Context(), s, []string{"42"}, nil, &out)
	testkit.Check(t, err == nil && n == 1 && strings.Contains(out.String(), "followed"), "got %d, %v: %s", n, err, &out)
	_, err = Export(t.Context(), s, []string{"42", ""}, nil, &bytes.Buffer{})
	var coded *errs.Error
	testkit.Check(t, errors.As(err, &coded) && coded.Code == errs.BadUserInput && coded.Field == "productId", "got %v", err)
	broken := errors.New("broken pipe")
	_, err = Export(t.Context(), s, []string{"42"}, nil, &unwritable{broken})
	testkit.Check(t, errors.Is(err, broken), "got %v", err)
	s.fail = errs.Errorf(errs.Unavailable, "later")
	_, err = Export(t.Context(), s, []string{"42"}, nil, &bytes.Buffer{})
	testkit.Check(t, errs.CodeOf(err) == errs.Unavailable && strings.Contains(err.Error(), "export product 42"), "got %v", err)
}

type unwritable struct{ err error }

func (w *unwritable) Write([]byte) (int, error) { return 0, w.err }

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
		lines = append(lines, fmt.Sprintf(`{"orderId":"o%02d","subject":"user %d","status":"DELIVERED","placedAt":"2023-01-%02dT00:00:00Z","deliveredAt":"2023-02-01T00:00:00Z","lines":[{"productId":"p%d","quantity":1,"unitPrice":{"amount":"12.50","currency":"EUR"}}]}`, i, i%3, 1+i%28, i%5)+"\n")
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
			testkit.Check(t, sum.Written == 40 && sum.Refused == 2 && sum.Lines == 43, "%+v", sum.Counts)
			break
		}
		var stop *StopError
		testkit.Need(t, errors.As(err, &stop) && stop.Resumes && tries <= 20, "%v", err)
	}
	testkit.Check(t, resumed != 0, "it never went on where it had stopped")
	rejected := read(t, "orders.rejects.ndjson")
	testkit.Check(t, strings.Count(rejected, "\n") == 2 && strings.Contains(rejected, "Order o03 exists with") && strings.Contains(rejected, `"line":23`), "refused: %s", rejected)
	sum, err := ImportOrders(t.Context(), st, []string{"orders"}, o)
	testkit.Check(t, err == nil && sum.Unchanged == 40, "again: %+v, %v", sum.Counts, err)
	var exported bytes.Buffer
	n, err := ExportOrders(t.Context(), st, store.ScanOptions{}, &exported)
	testkit.Need(t, err == nil && n == 40, "%v %v", n, err)
	got := slices.Sorted(strings.Lines(exported.String()))
	testkit.Check(t, slices.Equal(got, lines), "exported:\n%s\nwant\n%s", got, lines)
}

// Of several lines about an order the first has the word, and the ones that contradict it are
// refused, however many orders are taken in at once.
func TestOrdersThatContradictEachOther(t *testing.T) {
	o := place(t)
	var content strings.Builder
	for i := range 60 {
		for quantity := range 3 {
			fmt.Fprintf(&content, `{"orderId":"o%02d","subject":"alice","status":"PLACED","placedAt":"2023-01-01T00:00:00Z","lines":[{"productId":"42","quantity":%d}]}`+"\n", i, 1+quantity)
		}
	}
	write(t, "orders", content.String())
	st := newStore(t)
	sum, err := ImportOrders(t.Context(), st, []string{"orders"}, o)
	testkit.Need(t, err == nil && sum.Written == 60 && sum.Refused == 120, "%+v, %v", sum.Counts, err)
	for i := range 60 {
		got, err := st.Orders().Get(t.Context(), fmt.Sprintf("o%02d", i))
		testkit.Check(t, err == nil && got.Lines[0].Quantity == 1, "%v %+v, %v", &got, got.Lines, err)
	}
}
