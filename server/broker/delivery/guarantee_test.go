package delivery_test

import (
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

// TestAtMostOnceIsSettledBeforeItIsSent: a crash between the two loses the message, and
// never brings it twice.
func TestAtMostOnceIsSettledBeforeItIsSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, delivery.Config{Guarantee: delivery.AtMostOnce}, 1)
	w.publish(0, 10, 10)
	w.attachManual(1)
	w.holdCommits = true
	w.grant(4, 1000)
	wantOffsets(t, "before the commit", w.got(1))
	want(t, "backlog", w.stats().Backlog, 6)
	w.do(w.commit())
	wantOffsets(t, "behind the commit", w.got(1), 0, 1, 2, 3)
	want(t, "outstanding", w.stats().Outstanding, 0)
	w.grant(6, 1000)
	w.commit() // and the server is killed before the frame leaves
	w.restart()
	w.holdCommits = false
	w.attachManual(1)
	w.grant(100, 1000)
	wantOffsets(t, "after a restart", w.got(1), 6, 7, 8, 9)
}

func TestAtMostOnceNeedsManualCredit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, delivery.Config{Guarantee: delivery.AtMostOnce}, 1)
	w.attach(1, 10, 1000)
	want(t, "sessions ended", len(w.ended), 1)
	want(t, "reason", w.ended[0].Reason, delivery.EndNeedsManual)
	want(t, "served", w.ended[0].Served, false)
}

// TestAtMostOnceAnAckChangesNothing: a client that acks all the same is told that it is
// so; whatever else it wants comes too late.
func TestAtMostOnceAnAckChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, delivery.Config{Guarantee: delivery.AtMostOnce}, 1)
	w.publish(0, 3, 10)
	w.attachManual(1)
	w.grant(3, 1000)
	w.settle(1, 1, delivery.Ack, 1, 3)
	w.settle(1, 2, delivery.Retry, 2, 2)
	w.settle(1, 3, delivery.Ack, 4, 4)
	want(t, "confirmed", w.results[len(w.results)-1].ConfirmedThrough, 3)
	want(t, "failures of the ack", len(w.results[0].Failures), 0)
	want(t, "failure of the retry", w.results[1].Failures[0].Reason, delivery.Stale)
	want(t, "failure of an ack of what was not sent", w.results[2].Failures[0].Reason, delivery.Unknown)
}

// TestAtMostOnceABrokenStreamLosesWhatDidNotLeave, as the guarantee says.
func TestAtMostOnceABrokenStreamLosesWhatDidNotLeave(t *testing.T) {
	t.Parallel()
	w := newWorld(t, delivery.Config{Guarantee: delivery.AtMostOnce}, 1)
	w.publish(0, 4, 10)
	w.attachManual(1)
	w.holdCommits = true
	w.grant(2, 1000)
	w.detach(delivery.Broken)
	w.do(w.commit())
	wantOffsets(t, "to a stream that broke", w.got(1))
	want(t, "backlog", w.stats().Backlog, 2)
	want(t, "outstanding", w.stats().Outstanding, 0)
}

func exactlyOnce(t *testing.T) *world {
	t.Helper()
	return newWorld(t, delivery.Config{Guarantee: delivery.ExactlyOnce}, 1)
}

// attachResuming adds session 1, which can be taken up again and tells what it starts.
func (w *world) attachResuming(messages uint64) {
	w.t.Helper()
	e := w.session(1, messages, 1<<30)
	e.Features = delivery.Resumes | delivery.TellsStarted
	w.do(e)
}

// attachPatient adds session 2, whose leases do not end.
func (w *world) attachPatient() {
	w.t.Helper()
	e := w.session(2, 10, 1000)
	e.Lease = delivery.MaxLease
	w.do(e)
}

// takeUp takes session 1 up again on another stream.
func (w *world) takeUp(through uint64, holding ...delivery.SequenceRange) {
	w.t.Helper()
	e := w.session(1, 100, 1<<30)
	e.Incarnation, e.Features = 1, delivery.Resumes|delivery.TellsStarted
	e.Resume = &delivery.Resume{ReceivedThrough: through, Holding: holding}
	w.do(e)
}

func TestExactlyOnceIsWrittenBeforeItIsSent(t *testing.T) {
	t.Parallel()
	w := exactlyOnce(t)
	w.publish(0, 10, 10)
	w.holdCommits = true
	w.attachResuming(4)
	wantOffsets(t, "before the commit", w.got(1))
	w.do(w.commit())
	wantOffsets(t, "behind the commit", w.got(1), 0, 1, 2, 3)
}

// TestExactlyOnceAHandlerOutlivesTheServer: it finishes, the session is taken up again,
// its ack applies, and nobody else got the message.
func TestExactlyOnceAHandlerOutlivesTheServer(t *testing.T) {
	t.Parallel()
	w := exactlyOnce(t)
	w.publish(0, 4, 10)
	w.attachResuming(3)
	wantOffsets(t, "first", w.got(1), 0, 1, 2)
	w.do(&delivery.Started{Stamp: w.stamp(1), Ranges: []delivery.SequenceRange{{First: 1, Last: 2}}})
	w.restart()
	w.attach(2, 10, 1000)
	wantOffsets(t, "another session", w.got(2), 3)
	w.takeUp(3, delivery.SequenceRange{First: 1, Last: 3})
	resumed := w.attached[len(w.attached)-1].Resumed
	want(t, "kept", resumed.Kept[0], delivery.SequenceRange{First: 1, Last: 3})
	want(t, "next", resumed.NextSequence, 4)
	want(t, "charged", resumed.ChargedBytes, 30)
	e := w.settling(1, 1, delivery.Ack, 1, 3)
	e.Incarnation = 1
	w.do(e)
	result := w.results[len(w.results)-1]
	want(t, "confirmed", result.ConfirmedThrough, 1)
	want(t, "failures", len(result.Failures), 0)
	w.restart()
	w.wait(2 * delivery.DefaultResumeWindow)
	w.attach(3, 10, 1000)
	wantOffsets(t, "after another restart", w.got(3), 3)
}

// TestExactlyOnceASettleThatComesAgainChangesNothing: it was applied and not confirmed
// before the server died, and its failures are told again.
func TestExactlyOnceASettleThatComesAgainChangesNothing(t *testing.T) {
	t.Parallel()
	w := exactlyOnce(t)
	w.publish(0, 2, 10)
	w.attachResuming(2)
	w.settle(1, 1, delivery.Ack, 1, 1)
	w.settle(1, 2, delivery.Ack, 1, 2) // 1 is stale
	w.results = nil
	w.restart()
	w.takeUp(2, delivery.SequenceRange{First: 1, Last: 2})
	for number := range uint64(2) {
		e := w.settling(1, number+1, delivery.Ack, 1, number+1)
		e.Incarnation = 1
		w.do(e)
	}
	want(t, "confirmed", w.results[0].ConfirmedThrough, 2)
	want(t, "failures", len(w.results[0].Failures), 1)
	want(t, "failure", w.results[0].Failures[0], delivery.Failure{Number: 2, Range: delivery.SequenceRange{First: 1, Last: 1}, Reason: delivery.Stale})
	want(t, "backlog", w.stats().Backlog, 0)
}

func TestExactlyOnceARestartHoldsForTheLongerOfLeaseAndWindow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ lease, held time.Duration }{
		"the lease is longer":         {5 * time.Minute, 5 * time.Minute},
		"the resume window is longer": {5 * time.Second, delivery.DefaultResumeWindow},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := exactlyOnce(t)
			w.publish(0, 1, 10)
			e := w.session(1, 1, 1000)
			e.Features, e.Lease = delivery.Resumes, c.lease
			w.do(e)
			wantOffsets(t, "first", w.got(1), 0)
			w.restart()
			w.attachPatient()
			w.hear(c.held-time.Second, 2)
			wantOffsets(t, "while it is held", w.got(2))
			w.hear(3*time.Second, 2)
			wantOffsets(t, "behind that", w.got(2), 0)
			want(t, "attempt", w.stats().Expired, 1)
		})
	}
}

// TestExactlyOnceAStartIsWrittenDown: the lease of what was prefetched long ago begins
// with its start, and is held from then on.
func TestExactlyOnceAStartIsWrittenDown(t *testing.T) {
	t.Parallel()
	w := exactlyOnce(t)
	w.publish(0, 1, 10)
	e := w.session(1, 1, 1000)
	e.Features, e.Lease = delivery.TellsStarted, 5*time.Minute
	w.do(e)
	w.hear(4*time.Minute, 1)
	w.do(&delivery.Started{Stamp: w.stamp(1), Ranges: []delivery.SequenceRange{{First: 1, Last: 1}}})
	w.restart()
	w.attachPatient()
	w.hear(4*time.Minute, 2)
	wantOffsets(t, "after a restart", w.got(2))
}

func TestExactlyOnceAnExtensionIsCommittedBeforeItIsConfirmed(t *testing.T) {
	t.Parallel()
	w := exactlyOnce(t)
	w.publish(0, 1, 10)
	w.attachResuming(1)
	w.holdCommits = true
	w.do(&delivery.Extend{
		Stamp: w.stamp(1), Number: 1, Ranges: []delivery.SequenceRange{{First: 1, Last: 1}}, Duration: 10 * time.Minute,
	})
	want(t, "results before the commit", len(w.results), 0)
	w.do(w.commit())
	want(t, "confirmed", w.results[0].ConfirmedThrough, 1)
	w.holdCommits = false
	w.restart()
	w.attachPatient()
	w.hear(9*time.Minute, 2)
	wantOffsets(t, "within the extension, after a restart", w.got(2))
	w.hear(2*time.Minute, 2)
	wantOffsets(t, "behind it", w.got(2), 0)
}

// TestExactlyOnceABrokenStreamKeepsItsLeases: what was started goes to nobody else before
// its lease ends, whether or not the session can be taken up again; the rest does.
func TestExactlyOnceABrokenStreamKeepsItsLeases(t *testing.T) {
	t.Parallel()
	w := exactlyOnce(t)
	w.publish(0, 2, 10)
	e := w.session(1, 2, 1000)
	e.Features, e.Lease = delivery.TellsStarted, 2*time.Minute
	w.do(e, &delivery.Started{Stamp: w.stamp(1), Ranges: []delivery.SequenceRange{{First: 1, Last: 1}}})
	w.do(&delivery.Started{Stamp: w.stamp(1), Ranges: []delivery.SequenceRange{{First: 1, Last: 1}}})
	w.detach(delivery.Broken)
	w.attachPatient()
	wantOffsets(t, "at once", w.got(2), 1)
	w.hear(time.Minute, 2)
	wantOffsets(t, "while it is leased", w.got(2))
	w.hear(70*time.Second, 2)
	wantOffsets(t, "when the lease has ended", w.got(2), 0)
	want(t, "expired", w.stats().Expired, 1)
}

func TestExactlyOnceAStaleSettleFailsByItem(t *testing.T) {
	t.Parallel()
	w := exactlyOnce(t)
	w.publish(0, 3, 10)
	e := w.session(1, 3, 1000)
	e.Lease = 5 * time.Second
	w.do(e)
	w.do(&delivery.Extend{
		Stamp: w.stamp(1), Number: 1, Ranges: []delivery.SequenceRange{{First: 2, Last: 2}}, Duration: time.Minute,
	})
	w.hear(10*time.Second, 1)
	w.settle(1, 2, delivery.Ack, 1, 3)
	result := w.results[len(w.results)-1]
	want(t, "confirmed", result.ConfirmedThrough, 2)
	want(t, "failures", len(result.Failures), 2)
	want(t, "first", result.Failures[0].Range, delivery.SequenceRange{First: 1, Last: 1})
	want(t, "second", result.Failures[1].Range, delivery.SequenceRange{First: 3, Last: 3})
	want(t, "acked", w.stats().Acked, 1)
}

// TestExactlyOnceAShutdownKeepsWhatIsHeld for whoever comes back to the next server.
func TestExactlyOnceAShutdownKeepsWhatIsHeld(t *testing.T) {
	t.Parallel()
	w := exactlyOnce(t)
	w.publish(0, 2, 10)
	w.attachResuming(1)
	w.do(&delivery.Shutdown{At: w.now, Grace: time.Second})
	w.wait(2 * time.Second)
	want(t, "idle", w.state.Idle(), true)
	want(t, "revoked", len(w.revoked), 0)
	w.restart()
	w.attach(2, 10, 1000)
	wantOffsets(t, "another session", w.got(2), 1)
	w.takeUp(1, delivery.SequenceRange{First: 1, Last: 1})
	want(t, "kept", len(w.attached[len(w.attached)-1].Resumed.Kept), 1)
}

// TestExactlyOnceASeekVoidsWhatIsHeld, for it is of another generation.
func TestExactlyOnceASeekVoidsWhatIsHeld(t *testing.T) {
	t.Parallel()
	w := exactlyOnce(t)
	w.publish(0, 1, 10)
	w.attachResuming(1)
	for _, x := range w.store.sessions {
		for slot, page := range x.pages {
			page.Runs[0].Generation++ // as if the cursor's had been lower
			x.pages[slot] = page
		}
	}
	w.restart()
	w.attach(2, 10, 1000)
	w.got(1)
	wantOffsets(t, "after the seek", w.got(2), 0)
}
