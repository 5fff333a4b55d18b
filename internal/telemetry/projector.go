package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"product-comments/store/settings"
	"product-comments/store/stream"
)

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
