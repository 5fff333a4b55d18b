package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/table"
)

func TestSteps(t *testing.T) {
	var r report
	pay := &bill{}
	pay.Called(t.Context(), table.Call{Read: 100, Written: 100}) // before the step
	err := r.step("a step", 2, pay, func(i int) error {
		pay.Called(t.Context(), table.Call{Operation: table.GetItem, Read: 1})
		pay.Called(t.Context(), table.Call{Operation: table.TransactWriteItems, Written: float64(6 + i), InIndexes: map[string]types.Capacity{
			"all": {CapacityUnits: aws.Float64(1)}, "byLang": {CapacityUnits: aws.Float64(2)},
		}})
		return nil
	})
	if err != nil || r.text.String() != "| a step | 6.5 | 3.5 | 3 | 1 |\n" {
		t.Errorf("%q, %v", r.text.String(), err)
	}
	pay.Called(t.Context(), table.Call{Operation: table.PutItem, Written: 2})
	pay.Called(t.Context(), table.Call{Operation: table.TransactWriteItems, Written: 3})
	if u := pay.take(); u != (units{written: 5, transacted: 3}) {
		t.Errorf("%+v", u)
	}
	if err := r.step("another", 1, pay, func(int) error { return errors.New("broken") }); err == nil || err.Error() != "another: broken" {
		t.Errorf("got %v", err)
	}
}

// listOf returns a list of so many items of which page n, from 1, costs n read units.
func listOf(items int, pay *bill) windows {
	return func(ctx context.Context, w store.Window) (n int, last key.Position, more bool, err error) {
		from := 0
		if w.After != nil {
			from = int(w.After.CreatedAt.Unix())
		}
		n = min(w.Limit, items-from)
		pay.Called(ctx, table.Call{Read: float64(from/pageSize + 1)})
		return n, key.Position{CreatedAt: time.Unix(int64(from+n), 0)}, from+n < items, nil
	}
}

func TestWalk(t *testing.T) {
	for items, want := range map[int]walked{
		0:                          {first: 1, deep: 1},
		7:                          {items: 7, first: 1, deep: 1},
		4*pageSize + 3:             {items: 4*pageSize + 3, first: 1.5, deep: 3.5},
		3 * pageSize:               {items: 3 * pageSize, first: 1.5, deep: 2.5},
		(stretch*4 + 1) * pageSize: {items: (stretch*4 + 1) * pageSize, first: (stretch + 1) / 2., deep: stretch*4 + 1 - (stretch-1)/2.},
	} {
		pay := &bill{}
		if got, err := walk(t.Context(), pay, listOf(items, pay)); err != nil || got != want {
			t.Errorf("%d items: %+v, %v, want %+v", items, got, err, want)
		}
	}
	empty := func(context.Context, store.Window) (n int, last key.Position, more bool, err error) {
		return 0, last, true, nil
	}
	if _, err := walk(t.Context(), &bill{}, empty); err == nil || !strings.Contains(err.Error(), "empty page") {
		t.Errorf("got %v", err)
	}
}
