package orders_test

import (
	"context"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/orders"
	"product-comments/store/storetest"
)

// A call that is repeated because its answer was lost takes effect once, whatever the call:
// it is no conflict, and no mark counts an order twice.
func TestLostAnswers(t *testing.T) {
	s := newShop(t)
	lost, again := 0, 0 // of all answers to writes every other is
	behind := s.on(&storetest.Calls{API: storetest.Client(t), Do: func(ctx context.Context, in any, call storetest.Call) error {
		_, err := call(ctx)
		switch in.(type) {
		case *dynamodb.TransactWriteItemsInput, *dynamodb.PutItemInput:
			if lost++; err == nil && lost%2 == 1 {
				return &types.InternalServerError{}
			}
		}
		return err
	}})
	until := func(do func() error) {
		t.Helper()
		err := do()
		for ; errs.CodeOf(err) == errs.Unavailable; again++ {
			err = do()
		}
		testkit.Check(t, err == nil, "%v", err)
	}
	record := func(o orders.Order) {
		t.Helper()
		until(func() error {
			_, _, err := behind.RecordOrder(t.Context(), o)
			return err
		})
		s.record(t, o)
	}
	set := func(id string, to orders.Status, n int) {
		t.Helper()
		until(func() error {
			_, err := behind.SetOrderStatus(t.Context(), id, to, day(n))
			return err
		})
		s.set(t, id, to, n)
		s.wantMarks(t)
	}
	record(placed("o1", "alex", 1, "p1", "p2"))
	record(placed("o2", "alex", 2, "p1"))
	delivered := placed("o3", "alex", 3, "p1")
	delivered.Status = orders.Delivered
	record(delivered)
	s.wantMarks(t)
	for n, to := range []orders.Status{orders.Paid, orders.Shipped, orders.Delivered} {
		set("o1", to, 4+n)
		set("o2", to, 4+n)
	}
	set("o1", orders.Returned, 9)
	set("o3", orders.Cancelled, 9)
	testkit.Check(t, s.bought(t, "alex", "p1") == 1 && s.bought(t, "alex", "p2") == 0, "of three orders the second counts")
	until(func() error {
		_, err := behind.Erase(t.Context(), store.Erasure{Subject: "alex"})
		return err
	})
	for id := range s.told {
		o, err := s.Orders().Get(t.Context(), id)
		testkit.Check(t, err == nil && strings.HasPrefix(o.Username, "erased-"), "%v, %v", &o, err)
	}
	testkit.Check(t, again >= 5, "only %d answers were lost", again)
}

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
		o, err := s.Orders().Get(t.Context(), id)
		testkit.Check(t, err == nil && o.Username == name && len(o.Lines) == 2 && o.Lines[0].ProductID == "p#"+id, "%v, %v", &o, err)
		testkit.Check(t, s.bought(t, name, "p") == 1, "%q bought nothing", name)
	}
}
