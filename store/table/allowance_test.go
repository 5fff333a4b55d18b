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
	testkit.Check(t, errors.As(err, &e) && e.Code == errs.BadUserInput && e.Reason == "read_units" && *e.Limit == (errs.Limit{Value: 10, Most: 10}) && e.CallersOwn(), "%v", err)
	_, err = allow(Writing(ctx), 3)
	testkit.Check(t, err == nil, "a write is held to it: %v", err)
	_, err = allow(t.Context(), 3)
	testkit.Check(t, err == nil, "without an allowance: %v", err)
}

// Reads at the same time wait for the ones that may spend the rest, and are over the
// allowance by one at the most.
func TestAllowanceOfReadsAtOnce(t *testing.T) {
	ctx := WithAllowance(t.Context(), 50)
	first := testkit.Value(allow(ctx, 40))(t)
	second, err := allow(ctx, 10) // fits next to it
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
	testkit.Need(t, got.err == nil, "%v", got.err)
	got.done(40)
	_, err = allow(ctx, 1)
	testkit.Check(t, err != nil, "it goes on after 80 of 50")
	over, cancel := context.WithCancel(WithAllowance(t.Context(), 10))
	testkit.Value(allow(over, 10))(t)
	cancel()
	_, err = allow(over, 10)
	testkit.Check(t, errors.Is(err, context.Canceled), "who waits is not let go: %v", err)
}
