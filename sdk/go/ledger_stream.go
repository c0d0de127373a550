package headrace

import (
	"slices"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go/internal/wire"
)

// opened takes what the server says of the session as it begins.
func (l *ledger) opened(o *headracev1.SubscribeResponse_Opened) {
	l.mu.Lock()
	l.settledWhenSent(o)
	l.starts.served = slices.Contains(o.GetFeatures(), headracev1.Feature_FEATURE_STARTED)
	if slices.Contains(o.GetFeatures(), headracev1.Feature_FEATURE_KEY_BATCHES) {
		l.keys.order = o.GetOrderedBy()
	}
	l.mu.Unlock()
	l.limit(o.GetLimits())
}

// limit takes the limits of the session, also when they change.
func (l *ledger) limit(limits *headracev1.SessionLimits) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leases.set(limits.GetLease().AsDuration(), limits.GetMaxLease().AsDuration())
	l.signal() // A new lease may be extended earlier.
	if n := limits.GetMaxUnconfirmedSettles(); n > 0 {
		l.unconfirmed = int(n)
	}
	if n := limits.GetMaxRanges(); n > 0 {
		l.ranges = int(n)
	}
}

// deliver takes a batch and returns its deliveries. An error means that the
// batch breaks the protocol.
func (l *ledger) deliver(b *wire.Batch) ([]Delivery, error) {
	deliveries, err := decodeBatch(b)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if b.FirstSequence != l.received+1 {
		return nil, brokenFrame("a batch begins with sequence %d, not %d", b.FirstSequence, l.received+1)
	}
	l.received += uint64(len(deliveries))
	if l.unheld.served {
		l.deliverUnheld(deliveries)
		return deliveries, nil
	}
	l.deliverHeld(deliveries)
	return deliveries, nil
}

// deliverHeld takes deliveries that the session holds. The lock is held.
func (l *ledger) deliverHeld(deliveries []Delivery) {
	now := time.Now()
	var clock leaseClock
	if !l.starts.served {
		clock = l.leases.begin(now)
	}
	ordered := l.keys.order != headracev1.OrderedBy_ORDERED_BY_UNSPECIFIED
	for i := range deliveries {
		d := &deliveries[i]
		d.session, d.lease = l, clock
		l.held.push(d)
		if ordered {
			l.keys.join(d)
		}
		if l.stopping {
			l.setSettled(d, releaseVerdict, nil, now)
		}
	}
}

// next returns the next frame to send, or nil and how long until there may be
// one: never means until the ledger signals. Send loop only.
func (l *ledger) next(now time.Time) (*headracev1.SubscribeRequest, time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if frame := l.confirms.nextAgain(); frame != nil {
		return frame, 0
	}
	if l.starts.due(now) {
		if frame := l.tellStarted(now); frame != nil {
			return frame, 0
		}
	}
	if l.confirms.sent.len() >= l.unconfirmed {
		return nil, l.starts.wait(now) // A confirmation signals.
	}
	if l.leases.due(now) {
		if frame := l.extend(now); frame != nil {
			return frame, 0
		}
	}
	if !l.settles.empty() && (l.stopping || l.leaving || l.settles.due(now)) {
		g := l.settles.take(l.ranges)
		return l.confirms.keep(g.frame(l.confirms.next()), g), 0
	}
	return nil, shorter(l.starts.wait(now), shorter(l.settles.wait(now), l.leases.wait(now)))
}

// extend returns a frame that extends what must be, or nil.
func (l *ledger) extend(now time.Time) *headracev1.SubscribeRequest {
	due, ended := l.leases.sweep(l.held.all(), now)
	for _, d := range ended {
		l.lose(d, errLeaseEnded)
	}
	if len(due) == 0 {
		return nil
	}
	due = due.cut(l.ranges) // What is cut off is looked at again a third of a lease later.
	return l.confirms.keep(extendFrame(l.confirms.next(), due), settleGroup{})
}

// errLeaseEnded is the cause of a context when a lease was extended as long as it
// may be.
var errLeaseEnded = lostBecause("LEASE_EXPIRED", "the delivery's lease was extended as long as it may be")

// shorter returns the shorter wait; never is longer than any.
func shorter(a, b time.Duration) time.Duration {
	if a == never || b != never && b < a {
		return b
	}
	return a
}

// confirm takes a SettleResult and returns how many deliveries it says are
// stale.
func (l *ledger) confirm(r *headracev1.SubscribeResponse_SettleResult) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	stale := 0
	for _, f := range r.GetFailures() {
		stale += l.fail(f)
	}
	l.keys.proceed(l.confirms.confirm(r.GetConfirmedThrough()))
	l.signal()
	return stale
}

// fail takes one failure of a settle or an extend and returns how many
// deliveries are stale by it. What could not be extended is lost, unless it was
// extended as far as it may be.
func (l *ledger) fail(f *headracev1.SubscribeResponse_SettleFailure) int {
	ranges := spansOf(f.GetRanges())
	extend, known := l.confirms.fail(f)
	if !known {
		return 0
	}
	if f.GetReason() == headracev1.ErrorReason_ERROR_REASON_LEASE_CAPPED {
		for _, d := range l.heldIn(ranges) {
			d.lease.capped = true
		}
		return 0
	}
	if extend {
		l.loseAll(ranges, &Error{Reason: "DELIVERY_LOST", Message: "the delivery's lease could not be extended"})
	}
	return ranges.count()
}

// revoke takes deliveries away.
func (l *ledger) revoke(ranges spans, why Reason) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.loseAll(ranges, lostBecause(why, "the delivery was revoked"))
	l.signal()
}

// lostBecause is the cause of the context of a delivery that is lost for a reason,
// which errors.Is finds too.
func lostBecause(why Reason, text string) *Error {
	return &Error{Reason: "DELIVERY_LOST", cause: &Error{Reason: why}, Message: text + ": " + string(why)}
}

func (l *ledger) loseAll(ranges spans, cause error) {
	for _, d := range l.heldIn(ranges) {
		l.lose(d, cause)
	}
}

func (l *ledger) heldIn(ranges spans) []*Delivery {
	var found []*Delivery
	for _, r := range ranges {
		found = append(found, l.held.within(r)...)
	}
	return found
}

// leave makes settles go at once: the stream is about to end.
func (l *ledger) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leaving = true
	l.signal()
}

// stop releases what nobody has begun, and from now on what arrives.
func (l *ledger) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopping = true
	now := time.Now()
	for _, d := range l.held.all() {
		if d.state == waiting {
			l.setSettled(d, releaseVerdict, nil, now)
		}
	}
	l.signal()
}

// releaseAll releases what is still held and cancels its handlers.
func (l *ledger) releaseAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for _, d := range l.held.all() {
		l.setSettled(d, releaseVerdict, nil, now)
		d.end(ErrStopped)
	}
	if l.unheld.served {
		l.cancelAll(ErrStopped)
	}
}

// quiet reports whether every settle is sent and all is worked off that the session does
// not hold, and whether also nothing is held and every settle is confirmed.
func (l *ledger) quiet() (sent, confirmed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	sent = l.settles.empty() && l.unheld.open == 0
	return sent, sent && l.held.count == 0 && l.confirms.sent.len() == 0
}

// end ends the session: what is held is lost, what is not confirmed never will
// be.
func (l *ledger) end(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.unheld.served || l.stopping || l.endsAtSettle {
		defer l.cancelAll(nil)
	}
	for _, d := range l.held.all() {
		l.lose(d, &Error{Reason: "DELIVERY_LOST", cause: cause, Message: "the session of the delivery is over"})
	}
	l.confirms.drop(&Error{Reason: "UNKNOWN_OUTCOME", cause: cause, Message: "settle: the session ended before it was confirmed"})
	for !l.settles.empty() {
		g := l.settles.take(maxRanges)
		for _, w := range g.waiters {
			w.result <- &Error{Reason: "STALE_DELIVERY", cause: cause, Message: "settle: the session ended before it was sent"}
		}
	}
}
