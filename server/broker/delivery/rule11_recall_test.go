package delivery_test

import (
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

// hoarded makes a subscription whose n messages all are with session 1, not started.
func hoarded(t *testing.T, n int, features delivery.Features) *world {
	t.Helper()
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, n, 10)
	attach := w.session(1, uint64(n), 1<<20)
	attach.Features = features
	w.do(attach)
	want(t, "delivered", w.count(1), n)
	return w
}

const recalls = delivery.TellsStarted | delivery.AnswersRecall

// answerRecalls releases what session 1 was asked for.
func (w *world) answerRecalls(number uint64) (n uint64) {
	w.t.Helper()
	e := &delivery.Settle{Stamp: w.stamp(1), Number: number, Verdict: delivery.Release}
	for _, r := range w.recalls {
		e.Ranges = append(e.Ranges, r.Ranges...)
	}
	w.recalls = nil
	for _, r := range e.Ranges {
		n += r.Last - r.First + 1
	}
	if n > 0 {
		w.do(e)
	}
	return n
}

func TestRule11TenLateJoinersGetTheirShareWithinASecond(t *testing.T) {
	w := hoarded(t, 100, recalls)
	w.start(1, 2)
	for id := delivery.SessionID(2); id <= 11; id++ {
		w.attach(id, 100, 1<<20)
	}
	w.wait(500 * time.Millisecond)
	n := w.answerRecalls(1)
	want(t, "asked for", n >= 80 && n <= 95, true)
	for id := delivery.SessionID(2); id <= 11; id++ {
		if got := w.count(id); got < 8 || got > 10 {
			t.Fatalf("session %d got %d", id, got)
		}
	}
	want(t, "attempts charged", w.stats().Expired+w.stats().Retried, 0)
}

func TestRule11WhatIsStartedLastIsAskedForFirst(t *testing.T) {
	w := hoarded(t, 10, recalls)
	w.attach(2, 3, 1<<20)
	w.wait(500 * time.Millisecond)
	want(t, "recalls", len(w.recalls), 1)
	want(t, "session", w.recalls[0].Session, 1)
	want(t, "ranges", w.recalls[0].Ranges[0], delivery.SequenceRange{First: 8, Last: 10})
	w.wait(10 * time.Second)
	want(t, "recalls while that is not answered", len(w.recalls), 1)
}

func TestRule11AStartedThatCrossesWins(t *testing.T) {
	w := hoarded(t, 3, recalls)
	w.attach(2, 1, 1<<20)
	w.wait(500 * time.Millisecond)
	want(t, "recalls", len(w.recalls), 1)
	w.start(3, 3)
	want(t, "outstanding", w.stats().Outstanding, 3)
	w.wait(time.Second)
	want(t, "asked for another one", w.recalls[1].Ranges[0], delivery.SequenceRange{First: 2, Last: 2})
	w.settle(1, 1, delivery.Release, 2, 2)
	want(t, "went to", w.count(2), 1)
}

func TestRule11NobodyIsAskedInVain(t *testing.T) {
	for _, test := range []struct {
		name string
		with func(*world)
		of   delivery.Features
	}{
		{"who does not answer", func(w *world) { w.attach(2, 1, 100) }, delivery.TellsStarted},
		{"for one without credit", func(w *world) { w.attach(2, 0, 0) }, recalls},
		{"for what was started", func(w *world) { w.start(1, 3); w.attach(2, 1, 100) }, recalls},
		{"while there is a message", func(w *world) { w.publish(0, 1, 10); w.attach(2, 2, 100) }, recalls},
		{"without another session", func(*world) {}, recalls},
	} {
		w := hoarded(t, 3, test.of)
		test.with(w)
		w.hear(5*time.Second, 1, 2)
		want(t, test.name, len(w.recalls), 0)
	}
}

func TestRule11WhatIsAboutToBeStartedIsNotAskedFor(t *testing.T) {
	w := hoarded(t, 1, recalls)
	w.attach(2, 1, 100)
	w.wait(200 * time.Millisecond)
	want(t, "recalls of a young delivery", len(w.recalls), 0)
	w.start(1, 1)
	w.wait(time.Second)
	want(t, "recalls of one that was started", len(w.recalls), 0)
}

func TestRule11AHoarderDoesNotKeepTheSubscriptionsCeiling(t *testing.T) {
	w := newWorld(t, delivery.Config{Subscription: delivery.Ceiling{Messages: 10}}, 1)
	w.publish(0, 20, 10)
	attach := w.session(1, 20, 1<<20)
	attach.Features = recalls
	w.do(attach)
	want(t, "delivered", w.count(1), 10)
	w.attach(2, 5, 1<<20)
	w.wait(500 * time.Millisecond)
	want(t, "asked for", w.answerRecalls(1) > 0, true)
	want(t, "the other one gets some", w.count(2) > 0, true)
}

func TestRule11ARecallOfScatteredDeliveriesIsBounded(t *testing.T) {
	const n = 6000
	w := hoarded(t, n, recalls)
	odd := w.settling(1, 1, delivery.Ack, 1, 1)
	for sequence := uint64(3); sequence < n; sequence += 2 {
		odd.Ranges = append(odd.Ranges, delivery.SequenceRange{First: sequence, Last: sequence})
	}
	w.do(odd)
	for id := delivery.SessionID(2); id <= 11; id++ {
		w.attach(id, 1000, 1<<20)
	}
	w.wait(350 * time.Millisecond)
	want(t, "recalls at first", len(w.recalls), 1)
	want(t, "ranges", len(w.recalls[0].Ranges) <= 1032, true)
	w.wait(500 * time.Millisecond)
	want(t, "recalls then", len(w.recalls) > 1, true)
}
