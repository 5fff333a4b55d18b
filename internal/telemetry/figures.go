package telemetry

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"product-comments/internal/cache"
	"product-comments/store/item"
	"product-comments/store/moderation"
	"product-comments/store/settings"
	"product-comments/store/stream"
)

// Gauge adds a figure that is read when Prometheus collects it.
func (t *Telemetry) Gauge(name, help string, value func() float64) { t.gauge(nil, name, help, value) }

func (t *Telemetry) gauge(labels prometheus.Labels, name, help string, value func() float64) {
	t.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, value))
}

// counter is gauge for a figure that only grows.
func (t *Telemetry) counter(labels prometheus.Labels, name, help string, value func() int64) {
	t.Register(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels},
		func() float64 { return float64(value()) }))
}

// Cache adds the figures of a cache under a name.
func (t *Telemetry) Cache(name string, stats func() cache.Stats) {
	of := prometheus.Labels{"cache": name}
	t.counter(of, "product_comments_cache_hits_total", "Lookups that a cache answered.",
		func() int64 { return stats().Hits })
	t.counter(of, "product_comments_cache_misses_total", "Lookups that a cache could not answer; several of them at once may share the work.",
		func() int64 { return stats().Misses })
	t.counter(of, "product_comments_cache_evictions_total", "Entries that a cache gave up for room.",
		func() int64 { return stats().Evictions })
	t.gauge(of, "product_comments_cache_entries", "Entries of a cache.",
		func() float64 { return float64(stats().Entries) })
	t.gauge(of, "product_comments_cache_bytes", "Bytes that the entries of a cache take.",
		func() float64 { return float64(stats().Bytes) })
}

// queue is how many comments wait for a moderator, which is read when Prometheus collects
// it, once a minute at the most: several may collect. It shows nothing while it is not
// known.
type queue struct {
	counts func(context.Context) (moderation.Totals, error)
	now    func() time.Time

	mu      sync.Mutex
	at      time.Time // of the last reading
	known   bool
	waiting int
}

// Queue adds how many comments wait for a moderator.
func (t *Telemetry) Queue(counts func(context.Context) (moderation.Totals, error)) {
	t.Register(&queue{counts: counts, now: time.Now})
}

const (
	queueAge     = time.Minute
	queueTimeout = 2 * time.Second
)

var queueWaiting = prometheus.NewDesc("product_comments_moderation_waiting",
	"Comments that wait for a moderator: pending ones, and published ones that were reported.", nil, nil)

// Describe is part of prometheus.Collector.
func (*queue) Describe(out chan<- *prometheus.Desc) { out <- queueWaiting }

// Collect is part of prometheus.Collector.
func (q *queue) Collect(out chan<- prometheus.Metric) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if now := q.now(); q.at.IsZero() || now.Sub(q.at) >= queueAge {
		ctx, cancel := context.WithTimeout(context.Background(), queueTimeout)
		totals, err := q.counts(ctx)
		cancel()
		q.at, q.known = now, err == nil
		if q.known {
			q.waiting = totals.Of(moderation.Queue{State: item.Pending}) + totals.Of(moderation.Queue{State: item.Published})
		}
	}
	if q.known {
		out <- prometheus.MustNewConstMetric(queueWaiting, prometheus.GaugeValue, float64(q.waiting))
	}
}

// projector is the figures of a projector's status, which is read when Prometheus
// collects them.
type projector struct{ status func() stream.Status }

var (
	lagSeconds = prometheus.NewDesc("product_comments_projector_lag_seconds",
		"Age of the oldest record of the table's stream that is not in the statistics yet; 0 if there is none.", nil, nil)
	shardLagSeconds = prometheus.NewDesc("product_comments_projector_shard_lag_seconds",
		"The same of each open shard.", []string{"shard"}, nil)
	statisticsKept = prometheus.NewDesc("product_comments_statistics_kept",
		"1 if the statistics are those of the comments; 0 if they are being rebuilt or must be.", nil, nil)
	recordsTotal = prometheus.NewDesc("product_comments_projector_records_total",
		"Records that the projector has gone through.", nil, nil)
	transactionsTotal = prometheus.NewDesc("product_comments_projector_transactions_total",
		"Transactions that the projector has written.", nil, nil)
	retriesTotal = prometheus.NewDesc("product_comments_projector_retries_total",
		"Transactions that met another one and were tried again.", nil, nil)
)

// Projector adds the figures of a projector that runs in this process.
func (t *Telemetry) Projector(status func() stream.Status) { t.Register(projector{status}) }

// Describe is part of prometheus.Collector.
func (projector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{lagSeconds, shardLagSeconds, statisticsKept, recordsTotal, transactionsTotal, retriesTotal} {
		out <- d
	}
}

// Collect is part of prometheus.Collector.
func (p projector) Collect(out chan<- prometheus.Metric) {
	s := p.status()
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	counter := func(d *prometheus.Desc, value int64) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(value))
	}
	kept := 0.0
	if s.State == settings.StateKept {
		kept = 1
	}
	gauge(lagSeconds, s.Lag.Seconds())
	gauge(statisticsKept, kept)
	for _, shard := range s.Shards {
		gauge(shardLagSeconds, shard.Lag.Seconds(), shard.ID)
	}
	counter(recordsTotal, s.Records)
	counter(transactionsTotal, s.Transactions)
	counter(retriesTotal, s.Retries)
}
