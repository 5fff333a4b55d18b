package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"product-comments/internal/cache"
)

// Cache adds the figures of a cache under a name.
func (t *Telemetry) Cache(name string, stats func() cache.Stats) {
	labels := prometheus.Labels{"cache": name}
	counter := func(name, help string, value func(cache.Stats) int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels},
			func() float64 { return float64(value(stats())) })
	}
	gauge := func(name, help string, value func(cache.Stats) int64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels},
			func() float64 { return float64(value(stats())) })
	}
	t.Register(
		counter("product_comments_cache_hits_total", "Lookups that a cache answered.",
			func(s cache.Stats) int64 { return s.Hits }),
		counter("product_comments_cache_misses_total", "Lookups that a cache could not answer; several of them at once may share the work.",
			func(s cache.Stats) int64 { return s.Misses }),
		counter("product_comments_cache_evictions_total", "Entries that a cache gave up for room.",
			func(s cache.Stats) int64 { return s.Evictions }),
		gauge("product_comments_cache_entries", "Entries of a cache.",
			func(s cache.Stats) int64 { return int64(s.Entries) }),
		gauge("product_comments_cache_bytes", "Bytes that the entries of a cache take.",
			func(s cache.Stats) int64 { return s.Bytes }),
	)
}
