package headrace

import (
	"context"
	"sync"
)

// receive is Subscription.Receive: a receiver and its workers.
func (c *Client) receive(ctx context.Context, subscription string, handler Handler, opts []ReceiveOption) error {
	stop, done, err := c.receivers.enter(ctx)
	if err != nil {
		return err
	}
	defer done()
	r := newReceiver(c, subscription, newReceiveConfig(opts))
	var workers sync.WaitGroup
	defer workers.Wait()
	for range r.config.concurrency {
		workers.Go(func() { r.work(handler) })
	}
	return r.run(stop)
}

// work calls the handler with one delivery after the other.
func (r *receiver) work(handler Handler) {
	for d, ok := r.inbox.next(); ok; d, ok = r.inbox.next() {
		err := r.observed.handle(handler, d, r.subscription)
		d.session.finish(d, verdictOf(err))
		if d.line != nil {
			r.inbox.put(d.session.takeReady())
		}
	}
}

// iterate is Subscription.Deliveries: a receiver, with the caller's loop as the
// only worker.
func (c *Client) iterate(ctx context.Context, subscription string, opts []ReceiveOption, yield func(*Delivery, error) bool) {
	stop, done, err := c.receivers.enter(ctx)
	if err != nil {
		yield(nil, err)
		return
	}
	defer done()
	config := newReceiveConfig(opts)
	config.iterated = true
	if left, err := newReceiver(c, subscription, config).loop(stop, yield); err != nil && !left {
		yield(nil, err)
	}
}

// loop yields deliveries until there are no more, or until the loop is left, by
// a panic too; then the receiver is stopped. It returns why the receiver ended,
// and whether the loop was left.
func (r *receiver) loop(ctx context.Context, yield func(*Delivery, error) bool) (left bool, err error) {
	ctx, stop := context.WithCancel(ctx)
	// ended gets why the receiver ended. Capacity 1: it is taken after the loop.
	ended := make(chan error, 1)
	go func() { ended <- r.run(ctx) }()
	defer func() {
		stop()
		r.closeInbox()
		err = <-ended
	}()
	for d, ok := r.inbox.next(); ok; d, ok = r.inbox.next() {
		if !r.observed.yield(d, r.subscription, yield) {
			return true, nil
		}
	}
	return false, nil
}

// handOut yields one delivery and reports whether the loop goes on. When the loop
// was left with it, it goes back if it is not settled.
func handOut(d *Delivery, yield func(*Delivery, error) bool) (more bool) {
	defer func() {
		if !more {
			d.Release()
		}
	}()
	return yield(d, nil)
}

// receivers are the running Receives and Deliveries of a client.
type receivers struct {
	mu      sync.Mutex
	stops   map[*context.CancelFunc]struct{}
	stopped bool
	// idle is closed when the last one has ended after stop. It carries nothing.
	idle chan struct{}
}

func newReceivers() *receivers {
	return &receivers{stops: make(map[*context.CancelFunc]struct{}), idle: make(chan struct{})}
}

// enter registers a receiver. The context that it returns ends with ctx, with
// done, and when the client closes; done must be called at the end.
func (r *receivers) enter(ctx context.Context) (stop context.Context, done func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return nil, nil, &Error{Reason: "CLOSED", Message: "receive: the client is closed"}
	}
	stop, cancel := context.WithCancel(ctx)
	r.stops[&cancel] = struct{}{}
	return stop, func() {
		cancel()
		r.leave(&cancel)
	}, nil
}

func (r *receivers) leave(cancel *context.CancelFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.stops, cancel)
	r.checkIdle()
}

// stop stops every receiver, and waits until they have ended or ctx does.
func (r *receivers) stop(ctx context.Context) {
	r.mu.Lock()
	r.stopped = true
	for cancel := range r.stops {
		(*cancel)()
	}
	r.checkIdle()
	r.mu.Unlock()
	select {
	case <-r.idle:
	case <-ctx.Done():
	}
}

func (r *receivers) checkIdle() {
	if !r.stopped || len(r.stops) > 0 {
		return
	}
	select {
	case <-r.idle:
	default:
		close(r.idle)
	}
}
