package delivery_test

import (
	"testing"

	"github.com/headrace/headrace/server/broker/delivery"
)

func TestRule1WindowCapsWhatIsOutstanding(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 100, 10)
	w.attach(1, 30, 1<<20)
	want(t, "delivered", w.count(1), 30)
	w.settle(1, 1, delivery.Ack, 1, 10)
	want(t, "delivered after ten acks", w.count(1), 10)
	want(t, "outstanding", w.stats().Outstanding, 30)
}

func TestRule1BytesStopWhenTheyAreExhaustedFirst(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 100, 100)
	w.attach(1, 1000, 1050)
	want(t, "delivered", w.count(1), 10)
	want(t, "blocked", w.blocked(1), delivery.NoCreditBytes)
	want(t, "needs", w.lastFlow().NeedsBytes, 100)
}

func TestRule1NewWindowReplacesTheOldOne(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 100, 10)
	w.attach(1, 10, 1<<20)
	w.window(1, 25, 1<<20)
	want(t, "delivered", w.count(1), 25)
}

func TestRule1ShrinkingRevokesNothing(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 100, 10)
	w.attach(1, 20, 1<<20)
	w.window(1, 5, 1<<20)
	want(t, "outstanding", w.stats().Outstanding, 20)
	want(t, "revocations", len(w.revoked), 0)
	w.count(1)
	w.settle(1, 1, delivery.Ack, 1, 15)
	want(t, "delivered at the window", w.count(1), 0)
	w.settle(1, 2, delivery.Ack, 16, 17)
	want(t, "delivered below the window", w.count(1), 2)
}

func TestRule1WindowOfZeroPauses(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10, 10)
	w.attach(1, 0, 1<<20)
	w.attach(2, 10, 0)
	want(t, "delivered without messages", w.count(1), 0)
	want(t, "delivered without bytes", w.count(2), 0)
	want(t, "blocked", w.blocked(2), delivery.NoCreditBytes)
}

func TestRule1ManualStartsWithoutCredit(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10, 10)
	attach := w.session(1, 10, 1<<20)
	attach.Replenish = delivery.Manual
	w.do(attach)
	want(t, "delivered", w.count(1), 0)
	want(t, "blocked", w.blocked(1), delivery.NoCreditMessages|delivery.NoCreditBytes)
}

func TestRule1GrantsAreCumulative(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 100, 10)
	w.attachManual(1)
	w.grant(10, 1000)
	want(t, "delivered", w.count(1), 10)
	w.grant(10, 1000)
	want(t, "delivered on a repeat", w.count(1), 0)
	w.settle(1, 1, delivery.Ack, 1, 10)
	want(t, "delivered after settling", w.count(1), 0)
	w.grant(30, 250)
	want(t, "delivered within bytes", w.count(1), 15)
	w.grant(5, 100)
	want(t, "delivered after going down", w.count(1), 0)
	w.grant(26, 1000)
	want(t, "delivered after going up again", w.count(1), 1)
}

func TestRule1ChargedBytesAddUp(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10, 7)
	w.attach(1, 4, 1<<20)
	w.settle(1, 1, delivery.Ack, 1, 4)
	want(t, "frames", len(w.delivers), 2)
	want(t, "first charge", w.delivers[0].ChargedBytes, 28)
	want(t, "second charge", w.delivers[1].ChargedBytes, 56)
}

func TestRule1CeilingOfTheServerHoldsInBothModes(t *testing.T) {
	w := newWorld(t, delivery.Config{Stream: delivery.Ceiling{Messages: 7}}, 1)
	w.publish(0, 100, 10)
	w.attachManual(1)
	w.grant(1000, 1<<20)
	want(t, "delivered in manual", w.count(1), 7)
	w.attach(2, 1000, 1<<20)
	want(t, "delivered on settle", w.count(2), 7)
	want(t, "ceiling told", w.attached[1].Ceilings.Stream.Messages, 7)
}

func TestRule1CreditOfTheOtherModeEndsTheSession(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.attach(1, 10, 10)
	w.attachManual(2)
	w.grant(10, 10)
	w.window(2, 10, 10)
	want(t, "ended", len(w.ended), 2)
	for _, e := range w.ended {
		want(t, "reason", e.Reason, delivery.EndWrongCredit)
	}
}
