package headrace

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"
)

// closeTimeout is how long a server may take for what it can answer at once:
// Drained when nothing is held, and the end of a half-closed stream.
const closeTimeout = time.Second

// subscribeStream is one open stream of a session. It has a send loop, which owns it, and a
// goroutine that receives; they and the handlers meet in the ledger.
//
//	receiver                    workers                   send loop
//	RecvMsg ─► ledger.deliver
//	        └► inbox ─────────► start ─ handler ─ settle
//	RecvMsg ─► confirm, revoke        ledger ◄────┘
//	                                   └────────────────► next ─ Send
type subscribeStream struct {
	subscription string
	config       receiveConfig
	events       func(Event)
	stream       grpc.BidiStreamingClient[headracev1.SubscribeRequest, headracev1.SubscribeResponse]
	cancel       context.CancelCauseFunc
	silence      *silence
	session      resumption
	ledger       *ledger
	inbox        *inbox
	interval     time.Duration // of heartbeats.

	leaving  atomic.Bool // the server asked for the end.
	drained  atomic.Bool // the server answered Drain.
	stopping atomic.Bool // Drain is about to be sent.
	// superseded: another stream goes on with the session, and what comes late on this
	// one counts no more.
	superseded atomic.Bool
	// goAway is the server's reason and grace is how long it gives, readable once
	// leaving is set.
	goAway headracev1.GoAwayReason
	grace  time.Duration
	// received is closed when the receiver has returned; failure says why. It
	// carries nothing.
	received chan struct{}
	failure  error

	// The rest is the send loop's.
	// window is the size that the server knows; resized is closed when there is another.
	window    windowSize
	resized   <-chan struct{}
	lastSent  time.Time
	stopBy    time.Time // when handlers must have finished; zero: not stopping.
	closeBy   time.Time // when to close without Drained; zero: not yet known.
	cancelled bool      // handlers that had not finished by stopBy were cancelled.
}

// run serves the stream until it ends. It stops when stop is closed. The error
// is nil when the session ended in order: it was stopped, or the server asked for
// the end and everything is settled; or the stream is superseded, and still open.
func (s *subscribeStream) run(ctx context.Context, stop <-chan struct{}) error {
	timer := time.NewTimer(s.interval)
	defer timer.Stop()
	s.lastSent = time.Now()
	for !s.mayClose(time.Now()) {
		if s.hasSuccessor() {
			s.superseded.Store(true)
			return nil
		}
		wait, err := s.turn(time.Now())
		if err != nil {
			return s.cause(ctx, err)
		}
		if wait == 0 {
			continue
		}
		timer.Reset(wait)
		select {
		case <-s.ledger.wake:
		case <-s.inbox.asked:
		case <-s.resized:
		case <-timer.C:
		case <-stop:
			stop = nil // Once is enough.
			if err := s.drain(time.Now()); err != nil {
				return s.cause(ctx, err)
			}
		case <-s.received:
			return s.cause(ctx, s.failure)
		}
	}
	return s.closeAndWait(ctx)
}

// hasSuccessor reports whether the server asked for another stream that goes on with
// the session.
func (s *subscribeStream) hasSuccessor() bool {
	return s.session.id != "" && s.stopBy.IsZero() && s.leaving.Load() &&
		(s.goAway == headracev1.GoAwayReason_GO_AWAY_REASON_REBALANCE || s.goAway == headracev1.GoAwayReason_GO_AWAY_REASON_STREAM)
}

// turn sends one frame and returns 0, or returns how long there is nothing to
// do.
func (s *subscribeStream) turn(now time.Time) (time.Duration, error) {
	s.hurry(now)
	s.inbox.put(s.ledger.takeReady())
	if frame := s.followWindow(); frame != nil {
		return 0, s.send(frame, now)
	}
	frame, wait := s.ledger.next(now)
	if frame != nil {
		return 0, s.send(frame, now)
	}
	if frame := s.grant(); frame != nil {
		return 0, s.send(frame, now)
	}
	beat := s.interval - now.Sub(s.lastSent)
	if beat <= 0 {
		return 0, s.send(subscribeHeartbeat, now)
	}
	return shorter(shorter(wait, beat), s.untilDeadline(now)), nil
}

// grant returns the next Grant, or nil: also when the stream is about to end.
func (s *subscribeStream) grant() *headracev1.SubscribeRequest {
	if s.ending() {
		return nil
	}
	return s.inbox.grant()
}

// ending reports whether the stream is about to end: nothing more is asked for.
func (s *subscribeStream) ending() bool { return s.leaving.Load() || !s.stopBy.IsZero() }

func (s *subscribeStream) send(frame *headracev1.SubscribeRequest, now time.Time) error {
	s.lastSent = now
	return s.stream.Send(frame)
}

var subscribeHeartbeat = &headracev1.SubscribeRequest{
	Frame: &headracev1.SubscribeRequest_Heartbeat{Heartbeat: &headracev1.Heartbeat{}},
}

// guardStop ends the stream when the send loop does not notice a stop: the
// server does not read, and a Send blocks.
func (s *subscribeStream) guardStop() {
	time.AfterFunc(closeTimeout, func() {
		if !s.stopping.Load() {
			s.cancel(errNoEnd)
		}
	})
}

// drain begins the stop: no more deliveries, and those that wait go back.
func (s *subscribeStream) drain(now time.Time) error {
	grace := s.config.drainTimeout
	if s.config.releaseOnStop {
		grace = 0
	}
	s.stopping.Store(true)
	s.stopBy = now.Add(grace)
	s.ledger.stop()
	return s.send(&headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Drain_{
		Drain: &headracev1.SubscribeRequest_Drain{Grace: durationpb.New(min(grace+closeTimeout, maxDrainGrace))},
	}}, now)
}

// maxDrainGrace is the longest grace that a server takes.
const maxDrainGrace = 12 * time.Hour

// hurry cancels the handlers that have had their time after a stop. What is left
// to say takes a moment.
func (s *subscribeStream) hurry(now time.Time) {
	if s.stopBy.IsZero() || s.cancelled || now.Before(s.stopBy) {
		return
	}
	s.cancelled = true
	s.ledger.releaseAll()
	if s.closeBy.IsZero() {
		s.closeBy = s.stopBy.Add(closeTimeout)
	}
}

// mayClose reports whether the stream should end: everything is settled and
// confirmed and the server has no more to say, or has had its time.
func (s *subscribeStream) mayClose(now time.Time) bool {
	sent, confirmed := s.ledger.quiet()
	switch {
	case s.stopBy.IsZero():
		return s.leaving.Load() && confirmed
	case s.drained.Load() && sent:
		return true
	case !s.closeBy.IsZero():
	case confirmed:
		s.closeBy = now.Add(closeTimeout)
	}
	return !s.closeBy.IsZero() && !now.Before(s.closeBy)
}

// untilDeadline returns how long until the stop goes on by time, or never.
func (s *subscribeStream) untilDeadline(now time.Time) time.Duration {
	wait := never
	if !s.stopBy.IsZero() && !s.cancelled {
		wait = max(1, s.stopBy.Sub(now))
	}
	if !s.closeBy.IsZero() {
		wait = shorter(wait, max(1, s.closeBy.Sub(now)))
	}
	return wait
}

// closeAndWait half-closes and waits for the server's end.
func (s *subscribeStream) closeAndWait(ctx context.Context) error {
	if err := s.stream.CloseSend(); err != nil {
		return s.cause(ctx, err)
	}
	timer := time.AfterFunc(closeTimeout, func() { s.cancel(errNoEnd) })
	defer timer.Stop()
	<-s.received
	return s.cause(ctx, s.failure)
}

// cause returns why the stream ended. A failed send says little: the status
// comes from the receiver. An end in order says nothing at all.
func (s *subscribeStream) cause(ctx context.Context, err error) error {
	if errors.Is(err, io.EOF) {
		<-s.received
		err = s.failure
	}
	switch {
	case !errors.Is(err, io.EOF):
		return streamError(ctx, err)
	case s.leaving.Load() || s.stopping.Load():
		return nil
	}
	return errEnded
}

// errNoEnd is why a session that was stopped is cut: the server does not answer.
var errNoEnd = &Error{Code: "UNAVAILABLE", Message: "the server did not end the session in time"}

// errEnded is why a session is opened again whose stream the server ended
// without a word.
var errEnded = &Error{Message: "the server ended the stream"}
