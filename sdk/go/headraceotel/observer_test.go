package headraceotel_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	headrace "github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/sdk/go/headraceotel"
	"github.com/headrace/headrace/server/servertest"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

// telemetry is what a client's spans and metrics came to.
type telemetry struct {
	spans   *tracetest.SpanRecorder
	metrics *metric.ManualReader
	client  *headrace.Client
}

// start starts a real server with a topic and a subscription, and a client that is
// observed.
func start(t *testing.T) *telemetry {
	t.Helper()
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("billing", "orders")
	o := &telemetry{spans: tracetest.NewSpanRecorder(), metrics: metric.NewManualReader()}
	observer := headraceotel.New(
		headraceotel.WithTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(o.spans))),
		headraceotel.WithMeterProvider(metric.NewMeterProvider(metric.WithReader(o.metrics))),
	)
	c, err := headrace.Dial(t.Context(), "real", headrace.WithDialer(s.DialContext), headrace.WithObserver(observer))
	if err != nil {
		t.Fatal(err)
	}
	o.client = c
	t.Cleanup(func() { _ = c.Close() }) // The test closes it, too.
	return o
}

// ended closes the client, after which every span has ended, and gives those of a name.
func (o *telemetry) ended(t *testing.T, name string) []sdktrace.ReadOnlySpan {
	t.Helper()
	if err := o.client.Close(); err != nil {
		t.Fatal(err)
	}
	if begun := len(o.spans.Started()); begun != len(o.spans.Ended()) {
		t.Errorf("%d spans begun, %d ended", begun, len(o.spans.Ended()))
	}
	return slices.DeleteFunc(o.spans.Ended(), func(s sdktrace.ReadOnlySpan) bool { return s.Name() != name })
}

// counted gives how many messages each counter has, by name and error.type.
func (o *telemetry) counted(t *testing.T) map[string]int64 {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := o.metrics.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int64{}
	for _, m := range all.ScopeMetrics[0].Metrics {
		if sum, ok := m.Data.(metricdata.Sum[int64]); ok {
			for _, p := range sum.DataPoints {
				kind, _ := p.Attributes.Value("error.type")
				counts[m.Name+" "+kind.AsString()] += p.Value
			}
		}
	}
	return counts
}

func TestADeliveryIsLinkedToItsMessage(t *testing.T) {
	o := start(t)
	attributes := map[string]string{"mine": "too", "traceparent": "of a message that is sent on"}
	if _, err := o.client.Topic("orders").Publish(t.Context(), headrace.Message{Data: []byte("m"), Attributes: attributes}); err != nil {
		t.Fatal(err)
	}
	if len(attributes) != 2 || attributes["traceparent"] != "of a message that is sent on" {
		t.Errorf("the caller's attributes became %v", attributes)
	}
	ctx, stop := context.WithCancel(t.Context())
	var inHandler trace.SpanContext
	attempts := 0
	err := o.client.Subscription("billing").Receive(ctx, func(ctx context.Context, d *headrace.Delivery) error {
		attempts++
		if attempts == 1 {
			return headrace.RetryIn(0, errors.New("not yet"))
		}
		inHandler = trace.SpanContextFromContext(ctx)
		if d.Attributes["mine"] != "too" {
			t.Errorf("attributes %v", d.Attributes)
		}
		stop()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	works := o.ended(t, "process default/billing")
	sends := slices.DeleteFunc(o.spans.Ended(), func(s sdktrace.ReadOnlySpan) bool { return s.Name() != "send default/orders" })
	if len(sends) != 1 || len(works) != 2 || sends[0].SpanKind() != trace.SpanKindProducer || works[1].SpanKind() != trace.SpanKindConsumer {
		t.Fatalf("%d sends, %d works", len(sends), len(works))
	}
	for _, w := range works {
		if len(w.Links()) != 1 || w.Links()[0].SpanContext.SpanID() != sends[0].SpanContext().SpanID() {
			t.Errorf("linked to %v", w.Links())
		}
	}
	if works[0].Status().Code != codes.Error || works[1].Status().Code == codes.Error || works[1].SpanContext().SpanID() != inHandler.SpanID() {
		t.Errorf("%v, then %v, in the handler %v", works[0].Status(), works[1].Status(), inHandler)
	}
	want := map[string]int64{
		"messaging.client.sent.messages ": 1, "messaging.client.consumed.messages ": 1, "messaging.client.consumed.messages _OTHER": 1,
	}
	if got := o.counted(t); len(got) != len(want) || got["messaging.client.sent.messages "] != 1 || got["messaging.client.consumed.messages _OTHER"] != 1 {
		t.Errorf("counted %v, want %v", got, want)
	}
}

func TestALoopsDeliveryEndsWithItsSettle(t *testing.T) {
	o := start(t)
	if err := o.client.Topic("orders").PublishOneWay(t.Context(), headrace.Message{Data: []byte("m")}); err != nil {
		t.Fatal(err)
	}
	for d, err := range o.client.Subscription("billing").Deliveries(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if !trace.SpanContextFromContext(d.Context()).IsValid() {
			t.Error("the delivery's context has no span")
		}
		if err := d.AckConfirm(t.Context()); err != nil {
			t.Error(err)
		}
		if d.Context().Err() == nil {
			t.Error("the delivery's context goes on")
		}
		break
	}
	if works := o.ended(t, "process default/billing"); len(works) != 1 || works[0].Status().Code == codes.Error {
		t.Errorf("spans %v", works)
	}
}

func TestAFailedPublishSaysItsReason(t *testing.T) {
	o := start(t)
	if _, err := o.client.Topic("nowhere").Publish(t.Context(), headrace.Message{}); !errors.Is(err, headrace.ErrTopicNotFound) {
		t.Fatal(err)
	}
	if _, err := o.client.Topic("").Publish(t.Context(), headrace.Message{}); !errors.Is(err, headrace.ErrInvalidName) {
		t.Fatal(err)
	}
	for _, s := range o.ended(t, "send default/nowhere") {
		if s.Status().Code != codes.Error {
			t.Errorf("status %v", s.Status())
		}
	}
	if got := o.counted(t); got["messaging.client.sent.messages TOPIC_NOT_FOUND"] != 1 || got["messaging.client.sent.messages INVALID_NAME"] != 1 {
		t.Errorf("counted %v", got)
	}
}
