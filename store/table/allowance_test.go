package table

import (
	"context"
	"errors"
	"testing"

	"product-comments/internal/testkit"
	"product-comments/store/errs"
)

// Reads go on until the allowance is spent, and then fail with reason and limit.
func TestAllowance(t *testing.T) {
	ctx := WithAllowance(t.Context(), 10)
	for range 4 {
		done := testkit.Value(allow(ctx, 3))(t)
		done(2.5)
	}
	_, err := allow(ctx, 3)
	var e *errs.Error
	if !errors.As(err, &e) || e.Code != errs.BadUserInput || e.Reason != "read_units" || *e.Limit != (errs.Limit{Value: 10, Most: 10}) || !e.CallersOwn() {
		t.Errorf("%v", err)
	}
	if _, err := allow(Writing(ctx), 3); err != nil {
		t.Errorf("a write is held to it: %v", err)
	}
	if _, err := allow(t.Context(), 3); err != nil {
		t.Errorf("without an allowance: %v", err)
	}
}

// Reads at the same time wait for those that may spend the rest, and are over the
// allowance by one at the most.
func TestAllowanceOfReadsAtOnce(t *testing.T) {
	ctx := WithAllowance(t.Context(), 50)
	first := testkit.Value(allow(ctx, 40))(t)
	second, err := allow(ctx, 10) // fits beside it
	testkit.Must(t, err)
	type answer struct {
		done func(float64)
		err  error
	}
	third := make(chan answer)
	go func() {
		done, err := allow(ctx, 40)
		third <- answer{done, err}
	}()
	second(10)
	select {
	case <-third:
		t.Fatal("it does not wait for the first, which may still spend all")
	default:
	}
	first(30)
	got := <-third // 40 are spent, so that it may be 30 over
	if got.err != nil {
		t.Fatal(got.err)
	}
	got.done(40)
	if _, err := allow(ctx, 1); err == nil {
		t.Error("it goes on after 80 of 50")
	}
	over, cancel := context.WithCancel(WithAllowance(t.Context(), 10))
	testkit.Value(allow(over, 10))(t)
	cancel()
	if _, err := allow(over, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("who waits is not let go: %v", err)
	}
}
