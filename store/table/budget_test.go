package table_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testing/faultproxy"
	"product-comments/internal/testing/testkit"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/simulation/faults"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// troubled is a table behind a proxy, with one budget for its client and itself.
func troubled(t *testing.T, timeout time.Duration) (*table.Table, *table.Budget, *faultproxy.Proxy) {
	t.Helper()
	proxy := faultproxy.Start(t, storetest.Endpoint(t), testkit.Seed(t))
	budget := table.NewBudget(nil)
	client := storetest.Remote(t, func(o *dynamodb.Options) {
		o.BaseEndpoint, o.Retryer = aws.String(proxy.Endpoint()), budget.Retryer()
	})
	tbl := table.New(client, storetest.TableName(t), table.Options{Budget: budget, Timeout: timeout})
	testkit.Value(tbl.Ensure(t.Context(), table.Design{Projected: []string{"rating"}, Orders: []string{"rating"}, Expires: "expires"}, true))(t)
	return tbl, budget, proxy
}

// visitors read and write so often altogether, 50 at once, and tell how many
// requests they made and how many failed. Half of what they do are writes.
func visitors(t *testing.T, tbl *table.Table, requests int) (failed int) {
	t.Helper()
	var mu sync.Mutex
	var running sync.WaitGroup
	next := make(chan int)
	for range 50 {
		running.Go(func() {
			for i := range next {
				ctx := table.Writing(t.Context())
				var err error
				if i%2 == 0 {
					_, _, err = tbl.Query(t.Context(), table.Query{Partition: key.PartitionAll("1")})
				} else {
					err = tbl.Write(ctx, "write", table.Write{Put: table.Item{key.PK: table.S(fmt.Sprint(i)), key.SK: table.S("x")}})
				}
				if err == nil {
					continue
				}
				mu.Lock()
				failed++
				mu.Unlock()
				testkit.Equal(t, errs.CodeOf(err), errs.Unavailable, "request %d: %v", i, err)
			}
		})
	}
	for i := range requests {
		next <- i
	}
	close(next)
	running.Wait()
	return failed
}

// However long a store is down and the client, it is hardly asked more often
// than its clients ask; when it is back it is asked again at once.
func TestAnOutageIsNotMultiplied(t *testing.T) {
	for name, rates := range map[string]faults.Rates{"every call is throttled": {Throttled: 1}, "every call is an internal error": {Internal: 1}, "no call reaches the server": {Unreachable: 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tbl, _, proxy := troubled(t, 5*time.Second)
			proxy.Set(faultproxy.Rule{Rates: rates})
			before := proxy.Calls()
			const requests = 2000
			failed := visitors(t, tbl, requests)
			testkit.Check(t, failed == requests, "%d of %d requests failed", failed, requests)
			calls := proxy.Calls() - before
			t.Logf("%d calls for %d requests", calls, requests)
			testkit.Check(t, calls <= requests/2, "%d calls for %d requests, though nothing was answered", calls, requests)
			proxy.Set(faultproxy.Rule{})
			eventually(t, func() error {
				_, err := tbl.Get(t.Context(), "it", table.Item{key.PK: table.S("1"), key.SK: table.S("x")})
				return err
			})
			failed = visitors(t, tbl, 100)
			testkit.Check(t, failed == 0, "%d of 100 requests failed when it was back", failed)
		})
	}
}

// A part of the store that is down takes nothing from the rest, and is asked as
// often as its clients ask, and a few times more for what the rest earns.
func TestOneIndexThatIsDown(t *testing.T) {
	t.Parallel()
	tbl, budget, proxy := troubled(t, 5*time.Second)
	proxy.Set(faultproxy.Rule{Rates: faults.Rates{Throttled: 1}, Index: key.All.Name})
	budget.Drain()
	before := proxy.Calls()
	const requests = 600
	failed := visitors(t, tbl, requests)
	calls := proxy.Calls() - before
	t.Logf("%d calls for %d requests", calls, requests)
	testkit.Check(t, failed == requests/2, "%d of %d requests failed, half of them were reads of the index", failed, requests)
	testkit.Check(t, calls <= 1.25*requests, "%d calls for %d requests", calls, requests)
}

// Long work waits an outage out, and its few calls are spread over it.
func TestLongWorkWaitsAnOutageOut(t *testing.T) {
	t.Parallel()
	tbl, budget, proxy := troubled(t, 10*time.Second)
	proxy.Set(faultproxy.Rule{Rates: faults.Rates{Throttled: 1}})
	budget.Drain()
	time.AfterFunc(500*time.Millisecond, func() { proxy.Set(faultproxy.Rule{}) })
	before := proxy.Calls()
	testkit.Value(tbl.Get(table.Patiently(t.Context()), "it", table.Item{key.PK: table.S("1"), key.SK: table.S("x")}))(t)
	calls := proxy.Calls() - before
	testkit.Check(t, calls <= 5, "%d calls", calls)
}

func TestARefusalSaysWhenToComeBack(t *testing.T) {
	t.Parallel()
	tbl, budget, proxy := troubled(t, time.Second)
	proxy.Set(faultproxy.Rule{Rates: faults.Rates{Throttled: 1}})
	budget.Drain()
	_, err := tbl.Get(t.Context(), "it", table.Item{key.PK: table.S("1"), key.SK: table.S("x")})
	coded, ok := err.(*errs.Error)
	testkit.Check(t, ok && coded.Code == errs.Unavailable && coded.RetryAfter == time.Second, "got %#v", err)
	testkit.Check(t, strings.Contains(err.Error(), "ThroughputExceeded") || strings.Contains(err.Error(), "ThrottlingException"), "the cause is lost: %v", err)
}

func eventually(t *testing.T, try func() error) {
	t.Helper()
	deadline := time.Now().Add(90 * time.Second)
	for {
		err := try()
		if err == nil {
			return
		}
		testkit.Need(t, !time.Now().After(deadline), "%v", err)
		time.Sleep(10 * time.Millisecond) // the store rests for moments, which it does not report
	}
}
