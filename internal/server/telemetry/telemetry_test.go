package telemetry

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/read/plan"
	"product-comments/store/table"
)

// has fails unless the figures have these lines.
func has(t *testing.T, of *Telemetry, name string, lines ...string) {
	t.Helper()
	text := figures(t, of, name)
	for _, line := range lines {
		testkit.Check(t, strings.Contains(text, name+line+"\n"), "no %s%s in\n%s", name, line, text)
	}
}

// figures returns the lines of a metric.
func figures(t *testing.T, of *Telemetry, name string) string {
	t.Helper()
	w := httptest.NewRecorder()
	of.Metrics().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	var lines strings.Builder
	for line := range strings.Lines(w.Body.String()) {
		if strings.HasPrefix(line, name) {
			lines.WriteString(line)
		}
	}
	return lines.String()
}

// Units are counted where they were spent, the units of a write in each index, and calls
// by how they ended.
func TestStoreFigures(t *testing.T) {
	w := New(Options{})
	ctx := t.Context()
	w.Called(ctx, table.Call{Operation: table.QueryItems, Access: key.AccessByLang, Index: key.ByLang, Read: 1.5, Took: time.Millisecond})
	w.Called(ctx, table.Call{Operation: table.QueryItems, Access: key.AccessByLang, Index: key.ByLang, Read: .5, Took: time.Millisecond})
	w.Called(ctx, table.Call{Operation: table.QueryItems, Access: key.AccessByLang, Index: key.ByLang, Result: table.Throttled})
	w.Called(ctx, table.Call{Operation: table.PutItem, Access: key.AccessComment, Written: 5, InIndexes: map[string]types.Capacity{
		"all": {CapacityUnits: aws.Float64(1)}, "byLang": {CapacityUnits: aws.Float64(2)}, "new one": {CapacityUnits: aws.Float64(1)},
	}})
	has(t, w, "product_comments_store_calls_total",
		`{operation="Query",result="ok"} 2`, `{operation="Query",result="throttled"} 1`, `{operation="PutItem",result="ok"} 1`)
	has(t, w, "product_comments_read_units_total", `{access="AP2",index="byLang"} 2`)
	has(t, w, "product_comments_write_units_total",
		`{access="AP4",index="all"} 1`, `{access="AP4",index="byLang"} 2`, `{access="AP4",index="other"} 1`, `{access="AP4",index="table"} 1`)
	has(t, w, "product_comments_store_call_seconds", `_count{operation="Query"} 3`)
}

// Pages are counted by strategy, and when the plan was changed half-way.
func TestPageFigures(t *testing.T) {
	w := New(Options{})
	read := func(s plan.Strategy, err error, root plan.Node) {
		w.Read(t.Context(), store.PageRead{Page: &store.Page{Plan: plan.Plan{Strategy: s, Root: root}}, Err: err})
	}
	was := &plan.Scan{Actual: plan.Spent{Queries: 1}}
	read(plan.Single, nil, &plan.Merge{Scans: []*plan.Scan{was}})
	read(plan.Filtered, nil, &plan.Either{First: was, Then: &plan.Merge{Scans: []*plan.Scan{{}}}})
	read(plan.Filtered, nil, &plan.Either{First: was, Then: &plan.Merge{Scans: []*plan.Scan{was}}})
	read(plan.Merged, context.Canceled, nil)
	has(t, w, "product_comments_pages_total", `{strategy="single"} 1`, `{strategy="filtered"} 2`)
	has(t, w, "product_comments_plan_fallbacks_total", " 1")
	has(t, w, "product_comments_failed_pages_total", " 1")
}

// Clients cannot make the figures grow by making up names; one that is really used
// has figures of its own, and one that is not used any more makes room.
func TestOperationNames(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	w := New(Options{})
	w.operations.now = func() time.Time { return now }
	for range seenTimes - 1 {
		w.Operation("Page", "", time.Millisecond)
	}
	has(t, w, "product_comments_operations_total", `{code="OK",operation="other"} 2`)
	w.Operation("Page", "", time.Millisecond)
	w.Operation("Page", "NOT_FOUND", time.Millisecond)
	w.Operation("", "", time.Millisecond)
	w.NoOperation("GRAPHQL_PARSE_FAILED", time.Millisecond)
	w.Operation("Page", "made up", time.Millisecond)
	has(t, w, "product_comments_operations_total", `{code="OK",operation="Page"} 1`, `{code="NOT_FOUND",operation="Page"} 1`,
		`{code="OTHER",operation="Page"} 1`, `{code="OK",operation="unnamed"} 1`, `{code="GRAPHQL_PARSE_FAILED",operation="invalid"} 1`)

	for i := range 3 * maxOperations {
		for range seenTimes {
			w.Operation(fmt.Sprint("Made", i), "", time.Millisecond)
		}
	}
	for _, name := range []string{"other", strings.Repeat("x", longestName+1), "a\"b", "ä", "1a"} {
		for range seenTimes + 1 {
			w.Operation(name, "", time.Millisecond)
		}
	}
	text := figures(t, w, "product_comments_operation_seconds")
	testkit.Equal(t, strings.Count(text, "_count{"), maxOperations+3, "names have figures")
	testkit.Check(t, strings.Contains(text, `"Made98"`) && !strings.Contains(text, `"Made99"`), "they are not the first ones")
	now = now.Add(idle)
	for range 2 {
		w.Operation("Page", "", time.Millisecond)
	}
	for range seenTimes {
		w.Operation("New", "", time.Millisecond)
	}
	text = figures(t, w, "product_comments_operation_seconds")
	testkit.Check(t, strings.Contains(text, `"New"`) && strings.Contains(text, `"Page"`) && strings.Count(text, "_count{") == maxOperations+3, "a new name got no room:\n%s", text)
}

// Telling allocates nothing but the label of a status once a thing has happened before, and
// nothing is traced.
func TestTellingAllocatesNothing(t *testing.T) {
	w := New(Options{Slow: time.Hour})
	ctx := t.Context()
	call := table.Call{Operation: table.QueryItems, Access: key.AccessAll, Index: key.All, Read: 1, Took: time.Millisecond}
	page := store.PageRead{Page: &store.Page{Plan: plan.Plan{Strategy: plan.Single}}}
	tell := func() {
		w.Planned(w.Begin(ctx, store.Planning), page.Page.Plan)
		reading := w.Begin(ctx, store.Reading)
		w.Called(reading, call)
		w.Read(reading, page)
		inside, span := w.BeginSpan(ctx, "execute")
		w.RecordSpan(inside, "parse", time.Time{})
		span.Done("Page", "query", false)
		w.Operation("Page", "", time.Millisecond)
		w.Answered("/graphql", 200, time.Millisecond)
		w.Refused("depth")
	}
	for range seenTimes {
		tell()
	}
	n := testing.AllocsPerRun(100, tell)
	testkit.Check(t, n <= 1, "%v allocations", n)
}
