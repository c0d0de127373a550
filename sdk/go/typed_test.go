package headrace_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	headrace "github.com/headrace/headrace/sdk/go"
)

// A payload type that is at hand.
type payload = *headracev1.Topic

func TestRealTypedPayloadsArriveAndOthersAreDeadLetters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := startReal(t)
		orders := headrace.Typed[payload](c.Topic("orders"))
		sent := &headracev1.Topic{Name: "two loaves"}
		id, err := orders.Publish(t.Context(), sent, headrace.WithOrderingKey("table 4"),
			headrace.WithAttributes(map[string]string{"a": "b"}), headrace.WithContentType("application/x-odd"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := orders.Topic().Publish(t.Context(), message("\xff no payload")); err != nil {
			t.Fatal(err)
		}
		if err := orders.PublishOneWay(t.Context(), &headracev1.Topic{Name: "last"}); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		var got []string
		err = headrace.TypedFrom[payload](c.Subscription("billing")).Receive(ctx,
			func(_ context.Context, d *headrace.TypedDelivery[payload]) error {
				if len(got) == 0 && (d.ID() != id || d.OrderingKey != "table 4" || d.Attributes["a"] != "b" || d.ContentType != "application/x-odd") {
					t.Errorf("got %+v", d.Message)
				}
				got = append(got, d.Payload.GetName())
				if d.Payload.GetName() == "last" {
					stop()
				}
				return nil
			})
		if err != nil || len(got) != 2 || got[0] != "two loaves" {
			t.Errorf("received %v, %v", got, err)
		}
		for letter, err := range c.Subscriptions().DeadLetters(t.Context(), "billing", nil) {
			if err != nil || letter.GetFailures()[0].GetCode() != headrace.CodeUndecodable || string(letter.GetMessage().GetData()) != "\xff no payload" {
				t.Errorf("dead letter %v, %v", letter, err)
			}
			got = append(got, "")
		}
		if len(got) != 3 {
			t.Errorf("%d dead letters", len(got)-2)
		}
	})
}

func TestRealALoopOfPayloadsAndWhatIsDoneWithOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := startReal(t)
		if _, err := c.Topic("orders").Publish(t.Context(), message("\xff")); err != nil {
			t.Fatal(err)
		}
		if _, err := headrace.Typed[payload](c.Topic("orders")).Publish(t.Context(), &headracev1.Topic{Name: "m"}); err != nil {
			t.Fatal(err)
		}
		odd := 0
		billing := headrace.TypedFrom[payload](c.Subscription("billing"), headrace.WithUndecodable(
			func(_ context.Context, d *headrace.Delivery, err error) error {
				odd++
				if string(d.Data) != "\xff" || err == nil {
					t.Errorf("undecodable: %q, %v", d.Data, err)
				}
				return nil
			}))
		for d, err := range billing.Deliveries(t.Context()) {
			if err != nil || d.Payload.GetName() != "m" {
				t.Fatalf("got %v, %v", d, err)
			}
			d.Ack()
			break
		}
		if stats := statsOf(t, c); odd != 1 || stats.GetBacklog().GetMessages() != 0 || stats.GetAcked() != 2 {
			t.Errorf("%d undecodable, %v", odd, stats)
		}
		for d, err := range headrace.TypedFrom[payload](c.Subscription("nowhere")).Deliveries(t.Context()) {
			if d != nil || !errors.Is(err, headrace.ErrSubscriptionNotFound) {
				t.Errorf("from nowhere: %v, %v", d, err)
			}
		}
	})
}

func TestAPayloadWithoutAnEncodingIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := start(t)
		orders, bad := headrace.Typed[payload](c.Topic("orders")), &headracev1.Topic{Name: "\xff"}
		if _, err := orders.Publish(t.Context(), bad); !errors.Is(err, headrace.ErrMalformedMessage) {
			t.Errorf("publish: %v", err)
		}
		if err := orders.PublishOneWay(t.Context(), bad); !errors.Is(err, headrace.ErrMalformedMessage) {
			t.Errorf("one-way: %v", err)
		}
	})
}
