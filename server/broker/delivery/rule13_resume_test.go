package delivery_test

import (
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

// resumable makes a subscription of which session 1, which may come back, holds n
// messages.
func resumable(t *testing.T, config delivery.Config, n int, features delivery.Features) *world {
	t.Helper()
	w := newWorld(t, config, 1)
	w.publish(0, n, 10)
	attach := w.session(1, uint64(n), 1<<20)
	attach.Features = features | delivery.Resumes
	attach.Lease = 10 * time.Second
	w.do(attach)
	want(t, "delivered", w.count(1), n)
	return w
}

// comeBack takes session 1 up again, on its second stream, with what it received and holds.
func (w *world) comeBack(received uint64, holding ...delivery.SequenceRange) *delivery.Resumed {
	w.t.Helper()
	e := w.session(1, 100, 1<<20)
	e.Incarnation, e.Features, e.Lease = 1, delivery.Resumes|delivery.TellsStarted, 10*time.Second
	e.Resume = &delivery.Resume{ReceivedThrough: received, Holding: holding}
	w.do(e)
	return w.attached[len(w.attached)-1].Resumed
}

func TestRule13AResumedSessionHasWhatItHolds(t *testing.T) {
	w := resumable(t, delivery.Config{}, 10, delivery.TellsStarted)
	w.start(1, 2)
	w.settle(1, 1, delivery.Ack, 3, 3)
	w.detach(delivery.Broken)
	want(t, "outstanding meanwhile", w.stats().Outstanding, 9)
	w.wait(29 * time.Second)
	want(t, "expired meanwhile", w.stats().Expired, 0)
	r := w.comeBack(8, delivery.SequenceRange{First: 1, Last: 5}, delivery.SequenceRange{First: 7, Last: 10})
	want(t, "kept first", r.Kept[0], delivery.SequenceRange{First: 1, Last: 2})
	want(t, "kept then", r.Kept[1], delivery.SequenceRange{First: 4, Last: 5})
	want(t, "kept last", r.Kept[2], delivery.SequenceRange{First: 7, Last: 8})
	want(t, "next sequence", r.NextSequence, 11)
	want(t, "charged bytes", r.ChargedBytes, 100)
	want(t, "released", w.stats().Released, 3)
	want(t, "expired", w.stats().Expired, 0)
	want(t, "sequence of what comes again", w.delivers[0].FirstSequence, 11)
	want(t, "attempts told", len(w.delivers[0].Attempts), 0)
}

func TestRule13LeasesLastToTheEndOfTheWindow(t *testing.T) {
	w := resumable(t, delivery.Config{}, 1, 0)
	w.wait(9 * time.Second)
	w.detach(delivery.Broken)
	w.wait(time.Second)
	w.comeBack(1, delivery.SequenceRange{First: 1, Last: 1})
	settle := w.stamp(1)
	settle.Incarnation = 1
	for range 28 {
		w.wait(time.Second)
		settle.At = w.now
		w.do(&delivery.Heard{Stamp: settle})
	}
	want(t, "expired within the window", w.stats().Expired, 0)
	w.wait(time.Second)
	want(t, "expired at its end", w.stats().Expired, 1)
}

func TestRule13AtTheEndOfTheWindowWhatWasStartedExpires(t *testing.T) {
	w := resumable(t, delivery.Config{ResumeWindow: 5 * time.Second}, 4, delivery.TellsStarted)
	w.start(2, 2)
	w.detach(delivery.Broken)
	w.wait(5*time.Second - 1)
	want(t, "outstanding before", w.stats().Outstanding, 4)
	w.wait(1)
	want(t, "expired", w.stats().Expired, 1)
	want(t, "released", w.stats().Released, 3)
	want(t, "told", w.ended[0], delivery.EndSession{Session: 1, Reason: delivery.EndNotResumed, Served: true})
	if r := w.comeBack(4, delivery.SequenceRange{First: 1, Last: 4}); r != nil {
		t.Fatalf("taken up again: %+v", r)
	}
	want(t, "a new session begins at", w.delivers[0].FirstSequence, 1)
}

func TestRule13SettlesSentAgainAreNoOps(t *testing.T) {
	w := resumable(t, delivery.Config{}, 4, 0)
	w.settle(1, 1, delivery.Ack, 9, 9) // fails
	w.holdCommits = true
	w.settle(1, 2, delivery.Ack, 1, 1)
	w.detach(delivery.Broken)
	w.results = nil
	w.holdCommits = false
	w.do(w.commit())
	want(t, "results without a stream", len(w.results), 0)
	w.comeBack(4, delivery.SequenceRange{First: 1, Last: 4})
	want(t, "confirmed at once", w.results[0].ConfirmedThrough, 2)
	for n, last := range []uint64{9, 1, 2} {
		e := w.settling(1, uint64(n+1), delivery.Ack, last, last)
		e.Incarnation = 1
		w.do(e)
	}
	want(t, "acked", w.stats().Acked, 2)
	want(t, "confirmed", w.results[len(w.results)-1].ConfirmedThrough, 3)
	repeated := 0
	for _, r := range w.results[1:] {
		for _, f := range r.Failures {
			want(t, "the failure that is repeated", f.Number, 1)
			repeated++
		}
	}
	want(t, "failures repeated", repeated, 1)
}

func TestRule13EarlierGrantsAreVoid(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10, 10)
	attach := w.session(1, 0, 0)
	attach.Replenish, attach.Features = delivery.Manual, delivery.Resumes
	w.do(attach)
	w.grant(3, 1000)
	want(t, "delivered", w.count(1), 3)
	w.grant(8, 1000)
	w.delivers = nil
	w.detach(delivery.Broken)
	e := w.session(1, 0, 0)
	e.Replenish, e.Incarnation, e.Resume = delivery.Manual, 1, &delivery.Resume{}
	w.do(e)
	want(t, "delivered without a grant", len(w.delivers), 0)
	grant := w.stamp(1)
	grant.Incarnation = 1
	w.do(&delivery.Grant{Stamp: grant, ThroughSequence: 10, ThroughBytes: 1000})
	want(t, "delivered", w.count(1), 2)
}

func TestRule13AResumeSupersedesAStreamThatLooksAlive(t *testing.T) {
	w := resumable(t, delivery.Config{}, 4, 0)
	w.comeBack(4, delivery.SequenceRange{First: 1, Last: 4})
	want(t, "the old stream ends", w.ended[0], delivery.EndSession{Session: 1, Reason: delivery.EndSuperseded, Served: true})
	w.settle(1, 1, delivery.Ack, 1, 4)
	w.detach(delivery.Broken)
	want(t, "acked by a late frame", w.stats().Acked, 0)
	want(t, "outstanding after a late end", w.stats().Outstanding, 4)
}

func TestRule13ASilentSessionWaits(t *testing.T) {
	w := resumable(t, delivery.Config{}, 1, delivery.TellsStarted)
	w.wait(30 * time.Second)
	want(t, "the stream ends", w.ended[0],
		delivery.EndSession{Session: 1, Reason: delivery.EndSilent, Served: true, Waits: true})
	want(t, "outstanding", w.stats().Outstanding, 1)
	want(t, "kept", len(w.comeBack(1, delivery.SequenceRange{First: 1, Last: 1}).Kept), 1)
}

func TestRule13AStallOfOursEndsNoWindow(t *testing.T) {
	w := resumable(t, delivery.Config{}, 2, 0)
	w.detach(delivery.Broken)
	w.now += 40 * time.Second
	w.do(&delivery.Stalled{Duration: 40 * time.Second})
	want(t, "expired", w.stats().Expired, 0)
	want(t, "kept", len(w.comeBack(2, delivery.SequenceRange{First: 1, Last: 2}).Kept), 1)
}

func TestRule13AnExclusiveSessionDoesNotWaitUnlessAsked(t *testing.T) {
	w := resumable(t, delivery.Config{Mode: delivery.Exclusive}, 2, 0)
	w.detach(delivery.Broken)
	want(t, "expired", w.stats().Expired, 2)
	w = resumable(t, delivery.Config{Mode: delivery.Exclusive, ResumeWindow: time.Second}, 2, 0)
	w.detach(delivery.Broken)
	want(t, "outstanding", w.stats().Outstanding, 2)
	takeover := w.session(2, 10, 100)
	takeover.Takeover = true
	w.do(takeover)
	want(t, "taken over at once", w.count(2), 2)
	want(t, "charged", w.stats().Expired, 0)
}

func TestRule13ShutdownReleasesWhoIsAway(t *testing.T) {
	w := resumable(t, delivery.Config{}, 2, 0)
	w.detach(delivery.Broken)
	w.do(&delivery.Shutdown{At: w.now, Grace: time.Minute})
	want(t, "released", w.stats().Released, 2)
	want(t, "idle", w.state.Idle(), true)
}

func TestRule13AResumeDuringAShutdownIsRefusedAndChargesNothing(t *testing.T) {
	w := resumable(t, delivery.Config{}, 2, 0)
	w.do(&delivery.Shutdown{At: w.now, Grace: time.Minute})
	e := w.session(1, 10, 100)
	e.Incarnation, e.Resume = 1, &delivery.Resume{ReceivedThrough: 2}
	w.do(e)
	want(t, "the old stream ends", w.ended[0], delivery.EndSession{Session: 1, Reason: delivery.EndShutdown, Served: true})
	want(t, "the new one is refused", w.ended[1], delivery.EndSession{Session: 1, Incarnation: 1, Reason: delivery.EndShutdown})
	want(t, "released", w.stats().Released, 2)
	want(t, "charged", w.stats().Expired, 0)
	want(t, "known", w.state.Knows(1), false)
}

func TestRule13AResumeWithABadLeaseLeavesTheSessionAlone(t *testing.T) {
	w := resumable(t, delivery.Config{}, 2, 0)
	e := w.session(1, 10, 100)
	e.Incarnation, e.Lease, e.Resume = 1, time.Millisecond, &delivery.Resume{ReceivedThrough: 2}
	w.do(e)
	want(t, "refused", w.ended[0], delivery.EndSession{Session: 1, Incarnation: 1, Reason: delivery.EndBadAttach})
	want(t, "outstanding", w.stats().Outstanding, 2)
}

func TestRule13WhatIsKeptFitsAFrame(t *testing.T) {
	const n = 20_100
	w := resumable(t, delivery.Config{}, n, 0)
	odd := w.settling(1, 1, delivery.Ack, 1, 1)
	for sequence := uint64(3); sequence < n; sequence += 2 {
		odd.Ranges = append(odd.Ranges, delivery.SequenceRange{First: sequence, Last: sequence})
	}
	w.do(odd)
	w.detach(delivery.Broken)
	kept := w.comeBack(n, delivery.SequenceRange{First: 1, Last: n}).Kept
	want(t, "ranges kept", len(kept), 10_000)
	want(t, "the last", kept[len(kept)-1], delivery.SequenceRange{First: 20_000, Last: 20_000})
	want(t, "released", w.stats().Released, 50)
}

func TestRule13SessionsThatWaitAreBounded(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	for id := delivery.SessionID(1); id <= 10_001; id++ {
		e := w.session(id, 1, 100)
		e.Features = delivery.Resumes
		w.state.Apply(w.now, e, &delivery.Detach{Stamp: w.stamp(id), How: delivery.Broken})
	}
	want(t, "the last of those that wait", w.state.Knows(10_000), true)
	want(t, "the one too many", w.state.Knows(10_001), false)
}
