package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/time/rate"
)

// Traces configure tracing.
type Traces struct {
	// Endpoint is the base URL of a collector for OTLP over HTTP, such as http://127.0.0.1:4318;
	// empty for no traces. OpenTelemetry's environment variables configure the rest:
	// OTEL_EXPORTER_OTLP_HEADERS, OTEL_RESOURCE_ATTRIBUTES.
	Endpoint string
	// Ratio is the fraction of requests that are traced, 0 to 1.
	Ratio float64
	// Trusted continues the traces of clients, and follows their decision whether to sample.
	// Otherwise each request starts a new trace.
	Trusted bool
	// Version of the program.
	Version string
}

// Limits of spans. They wait for the collector in a bounded queue; a span that finds it full is
// dropped, so no request waits.
const (
	queuedSpans   = 2048
	spansAtOnce   = 512
	exportEvery   = 2 * time.Second
	exportWithin  = 5 * time.Second
	shutdownTime  = 2 * time.Second
	scope         = "product-comments"
	tracesPath    = "/v1/traces"
	disabledEnv   = "OTEL_SDK_DISABLED" // disables tracing
	maxAttributes = 32                  // of a span
)

// tracing creates spans. A nil tracing creates none, at no cost.
type tracing struct {
	tracer   trace.Tracer
	provider *sdk.TracerProvider
	exporter *exporter
	trusted  bool
	closing  time.Duration // time limit of close
}

// start returns nil if tracing is not configured.
func (o Traces) start(r *prometheus.Registry, log *slog.Logger) (*tracing, error) {
	if o.Endpoint == "" || strings.EqualFold(os.Getenv(disabledEnv), "true") {
		return nil, nil
	}
	endpoint, err := url.Parse(o.Endpoint)
	if err != nil || endpoint.Host == "" || (endpoint.Scheme != "http" && endpoint.Scheme != "https") {
		return nil, fmt.Errorf("the collector of traces must be a URL such as http://127.0.0.1:4318")
	}
	client, err := otlptracehttp.New(context.Background(),
		otlptracehttp.WithEndpointURL(strings.TrimSuffix(endpoint.String(), "/")+tracesPath),
		otlptracehttp.WithTimeout(exportWithin),
		// A batch that cannot be delivered is dropped, because retries would make the queue
		// overflow.
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: false}))
	if err != nil {
		return nil, fmt.Errorf("the collector of traces: %w", err)
	}
	described, err := resource.New(context.Background(),
		resource.WithAttributes(attribute.String("service.name", scope),
			attribute.String("service.version", o.Version)),
		resource.WithFromEnv())
	if err != nil && described == nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	t := &tracing{exporter: newExporter(client, r, log), trusted: o.Trusted, closing: shutdownTime}
	limits := sdk.NewSpanLimits()
	limits.AttributeCountLimit, limits.AttributeValueLengthLimit = maxAttributes, 1024
	t.provider = sdk.NewTracerProvider(
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(o.Ratio))),
		sdk.WithResource(described), sdk.WithRawSpanLimits(limits),
		sdk.WithBatcher(t.exporter, sdk.WithMaxQueueSize(queuedSpans), sdk.WithMaxExportBatchSize(spansAtOnce),
			sdk.WithBatchTimeout(exportEvery), sdk.WithExportTimeout(exportWithin)))
	t.tracer = t.provider.Tracer(scope)
	return t, nil
}

// close sends the remaining spans, for a bounded time. Spans that cannot be sent are dropped
// without an error.
func (t *tracing) close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), t.closing)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		t.exporter.log.Warn("some spans could not be sent before the shutdown", "error", err)
	}
	t.exporter.end() // cancels a send if the collector hangs
}

// exporter sends spans to a collector, counts them, and logs failures at a limited rate.
type exporter struct {
	sdk.SpanExporter
	log         *slog.Logger
	sent, lost  prometheus.Counter
	complaining *rate.Limiter

	life context.Context // cancels sends under way
	stop context.CancelFunc
	busy sync.Mutex // held while spans are sent
}

func newExporter(to sdk.SpanExporter, r *prometheus.Registry, log *slog.Logger) *exporter {
	spans := counters(r, "product_comments_trace_spans_total",
		"Spans that the collector accepted, and spans that it did not. Spans that did not fit into the queue are not counted.", "result")
	e := &exporter{
		SpanExporter: to, log: log, sent: spans.WithLabelValues("sent"), lost: spans.WithLabelValues("lost"),
		complaining: rate.NewLimiter(rate.Every(time.Minute), 1),
	}
	e.life, e.stop = context.WithCancel(context.Background())
	return e
}

// ExportSpans implements sdk.SpanExporter. It never fails: lost spans are counted.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	e.busy.Lock() // batches are sent one at a time anyway
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
		e.log.Warn("the collector did not accept traces", "error", err)
	}
	return nil
}

// end cancels sends under way, and waits for their end.
func (e *exporter) end() {
	e.stop()
	e.busy.Lock()
	defer e.busy.Unlock()
}
