package headraceotel

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	headrace "github.com/headrace/headrace/sdk/go"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// scope is the instrumentation's name.
const scope = "github.com/headrace/headrace/sdk/go/headraceotel"

// maxAttributes is how many attributes a message may have.
const maxAttributes = 100

// Option changes what [New] makes.
type Option func(*config)

type config struct {
	tracers    trace.TracerProvider
	meters     metric.MeterProvider
	propagator propagation.TextMapPropagator
}

// WithTracerProvider says where spans go; p must not be nil. Default: the global provider
// at the time of [New].
func WithTracerProvider(p trace.TracerProvider) Option { return func(c *config) { c.tracers = p } }

// WithMeterProvider says where metrics go; p must not be nil. Default: the global provider
// at the time of [New].
func WithMeterProvider(p metric.MeterProvider) Option { return func(c *config) { c.meters = p } }

// WithPropagator says how a message carries its trace; p must not be nil. Default: as W3C
// Trace Context has it, in the attributes "traceparent" and "tracestate".
func WithPropagator(p propagation.TextMapPropagator) Option {
	return func(c *config) { c.propagator = p }
}

// Observer makes spans and metrics. It is made by [New], and safe for concurrent use.
type Observer struct {
	tracer     trace.Tracer
	propagator propagation.TextMapPropagator
	sent       operation
	processed  operation
}

var _ headrace.Observer = (*Observer)(nil)

// New makes an observer for [headrace.WithObserver]. A metric that the provider refuses is
// told to OpenTelemetry's error handler, and is not measured.
func New(opts ...Option) *Observer {
	c := config{tracers: otel.GetTracerProvider(), meters: otel.GetMeterProvider(), propagator: propagation.TraceContext{}}
	for _, o := range opts {
		o(&c)
	}
	meter := c.meters.Meter(scope)
	return &Observer{
		tracer: c.tracers.Tracer(scope), propagator: c.propagator,
		sent:      newOperation(meter, "messaging.client.sent.messages", "messaging.client.operation.duration"),
		processed: newOperation(meter, "messaging.client.consumed.messages", "messaging.process.duration"),
	}
}

// Publishing begins the span of a message and has the message carry it. ended ends the
// span, with the error if there is one, and measures. The client calls both.
func (o *Observer) Publishing(ctx context.Context, topic string, m *headrace.Message) (ended func(headrace.Position, error)) {
	about := []attribute.KeyValue{
		attribute.String("messaging.system", "headrace"), attribute.String("messaging.destination.name", topic),
		attribute.String("messaging.operation.name", "send"), attribute.String("messaging.operation.type", "send"),
	}
	//nolint:spancheck // ended ends it.
	ctx, span := o.tracer.Start(ctx, "send "+topic, trace.WithSpanKind(trace.SpanKindProducer), trace.WithAttributes(about...),
		trace.WithAttributes(attribute.Int("messaging.message.body.size", len(m.Data))))
	o.inject(ctx, m)
	began := time.Now()
	return func(p headrace.Position, err error) { //nolint:spancheck // It ends it.
		if err == nil && p != (headrace.Position{}) {
			span.SetAttributes(attribute.String("messaging.message.id", p.String()))
		}
		o.sent.end(ctx, span, time.Since(began), err, about)
	}
}

// inject gives a message a copy of its attributes that carries the trace, if it has room.
func (o *Observer) inject(ctx context.Context, m *headrace.Message) {
	carried := propagation.MapCarrier{}
	maps.Copy(carried, m.Attributes)
	o.propagator.Inject(ctx, carried)
	if len(carried) > 0 && len(carried) <= maxAttributes {
		m.Attributes = carried
	}
}

// Working begins the span of work on a delivery, linked to that of its message, and returns
// the context that has it. ended ends the span, with the error if there is one, and
// measures. The client calls both.
func (o *Observer) Working(ctx context.Context, subscription string, d *headrace.Delivery) (working context.Context, ended func(error)) {
	about := []attribute.KeyValue{
		attribute.String("messaging.system", "headrace"), attribute.String("messaging.destination.subscription.name", subscription),
		attribute.String("messaging.operation.name", "process"), attribute.String("messaging.operation.type", "process"),
	}
	options := []trace.SpanStartOption{
		trace.WithSpanKind(trace.SpanKindConsumer), trace.WithAttributes(about...), trace.WithAttributes(
			attribute.String("messaging.message.id", string(d.ID())), attribute.Int("messaging.message.body.size", len(d.Data)),
			attribute.Int("headrace.delivery.attempt", d.Attempt()),
		),
	}
	from := trace.SpanContextFromContext(o.propagator.Extract(context.Background(), propagation.MapCarrier(d.Attributes)))
	if from.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: from}))
	}
	//nolint:spancheck // ended ends it.
	ctx, span := o.tracer.Start(ctx, "process "+subscription, options...)
	began := time.Now()
	//nolint:spancheck // It ends it.
	return ctx, func(err error) { o.processed.end(ctx, span, time.Since(began), err, about) }
}

// operation is what is counted and measured of one kind of operation.
type operation struct {
	count    metric.Int64Counter
	duration metric.Float64Histogram
}

func newOperation(meter metric.Meter, count, duration string) operation {
	counter, err := meter.Int64Counter(count, metric.WithUnit("{message}"))
	if err != nil {
		otel.Handle(err)
	}
	histogram, err := meter.Float64Histogram(duration, metric.WithUnit("s"))
	if err != nil {
		otel.Handle(err)
	}
	return operation{counter, histogram}
}

// end ends a span, and counts and measures what it was about.
func (o *operation) end(ctx context.Context, span trace.Span, took time.Duration, err error, about []attribute.KeyValue) {
	if err != nil {
		kind := attribute.String("error.type", errorType(err))
		about = append(slices.Clip(about), kind)
		span.SetAttributes(kind)
		span.SetStatus(codes.Error, err.Error())
	}
	span.End()
	set := metric.WithAttributes(about...)
	o.count.Add(context.WithoutCancel(ctx), 1, set)
	o.duration.Record(context.WithoutCancel(ctx), took.Seconds(), set)
}

// errorType is the reason of an error of headrace's, and "_OTHER" of others.
func errorType(err error) string {
	if e, ok := errors.AsType[*headrace.Error](err); ok && e.Reason != "" {
		return string(e.Reason)
	}
	return "_OTHER"
}
