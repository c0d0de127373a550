package bench

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/headrace/headrace/sdk/go"
)

// subscriber receives messages and acks each at once.
type subscriber struct {
	sub    *headrace.Subscription
	meter  *meter
	window int
	begin  time.Time
}

// windowMessageBytes bounds a window in bytes by what its messages may have.
const windowMessageBytes = 1 << 20

// proof is a delivery whose confirmed ack stands for others before it.
type proof struct {
	delivery *headrace.Delivery
	messages uint64
}

// run receives until ctx ends.
//
// A message counts when its ack is confirmed, but waiting for each confirmation
// would cost more than the rest. Settles are confirmed in their order: so each
// delivery is acked at once, and whenever no confirmation is being waited for,
// one delivery is acked by the prover, whose confirmation proves all the acks
// before it too.
func (s *subscriber) run(ctx context.Context) error {
	proofs := make(chan proof, 1) // one waits while one is being proved
	proved := make(chan error, 1) // the prover's one result
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		err := s.prove(ctx, proofs)
		stop()
		proved <- err
	}()
	err := s.receive(ctx, proofs)
	close(proofs)
	return errors.Join(err, <-proved)
}

func (s *subscriber) receive(ctx context.Context, proofs chan<- proof) error {
	var unproved uint64
	for d, err := range s.sub.Deliveries(ctx, headrace.WithWindow(s.window, s.window*windowMessageBytes)) {
		if err != nil {
			return fmt.Errorf("receiving: %w", err)
		}
		s.meter.took(time.Since(s.begin) - sentAt(d.Data))
		unproved++
		select {
		case proofs <- proof{d, unproved}:
			unproved = 0
		default:
			d.Ack()
		}
	}
	return nil
}

// prove waits for confirmations. An ack that crosses the end of the run may find
// its session gone: it does not count and is no failure.
func (s *subscriber) prove(ctx context.Context, proofs <-chan proof) error {
	var first error
	for p := range proofs {
		err := p.delivery.AckConfirm(ctx)
		switch {
		case err == nil:
			s.meter.ackDone(p.messages)
		case ctx.Err() == nil && first == nil:
			first = fmt.Errorf("acking: %w", err)
		}
	}
	return first
}

// sentAt is the time stamp of a payload.
func sentAt(payload []byte) time.Duration {
	if len(payload) < stampBytes {
		return 0
	}
	return time.Duration(binary.LittleEndian.Uint64(payload))
}
