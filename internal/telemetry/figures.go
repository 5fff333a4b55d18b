package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"product-comments/internal/cache"
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
