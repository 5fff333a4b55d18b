package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"product-comments/store/outbox"
)

// Delivered counts a delivery of a webhook.
func (t *Telemetry) Delivered(endpoint string, r outbox.Result) {
	t.webhooks.WithLabelValues(endpoint, string(r)).Inc()
}

// Webhooks adds the metric of the events that wait for endpoints.
func (t *Telemetry) Webhooks(status func() []outbox.Status) { t.Register(waiting{status}) }

// waiting collects the ages of the oldest events that are not delivered. Only the process that
// delivers has endpoints.
type waiting struct{ status func() []outbox.Status }

var oldestEvent = prometheus.NewDesc("product_comments_webhook_oldest_undelivered_seconds",
	"Age of the oldest event that an endpoint has not acknowledged and that has not failed; 0 for none.", []string{"endpoint"}, nil)

// Describe implements prometheus.Collector.
func (waiting) Describe(to chan<- *prometheus.Desc) { to <- oldestEvent }

// Collect implements prometheus.Collector.
func (w waiting) Collect(to chan<- prometheus.Metric) {
	for _, s := range w.status() {
		age := 0.0
		if !s.Oldest.IsZero() {
			age = max(0, time.Since(s.Oldest).Seconds())
		}
		to <- prometheus.MustNewConstMetric(oldestEvent, prometheus.GaugeValue, age, s.Endpoint)
	}
}
