package telemetry

import (
	"context"
	"log/slog"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/prometheus/client_golang/prometheus"

	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/plan"
	"product-comments/store/table"
)

var _ store.Observer = (*Telemetry)(nil)

// storeFigures are what a store does.
type storeFigures struct {
	calls         *grid[prometheus.Counter]  // by operation and result
	callSeconds   *grid[prometheus.Observer] // by operation
	read, written *grid[prometheus.Counter]  // by access pattern and index
	pages         *grid[prometheus.Counter]  // by strategy
	changed       prometheus.Counter
	failedPages   prometheus.Counter
	pageUnits     prometheus.Observer
	throttled     *grid[prometheus.Counter] // by index and reason
}

// callBuckets are for calls of a few milliseconds, in seconds.
var callBuckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5}

// strategies are those of plans, in the order of their figures.
var strategies = []struct {
	strategy plan.Strategy
	label    string
}{
	{plan.Single, "single"}, {plan.Merge, "merge"}, {plan.Filtered, "filtered"}, {plan.InTurn, "in-turn"}, {plan.Gather, "gather"}, {plan.Refused, "refused"},
	{plan.PowerSet, "power-set"}, {plan.Nothing, "nothing"}, {"", others},
}

// indexes are the table itself, its indexes, and one place for others.
var indexes = append([]key.Index{key.Table, key.Columns}, key.Indexes...)

func newStoreFigures(r *prometheus.Registry) (f storeFigures) {
	counters := func(name, help string, labels ...string) *prometheus.CounterVec {
		vec := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
		r.MustRegister(vec)
		return vec
	}
	calls := counters("product_comments_store_calls_total",
		"Calls to DynamoDB by operation and result; the client's own repetitions are part of a call.", "operation", "result")
	f.calls = newGrid(int(table.Operations)*int(table.Results), func(cell int) prometheus.Counter {
		return calls.WithLabelValues(table.Operation(cell/int(table.Results)).String(), table.Result(cell%int(table.Results)).String())
	})
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "product_comments_store_call_seconds", Help: "Time that calls to DynamoDB took, with the client's own repetitions.", Buckets: callBuckets,
	}, []string{"operation"})
	r.MustRegister(seconds)
	f.callSeconds = newGrid(int(table.Operations), func(cell int) prometheus.Observer {
		return seconds.WithLabelValues(table.Operation(cell).String())
	})
	units := func(name, help string) *grid[prometheus.Counter] {
		vec := counters(name, help, "access", "index")
		return newGrid(int(key.Accesses)*(len(indexes)+1), func(cell int) prometheus.Counter {
			index := nameOr(cell%(len(indexes)+1), len(indexes), func(i int) string { return indexes[i].String() })
			return vec.WithLabelValues(key.Access(cell/(len(indexes)+1)).String(), index)
		})
	}
	f.read = units("product_comments_read_units_total", "Read capacity units by access pattern and index.")
	f.written = units("product_comments_write_units_total", "Write capacity units by access pattern and index.")
	throttled := counters("product_comments_store_throttles_total",
		"What DynamoDB says of calls that it throttled: the index whose throughput it is, and the reason.", "resource", "reason")
	f.throttled = newGrid((len(indexes)+1)*(len(throttleReasons)+1), func(cell int) prometheus.Counter {
		return throttled.WithLabelValues(nameOr(cell/(len(throttleReasons)+1), len(indexes), func(i int) string { return indexes[i].String() }),
			nameOr(cell%(len(throttleReasons)+1), len(throttleReasons), func(i int) string { return throttleReasons[i] }))
	})
	pages := counters("product_comments_pages_total", "Pages of comments that were read, by the strategy of their plan.", "strategy")
	f.pages = newGrid(len(strategies), func(cell int) prometheus.Counter { return pages.WithLabelValues(strategies[cell].label) })
	f.changed = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "product_comments_plan_fallbacks_total",
		Help: "Pages whose filtered partition held too little, so that the partitions of single ratings were read instead.",
	})
	f.failedPages = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "product_comments_failed_pages_total", Help: "Pages of comments that could not be read.",
	})
	pageUnits := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "product_comments_page_read_units", Help: "Read capacity units of a page, planning not included.",
		Buckets: []float64{.5, 1, 1.5, 2, 3, 5, 10, 25, 50, 100, 250, 1000},
	})
	f.pageUnits = pageUnits
	r.MustRegister(f.changed, f.failedPages, pageUnits)
	return f
}

// Store adds the figures that a store has itself: of its caches and of repetitions.
func (t *Telemetry) Store(s *store.Store) {
	t.Cache("pages", s.CachedPages)
	t.Cache("counts", s.CachedCounts)
	counter := func(name, help string, value func(table.BudgetFigures) int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help},
			func() float64 { return float64(value(s.Repetitions())) })
	}
	t.Register(
		counter("product_comments_store_retries_total", "Calls to DynamoDB that were made again because it was overloaded or did not answer.",
			func(f table.BudgetFigures) int64 { return f.Repetitions }),
		counter("product_comments_store_retries_denied_total", "Calls to DynamoDB that were not made again because the retry budget was empty.",
			func(f table.BudgetFigures) int64 { return f.Denied }),
		counter("product_comments_store_calls_withheld_total", "Calls to DynamoDB that were not made because it had answered nothing for a while.",
			func(f table.BudgetFigures) int64 { return f.Rested }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "product_comments_store_retry_budget", Help: "Part of the retry budget that is left, 0 to 1.",
		}, func() float64 { return s.Repetitions().Left }))
}

// Called is part of table.Observer.
func (t *Telemetry) Called(ctx context.Context, c table.Call) {
	t.calls.at(int(c.Operation)*int(table.Results) + int(c.Result)).Inc()
	t.callSeconds.at(int(c.Operation)).Observe(c.Took.Seconds())
	if c.Read > 0 {
		t.read.at(unitsCell(c.Access, c.Index)).Add(c.Read)
	}
	if c.Written > 0 {
		own := c.Written
		for name, capacity := range c.InIndexes {
			units := aws.ToFloat64(capacity.CapacityUnits)
			own -= units
			t.written.at(unitsCell(c.Access, key.Index{Name: name})).Add(units)
		}
		t.written.at(unitsCell(c.Access, key.Table)).Add(max(0, own))
	}
	t.throttle(ctx, c)
	t.tracing.called(ctx, c)
}

// unitsCell returns the place of units in their grid.
func unitsCell(access key.Access, in key.Index) int {
	return int(min(access, key.Accesses-1))*(len(indexes)+1) + indexCell(in)
}

// indexCell returns the place of an index, which goes by its name, among the indexes and
// one for others.
func indexCell(in key.Index) int {
	i := slices.IndexFunc(indexes, func(known key.Index) bool { return known.Name == in.Name })
	if i < 0 {
		i = len(indexes)
	}
	return i
}

// nameOr returns the name at a place, and others for the place behind all.
func nameOr(i, n int, name func(int) string) string {
	if i == n {
		return others
	}
	return name(i)
}

// throttleReasons are those that DynamoDB documents.
var throttleReasons = func() (all []string) {
	for _, what := range []string{"Table", "Index"} {
		for _, operation := range []string{"Read", "Write"} {
			for _, limit := range []string{"ProvisionedThroughput", "AccountLimit", "KeyRangeThroughput", "MaxOnDemandThroughput"} {
				all = append(all, what+operation+limit+"Exceeded")
			}
		}
	}
	return all
}()

// throttle counts and logs what the store says of throttling.
func (t *Telemetry) throttle(ctx context.Context, c table.Call) {
	for _, why := range c.Throttles {
		reason := slices.Index(throttleReasons, why.Reason)
		if reason < 0 {
			reason = len(throttleReasons)
		}
		t.throttled.at(indexCell(why.Index)*(len(throttleReasons)+1) + reason).Inc()
		t.throttleLines.log(ctx, t.log, "DynamoDB throttles", slog.String("resource", why.Resource), slog.String("reason", why.Reason),
			slog.String("operation", c.Operation.String()), slog.String("access", c.Access.String()))
	}
}

// Begin is part of store.Observer.
func (t *Telemetry) Begin(ctx context.Context, s store.Step) context.Context {
	return t.tracing.begin(ctx, s.String())
}

// Planned is part of store.Observer.
func (t *Telemetry) Planned(ctx context.Context, p plan.Plan) { t.tracing.planned(ctx, p) }

// Read is part of store.Observer.
func (t *Telemetry) Read(ctx context.Context, r store.PageRead) {
	if r.Err != nil {
		t.failedPages.Inc()
	} else {
		t.pages.at(strategyCell(r.Page.Plan.Strategy)).Inc()
		t.pageUnits.Observe(r.Page.Cost.Units)
		if r.Changed() {
			t.changed.Inc()
		}
	}
	t.dear.look(ctx, t.log, r)
	t.tracing.read(ctx, r)
}

func strategyCell(s plan.Strategy) int {
	for i, known := range strategies {
		if known.strategy == s {
			return i
		}
	}
	return len(strategies) - 1
}
