package telemetry

import (
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// paths are those of requests that are counted by their own; the first stands for
// all others.
var paths = []string{others, "/", "/graphql", "/healthz", "/readyz", "/metrics"}

// requests count HTTP requests.
type requests struct {
	total   *grid[prometheus.Counter] // by path and status
	seconds *grid[prometheus.Observer]
}

const statuses = 600 // HTTP's are below

func newRequests(r *prometheus.Registry) *requests {
	total := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "product_comments_http_requests_total", Help: "HTTP requests by path and status.",
	}, []string{"path", "status"})
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "product_comments_http_request_seconds", Help: "Time to answer HTTP requests, by path.",
		Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"path"})
	r.MustRegister(total, seconds)
	return &requests{
		total: newGrid(len(paths)*statuses, func(cell int) prometheus.Counter {
			return total.WithLabelValues(paths[cell/statuses], strconv.Itoa(cell%statuses))
		}),
		seconds: newGrid(len(paths), func(cell int) prometheus.Observer { return seconds.WithLabelValues(paths[cell]) }),
	}
}

// Answered counts an HTTP request.
func (t *Telemetry) Answered(path string, status int, took time.Duration) {
	at := max(0, slices.Index(paths, path))
	if status < 0 || status >= statuses {
		status = 0
	}
	t.requests.total.at(at*statuses + status).Inc()
	t.requests.seconds.at(at).Observe(took.Seconds())
}
