package headrace

import (
	"slices"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// maxSkipped bounds the deliveries that a broken stream may have taken along, unread.
const maxSkipped = 1 << 20

// resumption says whether and how a session can be taken up again on another stream.
// It is the receiver's.
type resumption struct {
	id     string        // of the session; empty: the server cannot do it.
	window time.Duration // how long after its stream broke; 0: not then.
}

func resumptionOf(o *headracev1.SubscribeResponse_Opened) resumption {
	if !slices.Contains(o.GetFeatures(), headracev1.Feature_FEATURE_RESUME) {
		return resumption{}
	}
	return resumption{id: o.GetSessionId(), window: o.GetLimits().GetResumeWindow().AsDuration()}
}

// resume is what the server is told to take the session up again: every delivery that
// was received and whose settle is not confirmed. What is cut off, of more ranges than
// a frame may have, the server gives to others.
func (l *ledger) resume(id string) *headracev1.SubscribeRequest_Resume {
	l.mu.Lock()
	defer l.mu.Unlock()
	var holding spans
	for _, d := range l.held.all() {
		holding.add(d.sequence)
	}
	for _, g := range l.settles.order.all() {
		holding = append(holding, g.spans...)
	}
	for _, s := range l.confirms.sent.all() {
		holding = append(holding, spansOf(s.frame.GetSettle().GetRanges())...)
	}
	holding.merge()
	return &headracev1.SubscribeRequest_Resume{
		SessionId: id, ReceivedThrough: l.received, Holding: holding.cut(l.ranges).ranges(),
	}
}

// resumed goes on with the session on a new stream: what the server did not keep is
// lost, what it has not confirmed is sent again. It returns how many deliveries are
// held. An error means that the answer breaks the protocol.
func (l *ledger) resumed(r *headracev1.SubscribeResponse_Resumed) (held int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	skipped := r.GetNextSequence() - 1 - l.received
	if skipped > maxSkipped {
		return 0, brokenFrame("a session that received %d is taken up at sequence %d", l.received, r.GetNextSequence())
	}
	kept := spansOf(r.GetKept())
	kept.merge()
	for _, d := range l.held.all() {
		for len(kept) > 0 && kept[0].last < d.sequence {
			kept = kept[1:]
		}
		if len(kept) == 0 || d.sequence < kept[0].first {
			l.lose(d, errNotKept)
		}
	}
	l.held.skip(skipped)
	l.received += skipped
	l.leaving = false
	l.confirms.sendAgain()
	l.leases.renewAll()
	l.signal()
	return l.held.count, nil
}

// errNotKept is the cause of the context of a delivery that the server gave to others
// while the session was broken.
var errNotKept = &Error{Reason: "DELIVERY_LOST", Message: "the server did not keep the delivery while the stream was broken"}

// errNotResumed is the cause of the end of a session that was not taken up again.
var errNotResumed = &Error{Code: "UNAVAILABLE", Message: "the session was not taken up again"}
