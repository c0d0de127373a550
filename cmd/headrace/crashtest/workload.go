package crashtest

import (
	"context"
	"errors"
	"fmt"

	"github.com/headrace/headrace/sdk/go"
)

const (
	// inFlight is how many results one publisher waits for.
	inFlight = 200
	// handlers is how many deliveries one consumer works on at once.
	handlers = 200
	// windowMessages is how many a consumer holds: some wait in its client when
	// the server dies.
	windowMessages = 500
	windowBytes    = 16 << 20
	// retryEvery is how often a first attempt is retried instead of acked.
	retryEvery = 50
	// keysPerPublisher spreads a publisher's messages over partitions.
	keysPerPublisher = 8
)

// publisher publishes until its context ends, through every death of the server.
type publisher struct {
	number uint32
	topic  *headrace.Topic
	ledger *Ledger
	made   uint32
}

// flight is a message on its way.
type flight struct {
	id     MessageID
	result *headrace.PublishResult
}

func (p *publisher) run(ctx context.Context) {
	flying := make(chan flight, inFlight) // the bound on results waited for
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		p.settle(flying)
	}()
	for ctx.Err() == nil {
		p.made++
		id := MessageID{p.number, p.made}
		p.ledger.Attempted(id)
		flying <- flight{id, p.topic.PublishAsync(ctx, headrace.Message{
			Data:        encodeBody(id),
			OrderingKey: fmt.Sprintf("%d-%d", p.number, p.made%keysPerPublisher),
		})}
	}
	close(flying)
	<-finished
}

// settle records every outcome, in order. The client gives each message one,
// also when the server never comes back, so no context is needed.
func (p *publisher) settle(flying <-chan flight) {
	for f := range flying {
		position, err := f.result.Position(context.Background())
		switch {
		case err == nil:
			p.ledger.Acknowledged(f.id, position)
		case errors.Is(err, headrace.ErrUnknownOutcome):
			p.ledger.Unknown(f.id)
		default:
			p.ledger.Refused(f.id)
		}
	}
}

// consumer receives from one subscription until its context ends.
type consumer struct {
	subscription uint8
	from         *headrace.Subscription
	ledger       *Ledger
}

func (c *consumer) run(ctx context.Context) error {
	err := c.from.Receive(ctx, c.handle,
		headrace.WithConcurrency(handlers),
		headrace.WithWindow(windowMessages, windowBytes),
	)
	if err != nil {
		return fmt.Errorf("subscription %d: %w", c.subscription, err)
	}
	return nil
}

// handle records the delivery and then acks it, or retries it now and then. An
// ack whose confirmation got lost with the server is not recorded: it may hold or
// not.
func (c *consumer) handle(ctx context.Context, d *headrace.Delivery) error {
	id, whole := decodeBody(d.Data)
	if !whole {
		c.ledger.Damaged(c.subscription, d.Position())
		return nil
	}
	c.ledger.Delivered(c.subscription, id, d.Position())
	if d.Attempt() == 1 && id.Number%retryEvery == 0 {
		d.Retry(headrace.RetryAfter(0))
		return nil
	}
	if err := d.AckConfirm(ctx); err == nil {
		c.ledger.Confirmed(c.subscription, id, d.Position())
	}
	return nil
}
