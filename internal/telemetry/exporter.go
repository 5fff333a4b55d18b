package telemetry

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"golang.org/x/time/rate"
)

// exporter sends spans to a collector, counts them, and tells the log now and then
// that the collector does not take them.
type exporter struct {
	sdk.SpanExporter
	log         *slog.Logger
	sent, lost  prometheus.Counter
	complaining *rate.Limiter

	life context.Context // ends what is under way
	stop context.CancelFunc
	busy sync.Mutex // is held while spans are sent
}

func newExporter(to sdk.SpanExporter, r *prometheus.Registry, log *slog.Logger) *exporter {
	spans := promauto.With(r).NewCounterVec(prometheus.CounterOpts{
		Name: "product_comments_trace_spans_total",
		Help: "Spans that were handed to the collector, and those that it did not take. What did not fit into the queue is in neither.",
	}, []string{"result"})
	e := &exporter{
		SpanExporter: to, log: log, sent: spans.WithLabelValues("sent"), lost: spans.WithLabelValues("lost"),
		complaining: rate.NewLimiter(rate.Every(time.Minute), 1),
	}
	e.life, e.stop = context.WithCancel(context.Background())
	return e
}

// ExportSpans is part of sdk.SpanExporter. It never fails: what is lost is counted.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	e.busy.Lock() // one batch after the other is sent anyway
	defer e.busy.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.life, cancel)()
	err := e.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		e.sent.Add(float64(len(spans)))
		return nil
	}
	e.lost.Add(float64(len(spans)))
	if e.complaining.Allow() {
		e.log.Warn("the collector does not take traces", "error", err)
	}
	return nil
}

// end ends what is under way, and waits for it.
func (e *exporter) end() {
	e.stop()
	e.busy.Lock()
	defer e.busy.Unlock()
}
