package headrace_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	headrace "github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/sdk/go/internal/scripted"
)

func TestARevokedHandlerIsToldWhy(t *testing.T) {
	for number, name := range headracev1.RevokeReason_name {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, c := start(t)
				h := newHolder()
				receive(t, c, h.handle)
				stream := openedSubscribe(t, s)
				stream.Send(t, scripted.Batch(1, 0, "a"))
				<-h.begun
				stream.Send(t, scripted.Revoked(1, 1, headracev1.RevokeReason(number)))
				why := <-h.ended
				reason := &headrace.Error{Reason: headrace.Reason(strings.TrimPrefix(name, "REVOKE_REASON_"))}
				if !errors.Is(why, headrace.ErrDeliveryLost) || !errors.Is(why, reason) {
					t.Errorf("the handler ended because of %v", why)
				}
			})
		})
	}
}

func TestSettlesOfLostDeliveriesAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dropped := make(chan headrace.Event, 10)
		s, c := start(t, headrace.WithEvents(func(e headrace.Event) {
			if e.Kind == headrace.SettlesDropped {
				dropped <- e
			}
		}))
		go func() { // Settles too late, and more than once.
			for d, err := range c.Subscription("billing").Deliveries(t.Context()) {
				if err != nil {
					return
				}
				<-d.Context().Done()
				d.Ack()
				d.Release()
			}
		}()
		stream := openedSubscribe(t, s)
		receive(t, c, func(ctx context.Context, d *headrace.Delivery) error {
			<-ctx.Done()
			d.Ack()
			return ctx.Err()
		})
		other := openedSubscribe(t, s)
		for _, each := range []*scripted.SubscribeStream{stream, other} {
			each.Send(t, scripted.Batch(1, 0, "a"))
			synctest.Wait()
			each.Send(t, scripted.Revoked(1, 1, headracev1.RevokeReason_REVOKE_REASON_SEEK))
			synctest.Wait()
			if n := len(dropped); n != 1 {
				t.Fatalf("%d events", n)
			}
			if e := <-dropped; e.Count != 1 || e.Subscription != "default/billing" {
				t.Errorf("event %+v", e)
			}
		}
		pass(time.Second)
	})
}
