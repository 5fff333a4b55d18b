package table_test

import (
	"errors"
	"fmt"
	"testing"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/simulation/double"
	"product-comments/store/table"
)

// An item that was read in a batch, or in one of several at once, and is damaged fails all.
func TestDamageInABatch(t *testing.T) {
	s := store.New(double.New(double.Options{}).Client("test"), "comments", store.Options{})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	items := make([]table.Item, 2*table.MaxBatchGet)
	for i := range items {
		items[i] = table.Key(fmt.Sprint(i))
	}
	tb, damaged := s.Projector().Table(), errors.New("it is damaged")
	testkit.Must(t, tb.PutMany(t.Context(), items))
	for _, n := range []int{table.MaxBatchGet, len(items)} {
		for _, at := range []string{"7", fmt.Sprint(n - 1), "none"} {
			err := tb.GetMany(t.Context(), items[:n], true, func(it table.Item) error {
				if table.Text(it, key.PK) == at {
					return damaged
				}
				return nil
			})
			testkit.Check(t, errors.Is(err, damaged) == (at != "none"), "%d items, of which %s is damaged: %v", n, at, err)
		}
	}
}
