package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
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

// Spans wait for the collector in the SDK's queue, of 2,048; a span that finds it full is dropped, so
// no request waits.
const (
	exportWithin = 5 * time.Second
	shutdownTime = 2 * time.Second
	scope        = "product-comments"
	tracesPath   = "/v1/traces"
	disabledEnv  = "OTEL_SDK_DISABLED" // disables tracing
)

// tracing creates spans. A nil tracing creates none, at no cost.
type tracing struct {
	tracer   trace.Tracer
	provider *sdk.TracerProvider
	trusted  bool
}

// start returns nil if tracing is not configured. OpenTelemetry's errors in this process, such as
// of batches that the collector did not accept, are logged at a limited rate.
func (o Traces) start(log *slog.Logger) (*tracing, error) {
	if o.Endpoint == "" || strings.EqualFold(os.Getenv(disabledEnv), "true") {
		return nil, nil
	}
	endpoint, err := url.Parse(o.Endpoint)
	if err != nil || endpoint.Host == "" || (endpoint.Scheme != "http" && endpoint.Scheme != "https") {
		return nil, fmt.Errorf("the collector of traces must be a URL such as http://127.0.0.1:4318")
	}
	lines := rate.Sometimes{Interval: time.Minute}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		lines.Do(func() { log.Warn("traces are incomplete", "error", err) })
	}))
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
	t := &tracing{trusted: o.Trusted}
	t.provider = sdk.NewTracerProvider(
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(o.Ratio))),
		sdk.WithResource(described), sdk.WithBatcher(client))
	t.tracer = t.provider.Tracer(scope)
	return t, nil
}

// close sends the remaining spans, for a bounded time. Spans that cannot be sent are dropped
// without an error.
func (t *tracing) close() {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		otel.Handle(err)
	}
}
