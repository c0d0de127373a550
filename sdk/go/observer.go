package headrace

import (
	"context"
	"sync"
)

// Observer sees what a client publishes and what its handlers work on: for traces,
// metrics and logs of a program's own. Package headraceotel has one for OpenTelemetry.
// Its methods are called by the goroutines that publish and work, many at once, and must
// not block.
type Observer interface {
	// Publishing is called with each message before it is accepted, and may change it;
	// the maps in it are the caller's, to be copied and not changed. ended is called
	// once, when the message has its result, of a one-way message when it is accepted;
	// the position is zero then, and with an error.
	Publishing(ctx context.Context, topic string, m *Message) (ended func(Position, error))
	// Working is called as a handler, or a loop, gets a delivery, which has then the
	// context that is returned: ctx, or one made of it. ended is called once: with what
	// the handler returned, or, of a loop, when the delivery is settled or lost, with nil
	// or the cause.
	Working(ctx context.Context, subscription string, d *Delivery) (working context.Context, ended func(error))
}

// WithObserver has an observer see every message that is published, and every delivery
// that is worked on, but for what is pulled. Default, and when it is nil: none.
func WithObserver(o Observer) DialOption {
	return func(c *dialConfig) { c.observer = o }
}

// observed is an observer and what it is still to be told, which Close waits for.
type observed struct {
	observer Observer // nil: none.

	mu      sync.Mutex
	waiting int
	told    *sync.Cond // signalled when waiting is 0
}

func newObserved(o Observer) *observed {
	all := &observed{observer: o}
	all.told = sync.NewCond(&all.mu)
	return all
}

// later counts what is still to be told, or was told.
func (o *observed) later(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting += n
	if o.waiting == 0 {
		o.told.Broadcast()
	}
}

// wait waits until all is told.
func (o *observed) wait() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.waiting > 0 {
		o.told.Wait()
	}
}

// publish publishes a message that the observer sees.
func (o *observed) publish(ctx context.Context, t *Topic, m Message) *PublishResult {
	ended := o.observer.Publishing(ctx, t.name, &m)
	result := t.client.outbox.publish(ctx, t.name, m)
	if result.err != nil {
		ended(Position{}, result.err)
		return result
	}
	o.later(1)
	go o.tell(result, ended) //nolint:gosec // G118: a result comes after the publisher's context has ended, too.
	return result
}

// tell tells of a result when it is there. It always comes, whatever becomes of whoever
// published.
func (o *observed) tell(result *PublishResult, ended func(Position, error)) {
	defer o.later(-1)
	ended(result.Position(context.Background()))
}

// publishOneWay publishes a one-way message that the observer sees.
func (o *observed) publishOneWay(ctx context.Context, t *Topic, m Message) error {
	ended := o.observer.Publishing(ctx, t.name, &m)
	err := t.client.outbox.publishOneWay(ctx, t.name, m)
	ended(Position{}, err)
	return err
}

// handle calls a handler that the observer sees.
func (o *observed) handle(handler Handler, d *Delivery, subscription string) error {
	if o.observer == nil {
		return handler(d.Context(), d)
	}
	ctx, ended := o.observer.Working(d.Context(), subscription, d)
	d.session.dress(ctx, d)
	err := handler(ctx, d)
	ended(err)
	return err
}

// yield hands a delivery to a loop. The observer sees it until it is settled or lost, or,
// where there is nothing to settle, until the loop asks for the next.
func (o *observed) yield(d *Delivery, subscription string, yield func(*Delivery, error) bool) (more bool) {
	if o.observer == nil {
		return handOut(d, yield)
	}
	held := d.Context()
	ctx, ended := o.observer.Working(held, subscription, d)
	d.session.dress(ctx, d)
	if d.session.unheld.served {
		defer ended(nil)
		return handOut(d, yield)
	}
	o.later(1)
	context.AfterFunc(held, func() {
		defer o.later(-1)
		cause := context.Cause(held)
		if cause == context.Canceled { //nolint:errorlint // A settle ends it with this very value.
			cause = nil
		}
		ended(cause)
	})
	return handOut(d, yield)
}

// dress gives a delivery the context that an observer made of its own.
func (l *ledger) dress(ctx context.Context, d *Delivery) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d.ctx = ctx
}
