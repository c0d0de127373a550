package headrace

import (
	"context"
	"slices"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go/internal/wire"
	"google.golang.org/grpc/mem"
)

// never is a wait that only a signal ends.
const never = time.Duration(-1)

// take returns the next frame to send, or how long to wait for one: never means
// until the outbox signals. Only the publisher's loop calls it.
func (o *outbox) take(now time.Time) (*wire.PublishFrame, time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	wait := o.sealDue(now)
	for o.sealed.len() > 0 {
		b := o.sealed.front()
		if o.flight.producing && !o.flight.ready(b.topic) {
			return nil, wait
		}
		if err := o.hopeless(b); err != nil {
			o.sealed.pop()
			o.finish(b, err)
			continue
		}
		if !o.cut(b) {
			return nil, wait
		}
		o.flight.launch(b, now)
		return o.frame(b), 0
	}
	return nil, wait
}

// frame makes the frame of a batch that has its sequence. The body is the
// frame's from now on.
func (o *outbox) frame(b *publishBatch) *wire.PublishFrame {
	body := b.body
	b.body = nil
	if o.config.producer != "" && !b.oneWay {
		return o.keptFrame(b, body)
	}
	return &wire.PublishFrame{
		Header: wire.AppendPublishHeader(nil, b.topic, b.first, b.oneWay, len(body)),
		Body:   mem.NewBuffer(&body, o.bodies),
	}
}

// sealDue seals the open batches that must not wait longer, and returns how long
// the next one may.
func (o *outbox) sealDue(now time.Time) time.Duration {
	for {
		o.dropSealed()
		if o.open.len() == 0 {
			return never
		}
		b := o.open.front()
		wait := o.config.batchDelay - now.Sub(b.created)
		idle := o.sealed.len() == 0 && o.flight.idle(now, o.config.batchDelay)
		if wait > 0 && !idle {
			return wait
		}
		o.seal(b)
	}
}

// hopeless returns why a batch of one message cannot be sent at all. It was
// accepted before the limits were known.
func (o *outbox) hopeless(b *publishBatch) error {
	if most := o.limit; most > 0 && b.count == 1 && uint64(b.bytes) > most {
		return tooLarge(b.topic, b.bytes, most)
	}
	return nil
}

// cut makes the first sealed batch, b, fit what may be sent now and takes it out
// of the queue; it reports false when it must wait for the window. A window that
// has room for a part is left to grow while results are due that will raise it.
func (o *outbox) cut(b *publishBatch) bool {
	n := o.flight.fits(b)
	if n == 0 || n < o.flight.withinLimits(b) && o.flight.unresolved > 0 {
		return false
	}
	if n < b.count {
		o.sealed.setFront(b.split(n))
		return true
	}
	o.sealed.pop()
	return true
}

// sent is called when a batch was handed to the transport: a one-way batch is
// done by that.
func (o *outbox) sent() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if b := o.flight.oneWay; b != nil {
		o.flight.oneWay = nil
		o.finish(b, nil)
	}
}

// opened begins the flight of a new stream.
func (o *outbox) opened(limits *headracev1.PublishLimits) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flight = newFlight(limits)
	o.takeUp()
	o.limit = limits.GetMaxMessageBytes()
}

// broken ends the flight: nobody knows the outcome of what is in it. It returns
// how many messages that were.
func (o *outbox) broken(cause error) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	f := o.flight
	if f == nil {
		return 0
	}
	o.flight = nil
	if o.keeps(cause) {
		return o.abandonOneWay(f)
	}
	lost := 0
	for _, b := range f.pending() {
		lost += b.count
		o.finish(b, unknownOutcome(b.topic, cause))
	}
	for _, t := range o.producer {
		t.batches = fifo[*publishBatch]{}
	}
	return lost
}

// refused fails what was not sent: no stream can be had.
func (o *outbox) refused(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failDoubted(err)
	o.failWaiting(err)
}

// refusedNew fails what was never sent; what is in doubt waits for another stream.
func (o *outbox) refusedNew(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.failWaiting(err)
}

// raise takes a new window.
func (o *outbox) raise(w *headracev1.PublishStreamResponse_PublishWindow) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flight.raise(w.GetThroughMessages(), w.GetThroughBytes())
	o.signal()
}

// resolve completes the batches that a result completes.
func (o *outbox) resolve(r *headracev1.PublishStreamResponse_PublishResult) {
	o.mu.Lock()
	defer o.mu.Unlock()
	complete, again := o.flight.resolve(r)
	for _, b := range complete {
		o.finish(b, nil)
	}
	o.sendAgain(again)
	if o.flight.unresolved == 0 || o.flight.producing {
		o.signal()
	}
}

// wakeUp makes the publisher's loop look again.
func (o *outbox) wakeUp() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.signal()
}

// finished reports whether the outbox is closed and nothing is left in it.
func (o *outbox) finished() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.closed && o.messages == 0
}

// hasWork reports whether there is something to send.
func (o *outbox) hasWork() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.dropSealed()
	return o.open.len()+o.sealed.len() > 0 || o.doubts()
}

// landed reports whether nothing that was sent waits for its result.
func (o *outbox) landed() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.flight.unresolved == 0
}

// flush sends what waits, of one topic or of all when it is empty, and waits
// until everything accepted before has its result.
func (o *outbox) flush(ctx context.Context, topic string) error {
	for _, b := range o.pending(topic) {
		for ; b != nil; b = b.rest {
			if err := b.await(ctx); err != nil {
				return ctx.Err()
			}
		}
	}
	return nil
}

// pending seals and returns the batches that are not done.
func (o *outbox) pending(topic string) []*publishBatch {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sealAll(topic)
	all := o.sealed.all()
	if o.flight != nil {
		all = append(o.flight.pending(), all...)
	} else {
		all = append(o.doubted(), all...)
	}
	return slices.DeleteFunc(slices.Clone(all), func(b *publishBatch) bool {
		return topic != "" && b.topic != topic
	})
}

// close accepts nothing more, and waits until all has its result or ctx ends.
func (o *outbox) close(ctx context.Context) error {
	o.mu.Lock()
	o.closed = true
	for o.waiters.len() > 0 {
		if w := o.waiters.pop(); !w.gone {
			close(w.ready)
		}
	}
	o.signal()
	o.mu.Unlock()
	return o.flush(ctx, "")
}
