package headrace

import (
	"context"
	"errors"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go/internal/wire"
	"google.golang.org/grpc"
)

// publisher sends what is in the outbox. It has one loop, which owns it, and
// while a stream is open a second goroutine that receives.
//
//	publishers          loop                     receiver
//	accept ──► outbox ──► take ─► SendMsg
//	   ▲                                         RecvMsg
//	   └────── outbox ◄──────── resolve, raise ◄────┘
type publisher struct {
	conn   *connection
	outbox *outbox
	config dialConfig
	pause  backoffPause
}

// run serves the outbox until it is closed and empty, or ctx ends.
func (p *publisher) run(ctx context.Context) {
	for p.awaitWork(ctx) {
		began := time.Now()
		err := p.stream(ctx)
		lost := p.outbox.broken(err)
		if err == nil || ctx.Err() != nil {
			continue
		}
		if stale(err) {
			p.outbox.refused(err)
		}
		wait := p.pause.after(err, time.Since(began))
		p.config.events(Event{Kind: PublishBroken, Err: err, Wait: wait, Count: lost})
		sleep(ctx, wait)
	}
}

// awaitWork waits until there is something to publish; false means that there
// will be nothing any more.
func (p *publisher) awaitWork(ctx context.Context) bool {
	for ctx.Err() == nil && !p.outbox.finished() {
		if p.outbox.hasWork() {
			return true
		}
		select {
		case <-p.outbox.wake:
		case <-ctx.Done():
		}
	}
	return false
}

// stream opens a stream and serves it until it ends. The error is nil when the
// server asked for the end and everything sent has its result.
func (p *publisher) stream(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s, err := p.open(ctx, cancel)
	if err != nil {
		switch {
		case errors.Is(err, ErrUnreachable) || endsStream(err):
			p.outbox.refused(err)
		case errors.Is(err, ErrDiskFull): // No room for the record of a producer.
			p.outbox.refusedNew(err)
		}
		return err
	}
	defer s.silence.stop()
	p.config.events(Event{Kind: PublishOpened})
	go s.receive()
	err = s.send(ctx)
	cancel(err)
	<-s.received
	return err
}

// open opens a stream: the answer to Open has come.
func (p *publisher) open(ctx context.Context, cancel context.CancelCauseFunc) (*publishStream, error) {
	if err := p.conn.reach(ctx); err != nil {
		return nil, err
	}
	grpcStream, err := headracev1.NewPublisherServiceClient(p.conn).PublishStream(ctx, grpc.ForceCodecV2(wire.Codec{}))
	if err != nil {
		return nil, translate(err)
	}
	s := &publishStream{
		outbox: p.outbox, events: p.config.events, stream: grpcStream,
		silence: newSilence(heartbeatInterval, cancel), received: make(chan struct{}),
	}
	limits, err := s.handshake(p.config.clientID, p.config.outbox.producer)
	if err != nil {
		s.silence.stop()
		return nil, streamError(ctx, err)
	}
	p.outbox.opened(limits)
	return s, nil
}
