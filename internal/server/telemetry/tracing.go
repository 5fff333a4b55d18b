package telemetry

import (
	"context"
	"fmt"
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

// tracing creates spans.
type tracing struct {
	tracer   trace.Tracer
	provider *sdk.TracerProvider
	trusted  bool
}

// StartTraces starts tracing, if it is configured. It must be called before any event is recorded. It
// returns an error if the configuration is invalid. OpenTelemetry's errors in this process, such as of
// batches that the collector did not accept, are logged at a limited rate.
func (t *Telemetry) StartTraces(o Traces) error {
	if o.Endpoint == "" || strings.EqualFold(os.Getenv(disabledEnv), "true") {
		return nil
	}
	endpoint, err := url.Parse(o.Endpoint)
	if err != nil || endpoint.Host == "" || (endpoint.Scheme != "http" && endpoint.Scheme != "https") {
		return fmt.Errorf("the collector of traces must be a URL such as http://127.0.0.1:4318")
	}
	lines := rate.Sometimes{Interval: time.Minute}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		lines.Do(func() { t.options.Log.Warn("traces are incomplete", "error", err) })
	}))
	client, err := otlptracehttp.New(context.Background(),
		otlptracehttp.WithEndpointURL(strings.TrimSuffix(endpoint.String(), "/")+tracesPath),
		otlptracehttp.WithTimeout(exportWithin),
		// A batch that cannot be delivered is dropped, because retries would make the queue
		// overflow.
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: false}))
	if err != nil {
		return fmt.Errorf("the collector of traces: %w", err)
	}
	described, err := resource.New(context.Background(),
		resource.WithAttributes(attribute.String("service.name", scope),
			attribute.String("service.version", o.Version)),
		resource.WithFromEnv())
	if err != nil && described == nil {
		return fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	provider := sdk.NewTracerProvider(
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(o.Ratio))),
		sdk.WithResource(described), sdk.WithBatcher(client))
	t.tracing = &tracing{tracer: provider.Tracer(scope), provider: provider, trusted: o.Trusted}
	return nil
}

// Close sends the remaining spans, for two seconds at most. Spans that cannot be sent are dropped
// without an error.
func (t *Telemetry) Close() {
	if t.tracing == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	if err := t.tracing.provider.Shutdown(ctx); err != nil {
		otel.Handle(err)
	}
}
