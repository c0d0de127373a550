package delivery_test

import (
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

func TestRule3SubscriptionCeiling(t *testing.T) {
	w := newWorld(t, delivery.Config{Subscription: delivery.Ceiling{Messages: 15}}, 1)
	w.publish(0, 100, 10)
	w.attach(1, 100, 1<<20)
	w.attach(2, 100, 1<<20)
	want(t, "delivered", len(w.got(1))+len(w.got(2)), 15)
	want(t, "blocked", w.blocked(2), delivery.SubscriptionCap)
}

func TestRule3SubscriptionCeilingInBytes(t *testing.T) {
	w := newWorld(t, delivery.Config{Subscription: delivery.Ceiling{Bytes: 105}}, 1)
	w.publish(0, 100, 10)
	w.attach(1, 100, 1<<20)
	want(t, "delivered", w.count(1), 10)
	want(t, "blocked", w.blocked(1), delivery.SubscriptionCap)
}

func TestRule3ClientCeilingIsSharedByItsSessions(t *testing.T) {
	w := newWorld(t, delivery.Config{Client: delivery.Ceiling{Messages: 10}}, 1)
	w.publish(0, 100, 10)
	for id := range delivery.SessionID(2) {
		attach := w.session(id+1, 100, 1<<20)
		attach.ClientID = "worker"
		w.do(attach)
	}
	w.attach(3, 90, 1<<20)
	want(t, "of the client", len(w.got(1))+len(w.got(2)), 10)
	want(t, "of another", w.count(3), 90)
	want(t, "blocked", w.blocked(2), delivery.ClientCap|delivery.NoMessages)
	w.publish(0, 10, 10)
	w.settle(1, 1, delivery.Ack, 1, 10)
	want(t, "delivered to the client after acks", len(w.got(1))+len(w.got(2)), 10)
}

func TestRule3ChangesOfCeilingsAreTold(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 100, 10)
	w.attach(1, 100, 1<<20)
	want(t, "ceiling at first", w.attached[0].Ceilings.Subscription, delivery.Ceiling{
		Messages: delivery.DefaultMaxMessages, Bytes: delivery.DefaultMaxBytes,
	})
	w.wait(2 * time.Second)
	w.do(&delivery.Configure{Config: delivery.Config{Subscription: delivery.Ceiling{Messages: 5}}})
	want(t, "ceiling told", w.lastFlow().Ceilings.Subscription.Messages, 5)
	want(t, "outstanding stays", w.stats().Outstanding, 100)
}
