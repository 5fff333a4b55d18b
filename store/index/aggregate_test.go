package index_test

import (
	"cmp"
	"context"
	"errors"
	"testing"

	"product-comments/internal/testkit"
	"product-comments/store/index"
	"product-comments/store/stats"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// sum is an item of sums that counts changes.
type sum struct {
	index.Head
	n int
}

// What does not fit a sum is an error of the sum, unless another process has changed the two
// since the sum was read.
func TestRelatedToAChangedSum(t *testing.T) {
	for name, changes := range map[string]bool{"nothing changed": false, "another process changed both": true} {
		t.Run(name, func(t *testing.T) {
			tb := table.New(storetest.Client(t), storetest.TableName(t), table.Options{})
			testkit.Value(tb.Ensure(t.Context(), table.Design{Projected: []string{"n"}, Orders: []string{"n"}, Expires: "expires"}, true))(t)
			sums := index.Aggregate[string, sum, int]{
				Table: tb, Compare: cmp.Compare[string], Key: table.Key, IsZero: func(n int) bool { return n == 0 },
				Parse: func(_ string, it table.Item) (s sum, err error) {
					if s.Head, err = index.ParseHead(it); err == nil {
						s.n, err = table.Number(it, "n")
					}
					return s, err
				},
				Add: func(of string, old sum, n, _ int) (table.Item, bool, error) {
					it := table.Key(of)
					it["n"] = table.N(old.n + n)
					return it, false, nil
				},
			}
			count := func(_ index.Change, sums map[string]int) ([]string, error) {
				sums["a"]++
				return nil, nil
			}
			flush := func() error {
				writes, err := sums.Flush(t.Context(), 0, []index.Change{{}}, count)
				if err != nil {
					return err
				}
				return tb.Transact(t.Context(), "count", writes...)
			}
			testkit.Must(t, flush())
			sums.Related = func(context.Context, string, sum, int, int) (sum, []table.Write, error) {
				if sums.Related = nil; changes {
					testkit.Must(t, flush())
				}
				return sum{}, nil, stats.ErrNegative
			}
			err := flush()
			_, refused := table.IsRefused(err)
			testkit.Equal(t, refused, changes, "%v", err)
			testkit.Equal(t, errors.Is(err, stats.ErrNegative), !changes, "%v", err)
		})
	}
}
