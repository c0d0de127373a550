package delivery_test

import (
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

// explain says how a message of partition 0 stands.
func (w *world) explain(offset uint64) delivery.Explanation {
	w.t.Helper()
	e, known := w.state.Explain(0, offset)
	want(w.t, "known", known, true)
	return e
}

func TestExplainSaysWhereAMessageStands(t *testing.T) {
	w := newWorld(t, delivery.Config{DeadLetters: true}, 1)
	w.publish(0, 8, 10)
	attach := w.session(1, 6, 1000)
	attach.Features, attach.Lease = delivery.TellsStarted, 10*time.Second
	w.do(attach)
	delivered := w.now
	w.wait(time.Second)
	w.window(1, 0, 0)
	w.start(2, 2)
	w.settle(1, 1, delivery.Ack, 3, 3)
	w.do(w.retrying(2, delivery.Retry, 4, 4, "E1", "why"))
	w.holdCommits = true
	w.settle(1, 3, delivery.Retry, 5, 5)
	for _, test := range []struct {
		offset   uint64
		standing delivery.Standing
		attempt  uint32
	}{
		{0, delivery.IsOutstanding, 1}, {1, delivery.IsOutstanding, 1}, {2, delivery.IsSettled, 1},
		{3, delivery.IsBackingOff, 2}, {4, delivery.IsUncommitted, 2}, {6, delivery.IsFresh, 1}, {8, delivery.IsUnpublished, 1},
	} {
		e := w.explain(test.offset)
		want(t, "standing", e.Standing, test.standing)
		want(t, "attempt", e.Attempt, test.attempt)
	}
	e := w.explain(0)
	want(t, "session", e.Session, 1)
	want(t, "sequence", e.Sequence, 1)
	want(t, "since", e.Since, delivered)
	want(t, "started", e.Started, false)
	want(t, "until", e.Until, w.now+time.Minute)
	want(t, "until, of one that was started", w.explain(1).Until, w.now+10*time.Second)
	want(t, "due", w.explain(3).Due, w.now+100*time.Millisecond)
	want(t, "why it failed", w.explain(3).Count.History.Failures[0].Code, "E1")
	_, known := w.state.Explain(7, 0)
	want(t, "another partition", known, false)
}

func TestExplainSaysWhatAKeyWaitsFor(t *testing.T) {
	w := keyed(t, delivery.Config{DeadLetters: true, KeyPolicy: delivery.ParkKey})
	w.publishKeys(7, 7, 7, 8)
	w.join(1, 0)
	k := w.state.ExplainKey(0, 7)
	want(t, "holder", k.Holder, 1)
	want(t, "outstanding", k.Outstanding, 1)
	want(t, "next", k.Next, 1)
	want(t, "waiting", k.Waiting, 2)
	want(t, "behind", w.explain(2).Standing, delivery.IsBehindKey)
	w.settle(1, 1, delivery.Reject, 1, 1)
	want(t, "parked", w.state.ExplainKey(0, 7).Parked, true)
	want(t, "behind the parked key", w.explain(2).Standing, delivery.IsBehindParkedKey)
	want(t, "an idle key", w.state.ExplainKey(0, 9), delivery.KeyExplanation{})
}

func TestExplainSaysWhatASessionHolds(t *testing.T) {
	w := resumable(t, delivery.Config{}, 3, delivery.TellsStarted)
	w.settle(1, 1, delivery.Ack, 2, 2)
	x, known := w.state.ExplainSession(1)
	want(t, "known", known, true)
	want(t, "holding", len(x.Holding), 2)
	want(t, "offset", x.Holding[1].Offset, 2)
	want(t, "sequence", x.Holding[1].Sequence, 3)
	w.detach(delivery.Broken)
	x, _ = w.state.ExplainSession(1)
	want(t, "away", x.Away, true)
	want(t, "until", x.Until, w.now+30*time.Second)
	_, known = w.state.ExplainSession(9)
	want(t, "another", known, false)
}
