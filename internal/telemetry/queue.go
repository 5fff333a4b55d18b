package telemetry

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"product-comments/store/item"
	"product-comments/store/moderation"
)

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
