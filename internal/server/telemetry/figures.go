package telemetry

import (
	"context"
	"math"
	"product-comments/store/index/cases"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"product-comments/store/comment/item"
	"product-comments/store/derive/stream"
	"product-comments/store/read/cache"
	"product-comments/store/settings"
)

// counters returns a counter with labels.
func counters(r *prometheus.Registry, name, help string, labels ...string) *prometheus.CounterVec {
	return promauto.With(r).NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

// seconds returns a histogram of times with labels.
func seconds(r *prometheus.Registry, name, help string, labels ...string) *prometheus.HistogramVec {
	return promauto.With(r).NewHistogramVec(prometheus.HistogramOpts{
		Name: name, Help: help, Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, labels)
}

// Gauge adds a metric that is read when Prometheus collects it.
func (t *Telemetry) Gauge(name, help string, value func() float64) { t.gauge(nil, name, help, value) }

func (t *Telemetry) gauge(labels prometheus.Labels, name, help string, value func() float64) {
	t.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, value))
}

// counter is gauge for a value that only grows.
func (t *Telemetry) counter(labels prometheus.Labels, name, help string, value func() int64) {
	t.Register(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels},
		func() float64 { return float64(value()) }))
}

// Cache adds the metrics of a cache under a name.
func (t *Telemetry) Cache(name string, stats func() cache.Stats) {
	of := prometheus.Labels{"cache": name}
	t.counter(of, "product_comments_cache_hits_total", "Lookups that a cache answered.",
		func() int64 { return stats().Hits })
	t.counter(of, "product_comments_cache_misses_total",
		"Lookups that a cache could not answer; concurrent ones may share one read.",
		func() int64 { return stats().Misses })
	t.counter(of, "product_comments_cache_evictions_total", "Entries that a cache evicted.",
		func() int64 { return stats().Evictions })
	t.gauge(of, "product_comments_cache_entries", "Entries of a cache.",
		func() float64 { return float64(stats().Entries) })
	t.gauge(of, "product_comments_cache_bytes", "Bytes of the entries of a cache.",
		func() float64 { return float64(stats().Bytes) })
}

const (
	queueAge     = time.Minute
	queueTimeout = 2 * time.Second
)

// Queue adds the metric of comments that wait for a moderator. It reads the counts on collection, at
// most once a minute, because several servers may collect. It is NaN while the counts are unknown.
func (t *Telemetry) Queue(counts func(context.Context) (cases.Totals, error)) {
	var mu sync.Mutex
	var last time.Time
	var waiting float64
	t.Gauge("product_comments_moderation_waiting", "Comments that wait for a moderator: pending ones and reported ones.", func() float64 {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); last.IsZero() || now.Sub(last) >= queueAge {
			ctx, cancel := context.WithTimeout(context.Background(), queueTimeout)
			defer cancel()
			totals, err := counts(ctx)
			last, waiting = now, math.NaN()
			if err == nil {
				waiting = float64(totals.Count(cases.Queue{State: item.Pending}) + totals.Count(cases.Queue{State: item.Published}))
			}
		}
		return waiting
	})
}

// Projector adds the metrics of a projector in this process.
func (t *Telemetry) Projector(status func() stream.Status) {
	t.Gauge("product_comments_projector_lag_seconds",
		"Age of the oldest record of the table's stream that is not in the statistics yet; 0 if there is none.",
		func() float64 { return status().Lag.Seconds() })
	t.Gauge("product_comments_statistics_kept", "1 if the statistics are maintained; 0 if they are being rebuilt or need a rebuild.",
		func() float64 {
			if status().State == settings.StateKept {
				return 1
			}
			return 0
		})
	t.counter(nil, "product_comments_projector_records_total", "Records that the projector has processed.",
		func() int64 { return status().Records })
	t.counter(nil, "product_comments_projector_transactions_total", "Transactions that the projector has written.",
		func() int64 { return status().Transactions })
	t.counter(nil, "product_comments_projector_retries_total",
		"Transactions that conflicted with another one and were retried.",
		func() int64 { return status().Retries })
	t.Register(shards(status))
}

// shards are the metrics of a projector's shards.
type shards func() stream.Status

var shardLag = prometheus.NewDesc("product_comments_projector_shard_lag_seconds",
	"Age of the oldest record of each open shard that is not in the statistics yet; 0 if there is none.",
	[]string{"shard"}, nil)

// Describe implements prometheus.Collector.
func (shards) Describe(out chan<- *prometheus.Desc) { out <- shardLag }

// Collect implements prometheus.Collector.
func (status shards) Collect(out chan<- prometheus.Metric) {
	for _, shard := range status().Shards {
		out <- prometheus.MustNewConstMetric(shardLag, prometheus.GaugeValue, shard.Lag.Seconds(), shard.ID)
	}
}
