package delivery_test

import (
	"testing"

	"github.com/headrace/headrace/server/broker/delivery"
)

// exclusive has session 1 hold ten messages of an exclusive subscription.
func exclusive(t *testing.T, clientID string) *world {
	t.Helper()
	w := newWorld(t, delivery.Config{Mode: delivery.Exclusive}, 1)
	w.publish(0, 20, 10)
	attach := w.session(1, 10, 1<<20)
	attach.ClientID = clientID
	w.do(attach)
	want(t, "delivered", w.count(1), 10)
	return w
}

func (w *world) wantTakenOver() {
	w.t.Helper()
	want(w.t, "ended", len(w.ended), 1)
	want(w.t, "reason", w.ended[0], delivery.EndSession{Session: 1, Reason: delivery.EndTakenOver, Served: true})
	want(w.t, "revoked", w.revoked[0].Ranges[0], delivery.SequenceRange{First: 1, Last: 10})
	want(w.t, "reason of that", w.revoked[0].Reason, delivery.TakenOver)
	for i, offset := range w.got(2) {
		want(w.t, "offset", offset, uint64(i))
	}
	s := w.stats()
	want(w.t, "expired", s.Expired, 0)
	want(w.t, "released", s.Released, 10)
	for _, d := range w.delivers {
		want(w.t, "attempts above 1", len(d.Attempts), 0)
	}
}

func TestRule13ASecondSessionIsRefused(t *testing.T) {
	w := exclusive(t, "a")
	second := w.session(2, 10, 1<<20)
	second.ClientID = "b"
	w.do(second)
	want(t, "refused", w.ended[0], delivery.EndSession{Session: 2, Reason: delivery.EndRefused})
	w.settle(1, 1, delivery.Ack, 1, 10)
	want(t, "delivered to the first", w.count(1), 10)
}

func TestRule13SessionsWithoutAClientIDAreNotTheSame(t *testing.T) {
	w := exclusive(t, "")
	w.attach(2, 10, 1<<20)
	want(t, "refused", w.ended[0].Reason, delivery.EndRefused)
}

func TestRule13TheSameClientTakesOver(t *testing.T) {
	w := exclusive(t, "a")
	second := w.session(2, 10, 1<<20)
	second.ClientID = "a"
	w.do(second)
	w.wantTakenOver()
}

func TestRule13TakeoverWhenAskedFor(t *testing.T) {
	w := exclusive(t, "a")
	second := w.session(2, 10, 1<<20)
	second.ClientID, second.Takeover = "b", true
	w.do(second)
	w.wantTakenOver()
}

func TestRule13LateFramesOfTheOldStreamAreDropped(t *testing.T) {
	w := exclusive(t, "a")
	second := w.session(2, 10, 1<<20)
	second.Takeover = true
	w.do(second)
	w.settle(1, 1, delivery.Ack, 1, 10)
	w.detach(delivery.Broken)
	want(t, "acked", w.stats().Acked, 0)
	want(t, "expired", w.stats().Expired, 0)
	want(t, "outstanding", w.stats().Outstanding, 10)
}

func TestRule13ARefusedTakeoverOfSharedSubscriptionsIsNone(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.attach(1, 10, 1<<20)
	second := w.session(2, 10, 1<<20)
	second.Takeover = true
	w.do(second)
	want(t, "ended", len(w.ended), 0)
	want(t, "attached", len(w.attached), 2)
}

func TestRule13AnExclusiveSessionMayFollowAClosedOne(t *testing.T) {
	w := exclusive(t, "a")
	w.holdCommits = true
	w.do(w.settling(1, 1, delivery.Ack, 1, 2))
	w.do(&delivery.Detach{Stamp: w.stamp(1), How: delivery.Clean})
	want(t, "ended before the commit", len(w.ended), 0)
	w.attach(2, 10, 1<<20)
	want(t, "attached", len(w.attached), 2)
	w.do(w.commit())
	want(t, "the closed one ends", w.ended[0], delivery.EndSession{Session: 1, Reason: delivery.EndClosed, Served: true})
}
