package telemetry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testkit"
	"product-comments/store/key"
	"product-comments/store/moderation"
	"product-comments/store/table"
)

// What DynamoDB says of throttling is counted and logged: which table or index, and why.
// However many resources and reasons there are, the figures do not grow, and however many
// calls are throttled, the log does not.
func TestThrottles(t *testing.T) {
	var log bytes.Buffer
	w := New(Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	const hot = "IndexReadKeyRangeThroughputExceeded"
	call := func(index key.Index, resource, reason string) table.Call {
		return table.Call{Operation: table.QueryItems, Result: table.Throttled, Throttles: []table.Throttle{{Index: index, Resource: resource, Reason: reason}}}
	}
	w.Called(t.Context(), call(key.ByLang, "comments/index/byLang", hot))
	for _, want := range []string{"level=WARN", "resource=comments/index/byLang", "reason=" + hot, "operation=Query"} {
		testkit.Check(t, strings.Contains(log.String(), want), "no %s in %s", want, log.String())
	}
	w.Called(t.Context(), call(key.Table, "comments", "TableWriteAccountLimitExceeded"))
	for i := range 100 {
		w.Called(t.Context(), call(key.Index{Name: fmt.Sprint("made-up-", i)}, fmt.Sprint("comments/index/made-up-", i), fmt.Sprint("Reason", i)))
	}
	has(t, w, "product_comments_store_throttles_total", `{reason="`+hot+`",resource="byLang"} 1`,
		`{reason="TableWriteAccountLimitExceeded",resource="table"} 1`, `{reason="other",resource="other"} 100`)
	n := strings.Count(log.String(), "\n")
	testkit.Check(t, n <= lineBurst+1, "%d lines", n)
}

// Every code of mutations is there from the beginning, so that its first increase shows.
func TestMutationsAreCounted(t *testing.T) {
	w := New(Options{})
	has(t, w, "product_comments_mutations_total", `{code="OK"} 0`, `{code="UNAVAILABLE"} 0`, `{code="INTERNAL"} 0`)
	w.Mutated("")
	w.Mutated("INTERNAL")
	w.Mutated("A_NEW_ONE")
	has(t, w, "product_comments_mutations_total", `{code="OK"} 1`, `{code="INTERNAL"} 1`, `{code="OTHER"} 1`)
}

// How many comments wait is read once a minute, and not shown while it is not known.
func TestModerationWaiting(t *testing.T) {
	const name = "product_comments_moderation_waiting"
	w := New(Options{})
	now, reads, fails := time.Unix(0, 0), 0, error(nil)
	w.Register(&queue{now: func() time.Time { return now }, counts: func(context.Context) (moderation.Totals, error) { reads++; return moderation.Totals{}, fails }})
	for range 3 {
		has(t, w, name, " 0")
	}
	now, fails = now.Add(queueAge), errors.New("the store does not answer")
	for range 3 {
		testkit.Equal(t, figures(t, w, name), "", "it is not known")
	}
	now, fails = now.Add(queueAge), nil
	if has(t, w, name, " 0"); reads != 3 {
		t.Errorf("%d readings in three minutes", reads)
	}
}
