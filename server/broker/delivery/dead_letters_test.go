package delivery_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

// mortal makes a subscription that gives messages up, with n messages that session 1 got.
func mortal(t *testing.T, config delivery.Config, n int) *world {
	t.Helper()
	config.DeadLetters = true
	w := newWorld(t, config, 1)
	w.publish(0, n, 10)
	attach := w.session(1, uint64(n), 1<<20)
	attach.ClientID, attach.Features = "worker", delivery.TellsStarted
	w.do(attach)
	want(t, "delivered", w.count(1), n)
	return w
}

// retrying is a settle that says why.
func (w *world) retrying(number uint64, verdict delivery.Verdict, first, last uint64, code, reason string) *delivery.Settle {
	e := w.settling(1, number, verdict, first, last)
	e.Delay, e.Code, e.Reason = 0, code, reason
	return e
}

func TestDeadLetterAfterExactlyMaxAttempts(t *testing.T) {
	w := mortal(t, delivery.Config{MaxAttempts: 3}, 2)
	w.settle(1, 1, delivery.Ack, 2, 2)
	for n := range uint64(3) {
		want(t, "dead letters before", len(w.dead), 0)
		w.do(w.retrying(n+2, delivery.Retry, max(1, n+2*min(n, 1)), max(1, n+2*min(n, 1)), "E42", "no such account"))
		w.hear(time.Second, 1)
	}
	want(t, "dead letters", len(w.dead), 1)
	d := w.dead[0]
	want(t, "offset", d.Offset, 0)
	want(t, "reason", d.Reason, delivery.DeadByAttempts)
	want(t, "failed", d.Failed, 3)
	want(t, "failures", len(d.Failures), 3)
	for _, f := range append(d.Failures, d.Last) {
		want(t, "client", f.Client, "worker")
		want(t, "code", f.Code, "E42")
		want(t, "text", f.Reason, "no such account")
		want(t, "kind", f.Kind, delivery.WasRetried)
	}
	want(t, "backlog", w.stats().Backlog, 0)
	want(t, "floor", w.store.partitions[0].floor, 2)
	want(t, "dead-lettered", w.stats().DeadLettered, 1)
	want(t, "confirmed", w.results[len(w.results)-1].ConfirmedThrough, 4)
}

func TestRejectGoesToTheDeadLettersInOneCommitWithTheSettle(t *testing.T) {
	w := mortal(t, delivery.Config{}, 5)
	w.holdCommits = true
	w.do(w.retrying(1, delivery.Reject, 2, 3, "BAD", "cannot be parsed"))
	for len(w.dead) == 0 {
		want(t, "results before the commit", len(w.results), 0)
		w.do(w.commit())
	}
	want(t, "dead letters", len(w.dead), 2)
	want(t, "reason", w.dead[0].Reason, delivery.DeadByReject)
	want(t, "text", w.dead[0].Last.Reason, "cannot be parsed")
	want(t, "confirmed", w.results[0].ConfirmedThrough, 1)
	w.restart()
	w.attach(2, 10, 1<<20)
	wantOffsets(t, "delivered after a restart", w.got(2), 0, 3, 4)
}

func TestRejectIsNotServedWithoutDeadLetters(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 1, 10)
	w.attach(1, 1, 100)
	w.settle(1, 1, delivery.Reject, 1, 1)
	want(t, "failure", w.failures()[0].Reason, delivery.NotServed)
	want(t, "outstanding", w.stats().Outstanding, 1)
}

func TestDeadLetterAfterMaxDeliveriesLost(t *testing.T) {
	w := mortal(t, delivery.Config{MaxDeliveries: 3, MaxAttempts: 3}, 1)
	for id := delivery.SessionID(2); id <= 4; id++ {
		want(t, "dead letters before", len(w.dead), 0)
		w.do(&delivery.Detach{Stamp: w.stamp(id - 1), How: delivery.Broken})
		attach := w.session(id, 1, 100)
		attach.Features = delivery.TellsStarted
		w.do(attach)
	}
	want(t, "dead letters", len(w.dead), 1)
	want(t, "reason", w.dead[0].Reason, delivery.DeadByDeliveries)
	want(t, "lost", w.dead[0].Lost, 3)
	want(t, "attempts", w.dead[0].Failed+w.dead[0].Expired, 0)
	want(t, "kind", w.dead[0].Last.Kind, delivery.WasLost)
}

func TestExpiryCountsTowardMaxAttempts(t *testing.T) {
	w := mortal(t, delivery.Config{MaxAttempts: 2, Lease: time.Second}, 1)
	w.start(1, 1)
	w.wait(time.Second)
	w.hear(2*time.Second, 1)
	w.start(2, 2)
	w.wait(time.Second)
	want(t, "dead letters", len(w.dead), 1)
	want(t, "expired", w.dead[0].Expired, 2)
	want(t, "kind", w.dead[0].Last.Kind, delivery.WasExpired)
}

func TestMaxAttemptsCountsFromWhenItIsSet(t *testing.T) {
	w := mortal(t, delivery.Config{}, 1)
	fail := func(n uint64) {
		w.do(w.retrying(n, delivery.Retry, n, n, "", ""))
		w.hear(time.Second, 1)
	}
	for n := uint64(1); n <= 5; n++ {
		fail(n)
	}
	w.config.MaxAttempts = 2
	w.do(&delivery.Configure{Config: w.config})
	fail(6)
	want(t, "dead letters before", len(w.dead), 0)
	fail(7)
	want(t, "dead letters", len(w.dead), 1)
	want(t, "failed", w.dead[0].Failed, 7)
}

func TestTheLastEightFailuresAreKept(t *testing.T) {
	w := mortal(t, delivery.Config{MaxAttempts: 12}, 1)
	for n := uint64(1); n <= 12; n++ {
		w.do(w.retrying(n, delivery.Retry, n, n, strings.Repeat("x", int(n)), ""))
		w.hear(time.Second, 1)
	}
	var lengths []int
	for _, f := range w.dead[0].Failures {
		lengths = append(lengths, len(f.Code))
	}
	if !slices.Equal(lengths, []int{5, 6, 7, 8, 9, 10, 11, 12}) {
		t.Fatalf("the failures kept are %v", lengths)
	}
}

func TestWhatAClientSaysOfAFailureIsBounded(t *testing.T) {
	w := mortal(t, delivery.Config{}, 1)
	w.do(w.retrying(1, delivery.Reject, 1, 1, strings.Repeat("c", 5000), strings.Repeat("r", 5000)))
	want(t, "code", len(w.dead[0].Last.Code), delivery.MaxCodeBytes)
	want(t, "reason", len(w.dead[0].Last.Reason), delivery.MaxReasonBytes)
}

func TestHistoriesAreBoundedAndCountsExact(t *testing.T) {
	w := mortal(t, delivery.Config{MaxAttempts: 1000}, 2000)
	for n := uint64(1); n <= 2000; n++ {
		w.do(w.retrying(n, delivery.Retry, n, n, "", strings.Repeat("r", 1000)))
	}
	bytes, with := 0, 0
	for _, c := range w.store.partitions[0].chunks[0].Counts {
		want(t, "failed", c.Failed, 1)
		if c.History == nil {
			continue
		}
		with++
		for _, f := range c.History.Failures {
			bytes += len(f.Reason)
		}
	}
	if bytes > 32<<10 || bytes < 20<<10 || with < 30 {
		t.Fatalf("%d bytes of reasons, %d messages with a history", bytes, with)
	}
	w.settle(1, 2001, delivery.Retry, 1, 1)
}

func TestADeadLetterWaitsForItsMessage(t *testing.T) {
	w := mortal(t, delivery.Config{}, 200)
	w.settle(1, 1, delivery.Release, 1, 200) // so that nothing is at hand
	w.detach(delivery.Clean)
	w.restart()
	p := w.store.partitions[0]
	p.chunks[0] = delivery.Chunk{Counts: []delivery.Count{{Offset: 7, Failed: 3, Dead: delivery.DeadByAttempts}}}
	w.restart()
	w.holdLoads = true
	w.do()
	want(t, "loads", len(w.loads) > 0, true)
	want(t, "dead letters before it is loaded", len(w.dead), 0)
	w.holdLoads = false
	load := w.loads[len(w.loads)-1]
	w.answer(&load)
	w.do()
	want(t, "dead letters", len(w.dead), 1)
	want(t, "offset", w.dead[0].Offset, 7)
	want(t, "resident in the end", len(p.resident), 0)
}

func TestALargeDeadLetterGoesAlone(t *testing.T) {
	w := newWorld(t, delivery.Config{DeadLetters: true}, 1)
	w.publishSizes(0, 10, 1<<20, 1<<20, 10, 10)
	w.attach(1, 10, 10<<20)
	w.settle(1, 1, delivery.Ack, 4, 4)
	w.holdCommits = true
	w.do(w.retrying(2, delivery.Reject, 1, 5, "", ""))
	var sizes []int
	for w.store.open != nil {
		sizes = append(sizes, len(w.store.open.DeadLetters))
		w.do(w.commit())
	}
	if !slices.Equal(sizes, []int{0, 1, 1, 1, 1}) { // the first one notes that they are given up
		t.Fatalf("change sets with %v dead letters", sizes)
	}
	want(t, "floor", w.store.partitions[0].floor, 5)
}

func TestADeadLetterDoesNotWaitForTheChunksThatChangedBefore(t *testing.T) {
	const chunks = 600 // more than one change set takes
	w := newWorld(t, delivery.Config{DeadLetters: true, Subscription: delivery.Ceiling{Messages: 1 << 22}}, 1)
	w.publish(0, chunks*delivery.ChunkOffsets, 1)
	w.attach(1, 1<<22, 1<<30)
	w.count(1)
	w.holdCommits = true
	w.settle(1, 1, delivery.Ack, 2, 2)
	all := &delivery.Settle{Stamp: w.stamp(1), Number: 2, Verdict: delivery.Ack}
	for i := uint64(1); i < chunks-1; i++ {
		first := i*delivery.ChunkOffsets + 7
		all.Ranges = append(all.Ranges, delivery.SequenceRange{First: first, Last: first})
	}
	last := uint64(chunks*delivery.ChunkOffsets - 5)
	w.do(all, w.retrying(3, delivery.Reject, last, last, "", ""))
	for w.store.open != nil {
		w.do(w.commit())
	}
	want(t, "dead letters", len(w.dead), 1)
	want(t, "confirmed", w.results[len(w.results)-1].ConfirmedThrough, 3)
}

// A message that was redriven comes with its failures, and with attempts from 1 on.
func TestTheFailuresOfARedrivenMessageGoAlong(t *testing.T) {
	w := mortal(t, delivery.Config{MaxAttempts: 1}, 1)
	past := &delivery.History{Failures: []delivery.PastFailure{{Kind: delivery.WasRejected, Code: "before"}}}
	w.do(&delivery.Remembered{Partition: 0, Offset: 1, History: past})
	w.settle(1, 1, delivery.Ack, 1, 1)
	w.publish(0, 1, 10)
	want(t, "delivered", w.count(1), 1)
	w.do(w.retrying(2, delivery.Retry, 2, 2, "now", ""))
	want(t, "dead letters", len(w.dead), 1)
	want(t, "failed", w.dead[0].Failed, 1)
	want(t, "failures", len(w.dead[0].Failures), 2)
	want(t, "the first", w.dead[0].Failures[0].Code, "before")
	w.do(&delivery.Remembered{Partition: 0, Offset: 1, History: past}) // settled: nothing happens
	want(t, "backlog", w.stats().Backlog, 0)
}
