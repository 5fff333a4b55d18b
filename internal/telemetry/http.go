package telemetry

import (
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// paths are those of requests that are counted by their own.
var paths = []string{"/", "/graphql", "/healthz", "/readyz", "/metrics"}

// requests count HTTP requests.
type requests struct {
	total   *prometheus.CounterVec // by path and status
	seconds *prometheus.HistogramVec
}

func newRequests(r *prometheus.Registry) requests {
	return requests{
		total: promauto.With(r).NewCounterVec(prometheus.CounterOpts{
			Name: "product_comments_http_requests_total", Help: "HTTP requests by path and status.",
		}, []string{"path", "status"}),
		seconds: promauto.With(r).NewHistogramVec(prometheus.HistogramOpts{
			Name: "product_comments_http_request_seconds", Help: "Time to answer HTTP requests, by path.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"path"}),
	}
}

// statuses are the labels of HTTP's statuses; 0 is that of any other.
var statuses = func() (labels [600]string) {
	for status := range labels {
		labels[status] = strconv.Itoa(status)
	}
	return labels
}()

// Answered counts an HTTP request.
func (t *Telemetry) Answered(path string, status int, took time.Duration) {
	if status < 0 || status >= len(statuses) {
		status = 0
	}
	t.requests.total.WithLabelValues(route(path), statuses[status]).Inc()
	t.requests.seconds.WithLabelValues(route(path)).Observe(took.Seconds())
}

// route is a path that labels and names of spans may hold.
func route(path string) string {
	if slices.Contains(paths, path) {
		return path
	}
	return others
}
