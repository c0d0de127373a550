package delivery_test

import (
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

func (w *world) move(id delivery.SessionID, grace time.Duration) {
	w.t.Helper()
	w.do(&delivery.Move{At: w.now, Session: id, Grace: grace, Reason: delivery.GoAwayStream})
}

func TestRule14ASuccessorTakesAllOfItAlong(t *testing.T) {
	w := resumable(t, delivery.Config{}, 4, delivery.TellsStarted)
	w.start(1, 2)
	w.move(1, 10*time.Second)
	w.publish(0, 1, 10)
	want(t, "new ones", w.count(1), 0)
	r := w.comeBack(4, delivery.SequenceRange{First: 1, Last: 4})
	want(t, "kept", r.Kept[0], delivery.SequenceRange{First: 1, Last: 4})
	want(t, "the old stream", w.ended[0].Reason, delivery.EndSuperseded)
	want(t, "served again", w.count(1), 1)
	w.wait(15 * time.Second)
	want(t, "ended later", len(w.ended), 1)
	want(t, "released or charged", w.stats().Released+w.stats().Expired, 0)
}

func TestRule14WhoDoesNotGoLosesItsStreamAndNothingElse(t *testing.T) {
	w := resumable(t, delivery.Config{}, 4, delivery.TellsStarted)
	w.start(1, 2)
	w.move(1, 5*time.Second)
	w.wait(5*time.Second - 1)
	want(t, "ended before", len(w.ended), 0)
	w.wait(1)
	want(t, "ended", w.ended[0], delivery.EndSession{Session: 1, Reason: delivery.EndMoved, Served: true, Waits: true})
	want(t, "outstanding", w.stats().Outstanding, 4)
	w.wait(30 * time.Second)
	want(t, "given up", w.ended[1], delivery.EndSession{Session: 1, Reason: delivery.EndNotResumed, Served: true})
	want(t, "released", w.stats().Released, 4)
	want(t, "charged", w.stats().Expired, 0)
}

func TestRule14WhoCannotResumeWorksOff(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 4, 10)
	w.attach(1, 4, 1<<20)
	w.attach(2, 0, 0)
	w.move(0, 5*time.Second)
	want(t, "one that holds nothing ends at once", w.ended[0], delivery.EndSession{Session: 2, Reason: delivery.EndMoved, Served: true})
	w.settle(1, 1, delivery.Ack, 1, 3)
	want(t, "one that holds something stays", len(w.ended), 1)
	w.hear(5*time.Second, 1)
	want(t, "then it ends", w.ended[1], delivery.EndSession{Session: 1, Reason: delivery.EndMoved, Served: true})
	want(t, "revoked", w.revoked[0].Reason, delivery.DrainEnded)
	want(t, "released", w.stats().Released, 1)
	want(t, "charged", w.stats().Expired, 0)
}

func TestRule14AMoveOfOneSessionLeavesTheOthersAlone(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.attach(1, 1, 100)
	w.attach(2, 5, 100)
	w.move(1, time.Minute)
	w.publish(0, 4, 10)
	want(t, "the other one is served", w.count(2), 4)
	want(t, "ended", len(w.ended), 1)
}
