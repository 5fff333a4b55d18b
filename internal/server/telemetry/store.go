package telemetry

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"golang.org/x/time/rate"

	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/read/plan"
	"product-comments/store/table"
)

var _ store.Observer = (*Telemetry)(nil)

// storeFigures are the metrics of a store.
type storeFigures struct {
	calls         *prometheus.CounterVec   // by operation and result
	callSeconds   *prometheus.HistogramVec // by operation
	read, written *prometheus.CounterVec   // by access pattern and index
	throttled     *prometheus.CounterVec   // by index and reason
	pages         *prometheus.CounterVec   // by strategy
	changed       prometheus.Counter
	failedPages   prometheus.Counter
	webhooks      *prometheus.CounterVec // by endpoint and result
	pageUnits     prometheus.Histogram
}

func newStoreFigures(r *prometheus.Registry) storeFigures {
	plain := promauto.With(r)
	return storeFigures{
		calls: counters(r, "product_comments_store_calls_total",
			"Calls to DynamoDB by operation and result; the SDK's retries are part of a call.", "operation", "result"),
		callSeconds: seconds(r, "product_comments_store_call_seconds",
			"Duration of calls to DynamoDB, including the SDK's retries.", "operation"),
		read: counters(r, "product_comments_read_units_total",
			"Read capacity units by access pattern and index.", "access", "index"),
		written: counters(r, "product_comments_write_units_total",
			"Write capacity units by access pattern and index.", "access", "index"),
		throttled: counters(r, "product_comments_store_throttles_total",
			"Calls that DynamoDB throttled, by the index whose throughput was exceeded and the reason.", "resource",
			"reason"),
		pages: counters(r, "product_comments_pages_total",
			"Pages of comments that were read, by the strategy of their plan.", "strategy"),
		webhooks: counters(r, "product_comments_webhooks_total",
			"Webhooks by endpoint and result: sent, retried (they will be sent again) and failed.", "endpoint", "result"),
		changed: plain.NewCounter(prometheus.CounterOpts{
			Name: "product_comments_plan_fallbacks_total",
			Help: "Pages whose filtered partition had too few comments, so that the partitions of single ratings were read instead.",
		}),
		failedPages: plain.NewCounter(prometheus.CounterOpts{Name: "product_comments_failed_pages_total",
			Help: "Pages of comments that could not be read."}),
		pageUnits: plain.NewHistogram(prometheus.HistogramOpts{
			Name: "product_comments_page_read_units", Help: "Read capacity units of a page, without planning.",
			Buckets: []float64{.5, 1, 1.5, 2, 3, 5, 10, 25, 50, 100, 250, 1000},
		}),
	}
}

// Store adds metrics that the store provides: of its caches and retries.
func (t *Telemetry) Store(s *store.Store) {
	t.Cache("pages", s.CachedPages)
	t.Cache("counts", s.CachedCounts)
	t.counter(nil, "product_comments_store_retries_total",
		"Calls to DynamoDB that were retried because it was overloaded or did not answer.",
		func() int64 { return s.Repetitions().Repetitions })
	t.counter(nil, "product_comments_store_retries_denied_total",
		"Calls to DynamoDB that were not retried because the retry budget was empty.",
		func() int64 { return s.Repetitions().Denied })
	t.counter(nil, "product_comments_store_calls_withheld_total",
		"Calls to DynamoDB that were skipped because it had not answered for a while.",
		func() int64 { return s.Repetitions().Rested })
	t.Gauge("product_comments_store_retry_budget", "Remaining part of the retry budget, 0 to 1.",
		func() float64 { return s.Repetitions().Left })
}

// Called implements table.Observer.
func (t *Telemetry) Called(ctx context.Context, c table.Call) {
	access := c.Access.String()
	t.calls.WithLabelValues(c.Operation.String(), c.Result.String()).Inc()
	t.callSeconds.WithLabelValues(c.Operation.String()).Observe(c.Took.Seconds())
	if c.Read > 0 {
		t.read.WithLabelValues(access, indexLabel(c.Index)).Add(c.Read)
	}
	if c.Written > 0 {
		own := c.Written
		for name, capacity := range c.InIndexes {
			units := aws.ToFloat64(capacity.CapacityUnits)
			own -= units
			t.written.WithLabelValues(access, indexLabel(key.Index{Name: name})).Add(units)
		}
		t.written.WithLabelValues(access, key.Table.String()).Add(max(0, own))
	}
	for _, why := range c.Throttles {
		reason := why.Reason
		if !slices.Contains(throttleReasons, reason) {
			reason = others
		}
		t.throttled.WithLabelValues(indexLabel(why.Index), reason).Inc()
		t.throttleLines.Do(func() {
			t.options.Log.WarnContext(ctx, "DynamoDB throttles", "resource", why.Resource, "reason", why.Reason,
				"operation", c.Operation.String(), "access", access)
		})
	}
	called(ctx, c)
}

// indexes are the table itself and its indexes.
var indexes = append([]key.Index{key.Table, key.Columns}, key.Indexes...)

// indexLabel returns the label of an index.
func indexLabel(in key.Index) string {
	if slices.ContainsFunc(indexes, func(known key.Index) bool { return known.Name == in.Name }) {
		return in.String()
	}
	return others
}

// throttleReasons are the reasons that DynamoDB documents.
var throttleReasons = func() (all []string) {
	for _, what := range []string{"TableRead", "TableWrite", "IndexRead", "IndexWrite"} {
		for _, limit := range []string{"ProvisionedThroughput", "AccountLimit", "KeyRangeThroughput", "MaxOnDemandThroughput"} {
			all = append(all, what+limit+"Exceeded")
		}
	}
	return all
}()

// Begin implements store.Observer.
func (t *Telemetry) Begin(ctx context.Context, s store.Step) context.Context {
	ctx, _ = t.BeginSpan(ctx, s.String())
	return ctx
}

// Planned implements store.Observer.
func (t *Telemetry) Planned(ctx context.Context, p plan.Plan) {
	if span := active(ctx); span != nil {
		span.SetAttributes(
			attribute.String("strategy", string(p.Strategy)), attribute.String("index", p.Index.String()),
			attribute.Float64("estimate.read_units", p.Estimate.Units))
		span.End()
	}
}

// Read implements store.Observer.
func (t *Telemetry) Read(ctx context.Context, r store.PageRead) {
	if r.Err != nil {
		t.failedPages.Inc()
	} else {
		t.pages.WithLabelValues(cmp.Or(strategies[r.Page.Plan.Strategy], others)).Inc()
		t.pageUnits.Observe(r.Page.Cost.Units)
		if r.Changed() {
			t.changed.Inc()
		}
	}
	t.logCostlyPage(ctx, r)
	if span := active(ctx); span != nil {
		cost := r.Page.Cost
		span.SetAttributes(
			attribute.String("strategy", string(r.Page.Plan.Strategy)),
			attribute.String("index", r.Page.Plan.Index.String()),
			attribute.Float64("read_units", cost.Units), attribute.Int("queries", cost.Queries),
			attribute.Int("round_trips", cost.RoundTrips), attribute.Int("items_read", cost.Items),
			attribute.Int("items_shown", len(r.Page.Items)), attribute.Bool("fallback", r.Changed()))
		if r.Err != nil {
			span.SetStatus(codes.Error, "a page could not be read")
		}
		span.End()
	}
}

// strategies are the labels of plans' strategies.
var strategies = map[plan.Strategy]string{
	plan.Single: "single", plan.Merged: "merge", plan.Filtered: "filtered", plan.Concatenated: "in-turn",
	plan.Gather:  "gather",
	plan.Refused: "refused", plan.PowerSet: "power-set", plan.Nothing: "nothing",
}

// someLines returns the limit of the warnings of one kind, of which a failure may cause many: the
// first ten are logged, then one a second.
func someLines() *rate.Sometimes { return &rate.Sometimes{First: 10, Interval: time.Second} }

// costly is from how many read units a page's plan is logged.
const costly = 50

// logCostlyPage logs a page's plan and cost if the page was slow or costly. A plan names
// partitions (product, language and rating), but contains nothing of comments.
func (t *Telemetry) logCostlyPage(ctx context.Context, r store.PageRead) {
	why := "a page exceeded --slow-page"
	if o := t.options; o.Slow <= 0 || r.Took < o.Slow {
		if r.Page.Cost.Units < costly {
			return
		}
		why = "a page read many units"
	}
	attributes := []slog.Attr{slog.Duration("took", r.Took), slog.Float64("read_units", r.Page.Cost.Units)}
	if r.Page.Plan.Strategy != "" { // empty if planning failed
		attributes = append(attributes, slog.String("plan", r.Page.Tree()))
	}
	if r.Err != nil {
		attributes = append(attributes, slog.String("failed", string(errs.CodeOf(r.Err))))
	}
	t.pageLines.Do(func() { t.options.Log.LogAttrs(ctx, slog.LevelWarn, why, attributes...) })
}
