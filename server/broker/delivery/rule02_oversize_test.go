package delivery_test

import (
	"testing"

	"github.com/headrace/headrace/server/broker/delivery"
)

func TestRule2OversizeGoesAloneWhenNothingIsOutstanding(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publishSizes(0, 10, 10, 500, 10, 10)
	w.attach(1, 100, 100)
	wantOffsets(t, "before it", w.got(1), 0, 1)
	want(t, "blocked", w.lastFlow().Blocked, delivery.NoCreditBytes)
	want(t, "needs", w.lastFlow().NeedsBytes, 500)
	w.settle(1, 1, delivery.Ack, 1, 1)
	wantOffsets(t, "held back", w.got(1))
	w.settle(1, 2, delivery.Ack, 2, 2)
	wantOffsets(t, "alone", w.got(1), 2)
	w.settle(1, 3, delivery.Ack, 3, 3)
	wantOffsets(t, "after it", w.got(1), 3, 4)
}

func TestRule2OversizeIsOfferedFirstToWhomItFits(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.attach(1, 100, 100)
	w.attach(2, 100, 1000)
	w.publishSizes(0, 500)
	wantOffsets(t, "to the small window", w.got(1))
	wantOffsets(t, "to the large window", w.got(2), 0)
}

func TestRule2OversizeGoesToTheSmallWindowWhenTheLargeOneIsTaken(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.attach(2, 100, 1000)
	w.publish(0, 1, 900)
	w.got(2)
	w.attach(1, 100, 100)
	w.publishSizes(0, 500)
	wantOffsets(t, "to the small window", w.got(1), 1)
}

func TestRule2OnlyOneSessionIsHeldBackForIt(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.attach(1, 100, 100)
	w.attach(2, 100, 100)
	w.publishSizes(0, 10)
	w.publishSizes(0, 10)
	w.got(1)
	w.got(2)
	w.publishSizes(0, 500, 10, 10, 10)
	want(t, "delivered behind it", len(w.got(1))+len(w.got(2)), 3)
	w.settle(1, 1, delivery.Ack, 1, 4)
	w.settle(2, 1, delivery.Ack, 1, 4)
	want(t, "delivered alone", len(w.got(1))+len(w.got(2)), 1)
	want(t, "outstanding", w.stats().OutstandingBytes, 500)
}

func TestRule2ManualOversizeGoesAloneAfterAGrantThatRaises(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publishSizes(0, 10, 500, 10)
	w.attachManual(1)
	w.grant(100, 100)
	wantOffsets(t, "within the grant", w.got(1), 0)
	want(t, "needs", w.lastFlow().NeedsBytes, 500)
	w.grant(100, 100)
	wantOffsets(t, "on a grant that does not raise", w.got(1))
	w.grant(100, 101)
	wantOffsets(t, "alone", w.got(1), 1)
	want(t, "blocked", w.blocked(1), delivery.NoCreditBytes)
	w.grant(100, 510)
	wantOffsets(t, "until grants exceed the charge", w.got(1))
	w.grant(100, 520)
	wantOffsets(t, "beyond the charge", w.got(1), 2)
}

func TestRule2OversizeOfTheSubscriptionHoldsEverybodyBack(t *testing.T) {
	w := newWorld(t, delivery.Config{Subscription: delivery.Ceiling{Bytes: 100}}, 1)
	w.attach(1, 100, 1<<20)
	w.attach(2, 100, 1<<20)
	w.publishSizes(0, 10)
	w.publishSizes(0, 10)
	w.got(1)
	w.got(2)
	w.publishSizes(0, 500, 10)
	want(t, "delivered", len(w.got(1))+len(w.got(2)), 0)
	w.settle(1, 1, delivery.Ack, 1, 1)
	want(t, "delivered with one outstanding", len(w.got(1))+len(w.got(2)), 0)
	w.settle(2, 1, delivery.Ack, 1, 1)
	want(t, "delivered alone", len(w.got(1))+len(w.got(2)), 1)
	want(t, "outstanding", w.stats().OutstandingBytes, 500)
}

func TestRule2OversizeFindsAnotherWhenItsSessionStalls(t *testing.T) {
	w := newWorld(t, delivery.Config{Subscription: delivery.Ceiling{Bytes: 100}}, 1)
	w.attach(1, 100, 1<<20)
	w.publishSizes(0, 10)
	w.publishSizes(0, 500)
	w.attach(2, 100, 1<<20)
	w.do(&delivery.Writable{Stamp: w.stamp(1), Writable: false})
	w.got(1)
	w.settle(1, 1, delivery.Ack, 1, 1)
	wantOffsets(t, "to the other", w.got(2), 1)
}
