package delivery_test

import (
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

// queued attaches a session that tells what it starts, and delivers n messages to it.
func queued(t *testing.T, config delivery.Config, lease time.Duration, n int) *world {
	t.Helper()
	w := newWorld(t, config, 1)
	w.publish(0, n, 10)
	attach := w.session(1, uint64(n), 1<<20)
	attach.Lease, attach.Features = lease, delivery.TellsStarted
	w.do(attach)
	want(t, "delivered", w.count(1), n)
	return w
}

// start tells that session 1 began to work on first..last.
func (w *world) start(first, last uint64) {
	w.t.Helper()
	w.do(w.starting(first, last))
}

func (w *world) starting(first, last uint64) *delivery.Started {
	return &delivery.Started{Stamp: w.stamp(1), Ranges: []delivery.SequenceRange{{First: first, Last: last}}}
}

func TestRule8TheEndOfAQueueLeaseIsNoAttempt(t *testing.T) {
	w := queued(t, delivery.Config{QueueLease: 5 * time.Second}, time.Second, 3)
	w.window(1, 0, 0)
	w.wait(5*time.Second - 1)
	want(t, "outstanding before", w.stats().Outstanding, 3)
	w.wait(1)
	want(t, "outstanding after", w.stats().Outstanding, 0)
	want(t, "expired", w.stats().Expired, 0)
	want(t, "released", w.stats().Released, 3)
	want(t, "revoked", w.revoked[0].Ranges[0], delivery.SequenceRange{First: 1, Last: 3})
	want(t, "reason", w.revoked[0].Reason, delivery.QueueLeaseEnded)
	w.window(1, 3, 100)
	want(t, "attempts told", len(w.delivers[0].Attempts), 0)
}

func TestRule8WhateverIsHeardKeepsTheQueueLease(t *testing.T) {
	w := queued(t, delivery.Config{QueueLease: 5 * time.Second}, time.Second, 3)
	for range 4 {
		w.wait(5*time.Second - 1)
		w.do(&delivery.Heard{Stamp: w.stamp(1)})
	}
	want(t, "outstanding", w.stats().Outstanding, 3)
	w.window(1, 0, 0)
	w.settle(1, 1, delivery.Ack, 2, 2)
	w.wait(5*time.Second - 1)
	want(t, "outstanding after a settle", w.stats().Outstanding, 2)
	w.wait(1)
	want(t, "outstanding after silence", w.stats().Outstanding, 0)
}

func TestRule8TheWorkLeaseBeginsWithStarted(t *testing.T) {
	w := queued(t, delivery.Config{}, 5*time.Second, 4)
	w.window(1, 0, 0)
	w.hear(20*time.Second, 1)
	w.start(2, 3)
	w.wait(4 * time.Second)
	w.start(2, 2) // again changes nothing
	w.start(1, 1)
	w.wait(time.Second - 1)
	want(t, "expired before", w.stats().Expired, 0)
	w.wait(1)
	want(t, "expired after the lease", w.stats().Expired, 2)
	want(t, "reason", w.revoked[0].Reason, delivery.LeaseExpired)
	w.wait(4 * time.Second)
	want(t, "expired after the second lease", w.stats().Expired, 3)
	want(t, "not started", w.stats().Outstanding, 1)
}

func TestRule8ASettleOfWhatWasNotStartedCounts(t *testing.T) {
	w := queued(t, delivery.Config{}, 5*time.Second, 2)
	w.settle(1, 1, delivery.Ack, 1, 1)
	w.settle(1, 2, delivery.Retry, 2, 2)
	want(t, "acked", w.stats().Acked, 1)
	want(t, "retried", w.stats().Retried, 1)
	want(t, "failures", len(w.failures()), 0)
}

func TestRule8ABrokenStreamChargesOnlyWhatWasStarted(t *testing.T) {
	w := queued(t, delivery.Config{}, 5*time.Second, 100)
	w.start(1, 3)
	w.start(70, 71)
	w.detach(delivery.Broken)
	want(t, "expired", w.stats().Expired, 5)
	want(t, "released", w.stats().Released, 95)
	w.attach(2, 1000, 1<<20)
	second := 0
	for _, d := range w.delivers {
		for _, attempt := range attempts(d) {
			if attempt == 2 {
				second++
			}
		}
	}
	want(t, "second attempts", second, 5)
}

func TestRule8ASessionThatDoesNotTellIsChargedForAll(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10, 10)
	w.attach(1, 10, 1<<20)
	w.start(1, 2)
	w.detach(delivery.Broken)
	want(t, "expired", w.stats().Expired, 10)
}

func TestRule8WhatABrokenStreamLostUnstartedIsCounted(t *testing.T) {
	w := queued(t, delivery.Config{DeadLetters: true, MaxDeliveries: 100}, 5*time.Second, 4)
	w.start(2, 2)
	w.holdCommits = true
	w.detach(delivery.Broken)
	w.attach(2, 10, 1<<20)
	want(t, "delivered before the commit", w.count(2), 0)
	w.holdCommits = false
	w.do(w.commit())
	want(t, "delivered after it", w.count(2), 4)
	counts := w.store.partitions[0].chunks[0].Counts
	for i, lost := range []uint32{1, 0, 1, 1} {
		want(t, "lost", counts[i].Lost, lost)
		want(t, "expired", counts[i].Expired, 1-lost)
	}
}

func TestRule8TheCapCountsFromStarted(t *testing.T) {
	w := queued(t, delivery.Config{LeaseCap: 20 * time.Second}, 5*time.Second, 2)
	w.hear(time.Minute, 1)
	w.start(1, 1)
	w.extend(1, 20*time.Second, 1, 1)
	want(t, "failures at the cap", len(w.failures()), 0)
	w.extend(2, 20*time.Second+1, 1, 1)
	want(t, "a failure above it", w.failures()[0].Reason, delivery.LeaseCapped)
}

func TestRule8AnExtensionStarts(t *testing.T) {
	w := queued(t, delivery.Config{}, 5*time.Second, 2)
	w.extend(1, 8*time.Second, 1, 1)
	w.window(1, 0, 0)
	w.hear(8*time.Second-1, 1)
	want(t, "outstanding before", w.stats().Outstanding, 2)
	w.wait(1)
	want(t, "expired after", w.stats().Expired, 1)
	want(t, "outstanding after", w.stats().Outstanding, 1)
}

func TestRule8StartedReadAfterTheQueueLeaseIsStale(t *testing.T) {
	w := queued(t, delivery.Config{QueueLease: 5 * time.Second}, 10*time.Second, 2)
	w.window(1, 0, 0)
	started, late := w.starting(1, 1), w.starting(2, 2)
	started.At += 5*time.Second - 1
	late.At += 10*time.Second - 1
	w.now += 12 * time.Second
	w.do(started, late)
	want(t, "released", w.stats().Released, 1)
	want(t, "revoked", w.revoked[0].Ranges[0], delivery.SequenceRange{First: 2, Last: 2})
	want(t, "outstanding", w.stats().Outstanding, 1)
}

func TestRule8AStallProlongsBothClocks(t *testing.T) {
	w := queued(t, delivery.Config{QueueLease: 5 * time.Second}, 3*time.Second, 2)
	w.start(1, 1)
	w.now += 40 * time.Second
	w.do(&delivery.Stalled{Duration: 40 * time.Second})
	want(t, "outstanding after the stall", w.stats().Outstanding, 2)
	want(t, "ended", len(w.ended), 0)
	w.window(1, 0, 0)
	w.wait(3 * time.Second)
	want(t, "expired", w.stats().Expired, 1)
	w.wait(2 * time.Second)
	want(t, "released", w.stats().Released, 1)
}
