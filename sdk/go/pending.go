package headrace

import (
	"context"
	"time"
)

type outboxConfig struct {
	batchMessages  int
	batchBytes     int
	batchDelay     time.Duration
	bufferMessages int
	bufferBytes    int
	overflowError  bool
}

type outbox struct{}

func publisherOf(*connection, dialConfig) any { return nil }
func newOutbox(outboxConfig, any) *outbox     { return &outbox{} }

func (o *outbox) publish(context.Context, string, Message) *PublishResult {
	return &PublishResult{err: ErrClosed}
}
func (o *outbox) publishOneWay(context.Context, string, Message) error { return ErrClosed }
func (o *outbox) flush(context.Context, string) error                  { return nil }
func (o *outbox) close(context.Context) error                          { return nil }

type publishBatch struct{}

func (b *publishBatch) wait(context.Context, int) (Position, error) { return Position{}, ErrClosed }

type receivers struct{}

func newReceivers() *receivers                { return &receivers{} }
func (r *receivers) stop()                    {}
func (r *receivers) wait(ctx context.Context) {}

func (c *Client) receive(context.Context, string, Handler, []ReceiveOption) error { return ErrClosed }
func (c *Client) iterate(context.Context, string, []ReceiveOption, func(*Delivery, error) bool) {
}

type deliveryState int
type leaseClock struct{}
type verdict struct {
	delay   time.Duration
	delayed bool
}

var ackVerdict, releaseVerdict verdict

func retryVerdict(opts []RetryOption) verdict {
	var v verdict
	for _, o := range opts {
		o(&v)
	}
	return v
}

type ledger struct{}

func (l *ledger) settle(*Delivery, verdict, chan error)                   {}
func (l *ledger) settleAndWait(context.Context, *Delivery, verdict) error { return ErrClosed }
func (l *ledger) contextOf(*Delivery) context.Context                     { return context.Background() }
