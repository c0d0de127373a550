package headrace

import (
	"context"
	"time"
)

type receivers struct{}

func newReceivers() *receivers            { return &receivers{} }
func (r *receivers) stop(context.Context) {}

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
