package headrace

import (
	"context"
	"time"
)

// Delivery is a message as one subscriber received it. It is held until it is
// settled: acked, retried, rejected or released, by what the handler returns or by one of
// the methods here. The first settle counts, later ones change nothing; so does a
// settle of a delivery that was lost meanwhile.
type Delivery struct {
	// Message is the message as it was published. Its Data shares memory with
	// other deliveries: don't change it, and copy what you keep.
	Message

	session     *ledger
	sequence    uint64
	position    Position
	messageID   string // empty: the position.
	publishTime time.Time
	attempt     uint32
	size        int // what it is charged, in bytes.

	// The rest is the ledger's, under its lock.
	state  deliveryState
	aside  bool     // of a key whose turn it was not.
	line   *keyLine // nil: no order counts for it.
	lease  leaseClock
	ctx    context.Context //nolint:containedctx // a delivery has a life of its own, and its context says when that ends
	cancel context.CancelCauseFunc
}

// ID returns the message's id: that of [PublishResult.Get].
func (d *Delivery) ID() MessageID {
	if d.messageID != "" {
		return MessageID(d.messageID)
	}
	return MessageID(d.position.String())
}

// Position returns where the message stands in the topic's log.
func (d *Delivery) Position() Position { return d.position }

// PublishTime returns when the server received the message, by its wall clock.
func (d *Delivery) PublishTime() time.Time { return d.publishTime }

// Attempt returns which attempt this is: 1 + those that failed or whose lease
// ended. Releases, drains and restarts don't count.
func (d *Delivery) Attempt() int { return int(d.attempt) }

// Sequence returns the delivery's number in its session, counted from 1.
func (d *Delivery) Sequence() uint64 { return d.sequence }

// Context returns a context that is cancelled when the delivery is lost or
// settled, and when the time to finish after a stop is over. It is the context
// that a [Handler] gets.
func (d *Delivery) Context() context.Context { return d.session.contextOf(d) }

// Ack settles the delivery as done: the subscription never sees the message
// again. It returns at once; the settle is sent within 10 ms.
func (d *Delivery) Ack() { d.session.settle(d, ackVerdict, nil) }

// Retry settles the delivery as failed: an attempt is charged and the message
// comes again after the subscription's backoff, or as [RetryAfter] says. It returns at
// once, as Ack does.
func (d *Delivery) Retry(opts ...RetryOption) { d.session.settle(d, retryVerdict(opts), nil) }

// Reject settles the delivery as hopeless: the message goes to the subscription's dead
// letters, with a code and a reason of at most 255 and 1,024 bytes, cut there. It returns
// at once, as Ack does.
func (d *Delivery) Reject(code, reason string) {
	d.session.settle(d, rejectVerdict(code, reason), nil)
}

// Release gives the delivery back untouched: no attempt is charged, and somebody
// else gets it. It returns at once, as Ack does.
func (d *Delivery) Release() { d.session.settle(d, releaseVerdict, nil) }

// AckConfirm acks, and waits until the ack is durable. Errors: ctx's, which is also
// [ErrUnknownOutcome], for the ack is on its way; [ErrStaleDelivery] when the delivery was settled or lost before, so that the
// message may come again; [ErrUnknownOutcome] when the session was over before
// the answer.
func (d *Delivery) AckConfirm(ctx context.Context) error {
	return d.session.settleAndWait(ctx, d, ackVerdict)
}

// RetryConfirm is [Delivery.Retry], and waits like [Delivery.AckConfirm].
func (d *Delivery) RetryConfirm(ctx context.Context, opts ...RetryOption) error {
	return d.session.settleAndWait(ctx, d, retryVerdict(opts))
}

// RejectConfirm is [Delivery.Reject], and waits like [Delivery.AckConfirm].
func (d *Delivery) RejectConfirm(ctx context.Context, code, reason string) error {
	return d.session.settleAndWait(ctx, d, rejectVerdict(code, reason))
}

// ReleaseConfirm is [Delivery.Release], and waits like [Delivery.AckConfirm].
func (d *Delivery) ReleaseConfirm(ctx context.Context) error {
	return d.session.settleAndWait(ctx, d, releaseVerdict)
}
