package command

import (
	"fmt"
	"log/slog"
	"time"

	"product-comments/internal/server/telemetry"
)

// telemetryFlags configure traces and the log of slow and costly pages.
type telemetryFlags struct {
	SlowPage     time.Duration `help:"Log the plan of a page that takes at least this long to read; 0 is never." default:"500ms" env:"SLOW_PAGE" placeholder:"TIME"`
	OTLPEndpoint string        `name:"otlp-endpoint" help:"Collector of OpenTelemetry traces (OTLP over HTTP), such as http://127.0.0.1:4318. The default is no traces." env:"OTEL_EXPORTER_OTLP_ENDPOINT" placeholder:"URL"`
	TraceRatio   float64       `help:"Fraction of the requests that are traced, 0 to 1." default:"0.05" env:"TRACE_RATIO" placeholder:"RATIO"`
	TrustTraces  bool          `help:"Continue the traces of incoming requests, and follow their decision whether to sample. Enable it only if all clients are your own." env:"TRUST_TRACES"`
}

// watch returns the telemetry of a process.
func (f *telemetryFlags) watch(log *slog.Logger) (*telemetry.Telemetry, error) {
	switch {
	case f.SlowPage < 0:
		return nil, fmt.Errorf("--slow-page is %s: give a time such as 500ms, or 0 to log no plans", f.SlowPage)
	case f.TraceRatio < 0 || f.TraceRatio > 1:
		return nil, fmt.Errorf("--trace-ratio is %v: it must be from 0 to 1, such as 0.05", f.TraceRatio)
	}
	watched := telemetry.New(telemetry.Options{Log: log, Slow: f.SlowPage})
	traces := telemetry.Traces{Endpoint: f.OTLPEndpoint, Ratio: f.TraceRatio, Version: version(),
		Trusted: f.TrustTraces}
	if err := watched.StartTraces(traces); err != nil {
		return nil, fmt.Errorf("--otlp-endpoint: %w", err)
	}
	return watched, nil
}
