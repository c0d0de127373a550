package headrace

import (
	"context"
	"iter"
)

// Subscription is a subscription to receive from. It is made by
// [Client.Subscription], costs nothing and need not be closed. Each call of
// [Subscription.Receive] or [Subscription.Deliveries] is one subscriber with a
// stream of its own.
type Subscription struct {
	client *Client
	name   string
}

// Handler works on one delivery.
//
// Its context is cancelled when the delivery is lost (revoked, its lease ended,
// its session over) and when the time to finish after a stop is over; the
// cause says which: [ErrDeliveryLost] or [ErrStopped]. Returning nil acks the
// delivery. Returning an error retries it after the subscription's backoff, or
// after the delay given by [RetryIn]; [ErrRelease] gives it back untouched. A
// handler may settle the delivery itself, then what it returns does not count. A
// handler that panics ends the program.
type Handler func(ctx context.Context, d *Delivery) error

// Name returns the subscription's full name, "namespace/name".
func (s *Subscription) Name() string { return s.name }

// Receive calls handler with each delivery until ctx ends or the client is
// closed, and then stops gracefully; it returns nil after such a stop.
//
// Handlers run one at a time unless [WithConcurrency] says otherwise. A stop
// asks the server for no more, releases what no handler has begun, lets running
// handlers finish within [WithDrainTimeout], and sends their settles. Receive
// returns when every handler has returned.
//
// A broken stream is opened again with backoff, granting its credit again, and the
// session goes on with what it holds if the server took it up in time; nothing new
// begins meanwhile. That goes on for as long as the error is not one that needs
// somebody's hand: INVALID_ARGUMENT, NOT_FOUND, PERMISSION_DENIED, UNAUTHENTICATED,
// UNIMPLEMENTED, or a reason of the server that is not retryable, such as
// [ErrTakenOver], [ErrSubscriptionDeleted], [ErrExclusiveSessionExists] and
// [ErrDataLoss]. These are returned.
//
// A subscription that delivers at most once has settled what it sends: the client asks
// for it message by message (see [WithManualCredit]), works off what has come after a
// stop and after a broken stream, and whatever a handler returns, the message does not
// come again.
//
// Until the client's first connection, a server that cannot be
// reached is an error too ([ErrUnreachable]), after [WithConnectTimeout].
func (s *Subscription) Receive(ctx context.Context, handler Handler, opts ...ReceiveOption) error {
	return s.client.receive(ctx, s.name, handler, opts)
}

// Deliveries returns the deliveries as a sequence, for a loop that settles each
// of them by itself: [Delivery.Ack], [Delivery.Retry], [Delivery.Release].
//
// The loop ends without an error when ctx ends or the client is closed; an error
// that [Subscription.Receive] would return is the last element, with a nil
// delivery. Leaving the loop stops as Receive does: deliveries not yet handed
// out are released (at most once they are lost: ask for none ahead), the one last handed out too if it is not settled when the
// loop is left by break or return, and those that other goroutines still hold
// are waited for within [WithDrainTimeout]. [WithConcurrency] has no effect.
// Each use of the sequence opens a stream of its own.
func (s *Subscription) Deliveries(ctx context.Context, opts ...ReceiveOption) iter.Seq2[*Delivery, error] {
	return func(yield func(*Delivery, error) bool) {
		s.client.iterate(ctx, s.name, opts, yield)
	}
}
