package server_test

import (
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/servertest"
)

// When a session ends, however it does, another one has what it held, and what waited
// behind it, within a second.
func TestAnotherSessionTakesOverWithinASecond(t *testing.T) {
	for name, c := range map[string]struct {
		sub *headracev1.Subscription
		// second is how the other session opens, before the first one has ended or after.
		second *headracev1.SubscribeRequest_Open
		before bool
		// standby: it gets nothing before.
		standby bool
		end     func(*subscribeStub)
	}{
		"shared, closed": {
			sub: &headracev1.Subscription{}, before: true, second: &headracev1.SubscribeRequest_Open{},
			end: func(s *subscribeStub) { s.finish() },
		},
		"shared, broken": {
			sub: &headracev1.Subscription{}, before: true, second: &headracev1.SubscribeRequest_Open{},
			end: func(s *subscribeStub) { s.cancel() },
		},
		"exclusive, taken over": {
			sub:    &headracev1.Subscription{Mode: headracev1.SubscriptionMode_SUBSCRIPTION_MODE_EXCLUSIVE},
			second: &headracev1.SubscribeRequest_Open{Takeover: true},
			end:    func(*subscribeStub) {},
		},
		"exclusive, broken": {
			sub:    &headracev1.Subscription{Mode: headracev1.SubscriptionMode_SUBSCRIPTION_MODE_EXCLUSIVE},
			second: &headracev1.SubscribeRequest_Open{},
			end:    func(s *subscribeStub) { s.cancel(); synctest.Wait() },
		},
		"failover, broken": {
			sub: &headracev1.Subscription{
				Mode: headracev1.SubscriptionMode_SUBSCRIPTION_MODE_FAILOVER, Order: headracev1.DeliveryOrder_DELIVERY_ORDER_NONE,
			},
			before: true, standby: true, second: &headracev1.SubscribeRequest_Open{},
			end: func(s *subscribeStub) { s.cancel() },
		},
		"ephemeral, broken": {
			sub:    &headracev1.Subscription{Ephemeral: true},
			second: &headracev1.SubscribeRequest_Open{},
			end:    func(s *subscribeStub) { s.cancel() },
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := servertest.Start(t, servertest.Options{})
				s.CreateTopic("orders")
				c.sub.Name, c.sub.Topic = "workers", "orders"
				_, err := s.Subscriptions.CreateSubscription(t.Context(), &headracev1.CreateSubscriptionRequest{Subscription: c.sub})
				if err != nil {
					t.Fatal(err)
				}
				open := &headracev1.SubscribeRequest_Open{
					Subscription: "workers", Window: &headracev1.SubscribeRequest_Window{Messages: proto.Uint64(1)},
				}
				first := openSubscribe(t, s, open)
				s.Publish("orders", &headracev1.Message{Data: []byte("held")})
				s.Publish("orders", &headracev1.Message{Data: []byte("waiting")})
				first.nextBatch()
				c.second.Subscription, c.second.Window = "workers", &headracev1.SubscribeRequest_Window{Messages: proto.Uint64(2)}
				var second *subscribeStub
				if c.before {
					second = openSubscribe(t, s, c.second)
				}
				if c.before && !c.standby {
					second.nextBatch() // What waited is its own already.
				}
				began := time.Now()
				c.end(first)
				if second == nil {
					second = openSubscribe(t, s, c.second)
				}
				second.nextBatch()
				if took := time.Since(began); took >= time.Second {
					t.Errorf("taken over after %v", took)
				}
			})
		})
	}
}
