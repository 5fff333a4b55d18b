package httpapi

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"product-comments/store/settings"
	"product-comments/store/stream"
)

// projectorMetrics are metrics of a projector's status, which is read when
// Prometheus collects them.
type projectorMetrics struct{ status func() stream.Status }

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

// Describe is part of prometheus.Collector.
func (m projectorMetrics) Describe(out chan<- *prometheus.Desc) {
	prometheus.DescribeByCollect(m, out)
}

// Collect is part of prometheus.Collector.
func (m projectorMetrics) Collect(out chan<- prometheus.Metric) {
	s := m.status()
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

// metrics serves the metrics of the process, of the projector if it runs one, and
// others.
func metrics(projector func() stream.Status, others ...prometheus.Collector) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if projector != nil {
		registry.MustRegister(projectorMetrics{projector})
	}
	registry.MustRegister(others...)
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}
