package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"product-comments/store/table"
)

// active returns the span of a context, nil if it is not recorded. Background work has none.
func active(ctx context.Context) trace.Span {
	if span := trace.SpanFromContext(ctx); span.IsRecording() {
		return span
	}
	return nil
}

// within starts a span as a child of a recorded one.
func within(
	ctx context.Context, outer trace.Span, name string, options ...trace.SpanStartOption,
) (context.Context, trace.Span) {
	return outer.TracerProvider().Tracer(scope).Start(ctx, name, options...)
}

// called records a completed call.
func called(ctx context.Context, c table.Call) {
	outer := active(ctx)
	if outer == nil {
		return
	}
	_, span := within(ctx, outer, "DynamoDB "+c.Operation.String(), trace.WithTimestamp(c.Began), trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(
			attribute.String("db.system.name", "aws.dynamodb"),
			attribute.String("db.operation.name", c.Operation.String()),
			attribute.String("access", c.Access.String()), attribute.String("index", c.Index.String()),
			attribute.Float64("read_units", c.Read), attribute.Float64("write_units", c.Written),
			attribute.String("result", c.Result.String())))
	if c.Result > table.ConditionNo {
		span.SetStatus(codes.Error, c.Result.String())
	}
	span.End(trace.WithTimestamp(c.Began.Add(c.Took)))
}

// Span is a span of a request. The zero value is not recorded.
type Span struct{ trace.Span }

// BeginSpan starts a span in the request of a context.
func (*Telemetry) BeginSpan(ctx context.Context, name string) (context.Context, Span) {
	outer := active(ctx)
	if outer == nil {
		return ctx, Span{}
	}
	ctx, span := within(ctx, outer, name)
	return ctx, Span{span}
}

// RecordSpan records a span that began at a time and has just ended.
func (*Telemetry) RecordSpan(ctx context.Context, name string, began time.Time) {
	if outer := active(ctx); outer != nil {
		_, span := within(ctx, outer, name, trace.WithTimestamp(began))
		span.End()
	}
}

// Done ends the span of an operation with the name that the client gave it, and its type.
func (s Span) Done(name, kind string, failed bool) {
	if s.Span == nil {
		return
	}
	if name != "" && !isName(name) {
		name = others
	}
	s.SetAttributes(attribute.String("graphql.operation.name", name), attribute.String("graphql.operation.type", kind))
	if failed {
		s.SetStatus(codes.Error, "")
	}
	s.End()
}

// TraceID returns the id of the recorded trace of a context; empty for none.
func TraceID(ctx context.Context) string {
	if at := trace.SpanContextFromContext(ctx); at.IsValid() && at.IsSampled() {
		return at.TraceID().String()
	}
	return ""
}
