package orders_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/orders"
	"product-comments/store/storetest"
)

// halfway answers as DynamoDB does while a transaction is being applied.
type halfway struct {
	store.API
	query  func(in *dynamodb.QueryInput, out *dynamodb.QueryOutput)
	before func() // the first read of an order by its key
	done   atomic.Bool
}

func (h *halfway) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	out, err := h.API.Query(ctx, in, o...)
	if err == nil && h.query != nil {
		h.query(in, out)
	}
	return out, err
}

func (h *halfway) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	sk := in.Key[key.SK].(*types.AttributeValueMemberS).Value
	if h.before != nil && strings.HasPrefix(sk, key.Order("")) && !h.done.Swap(true) {
		h.before()
	}
	return h.API.GetItem(ctx, in, o...)
}

// on returns the shop's store behind another way to its table.
func (s *shop) on(api store.API) *store.Store {
	return store.New(api, s.Table(), store.Options{CallTimeout: time.Minute})
}

// A read of the table that comes while an order is being written, or in the middle of a
// replica's catching up, does not show a half of its lines.
func TestNoReaderSeesHalfAnOrder(t *testing.T) {
	s := newShop(t)
	s.record(t, placed("o1", "alex", 1, "p1", "p2", "p3"))
	page, err := s.Orders().List(t.Context(), orders.Filter{Username: "alex"}, orders.Window{Limit: 1})
	testkit.Need(t, err == nil && len(page.Items) == 1, "%v %v", page, err)
	read := map[string]func(*store.Store) ([]orders.Line, error){
		"by id": func(s *store.Store) ([]orders.Line, error) {
			o, err := s.Orders().Get(t.Context(), "o1")
			return o.Lines, err
		},
		"of a list": func(s *store.Store) ([]orders.Line, error) {
			lines, err := s.Orders().Lines(t.Context(), []orders.Ref{page.Items[0].Ref()})
			if err != nil {
				return nil, err
			}
			return lines[0], nil
		},
		"told again": func(s *store.Store) ([]orders.Line, error) {
			o, _, err := s.RecordOrder(t.Context(), placed("o1", "alex", 1, "p1", "p2", "p3"))
			return o.Lines, err
		},
	}
	for what, read := range read {
		for _, lacks := range []int{1, 3} {
			left := map[int]int{1: 2, 3: 1}[lacks] // answers that lack lines: one without any is the index's, or the last
			got, err := read(s.on(&halfway{API: storetest.Client(t), query: func(in *dynamodb.QueryInput, out *dynamodb.QueryOutput) {
				if left > 0 && len(out.Items) >= 3 {
					left--
					out.Items = out.Items[:len(out.Items)-lacks]
				}
			}}))
			testkit.Check(t, err == nil && len(got) == 3, "%s, %d lacking: %d lines, %v", what, lacks, len(got), err)
		}
	}
	lines, err := s.Orders().Lines(t.Context(), []orders.Ref{{ID: "none"}})
	testkit.Check(t, err == nil && len(lines[0]) == 0, "%v, %v", lines, err)
}

// An index that has an order both as a person's and as no one's, and not all of its lines,
// does not make an order of one line that is none.
func TestAnIndexWithAnOrderTwice(t *testing.T) {
	s := newShop(t)
	s.record(t, placed("o1", "alex", 1, "p1", "p2"))
	got, err := s.on(&halfway{API: storetest.Client(t), query: func(in *dynamodb.QueryInput, out *dynamodb.QueryOutput) {
		if aws.ToString(in.IndexName) != "" && len(out.Items) == 3 {
			out.Items = []map[string]types.AttributeValue{out.Items[0], out.Items[0], out.Items[1]}
		}
	}}).Orders().Get(t.Context(), "o1")
	testkit.Check(t, err == nil && len(got.Lines) == 2 && got.Lines[0].ProductID == "p1" && got.Lines[1].ProductID == "p2", "%v, %v", got.Lines, err)
}

// A message that comes while an order becomes no one's finds the order.
func TestAMessageWhileAnOrderIsDisowned(t *testing.T) {
	s := newShop(t)
	s.record(t, placed("o1", "alex", 1, "p1"))
	erase := func() {
		_, err := s.Erase(t.Context(), store.Erasure{Subject: "alex"})
		testkit.Check(t, err == nil, "%v", err)
	}
	got, err := s.on(&halfway{API: storetest.Client(t), before: erase}).SetOrderStatus(t.Context(), "o1", orders.Paid, day(2))
	testkit.Check(t, err == nil && got.Status == orders.Paid && got.Username != "alex", "%v, %v", &got, err)
}

// An order whose item is gone is damage, which does not keep anybody waiting.
func TestAnOrderWithoutItsItem(t *testing.T) {
	s := newShop(t)
	s.record(t, placed("o1", "alex", 1, "p1"))
	if _, err := storetest.Client(t).DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String(s.Table()), Key: map[string]types.AttributeValue{
		key.PK: &types.AttributeValueMemberS{Value: key.User("alex")}, key.SK: &types.AttributeValueMemberS{Value: key.Order("o1")},
	}}); err != nil {
		t.Fatal(err)
	}
	o, err := s.Orders().Get(t.Context(), "o1")
	testkit.Check(t, err != nil && strings.Contains(err.Error(), "ORDER#o1"), "%v, %v", &o, err)
}

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
