package headrace

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go/internal/wire"
	"google.golang.org/grpc"
)

// receiver is one Receive or Deliveries: it opens a session, takes it up again when its
// stream breaks, and opens another one when that fails, until it is stopped or an error
// needs somebody's hand.
//
//	         Opened                 breaks              window is over, refused
//	(none) ─────────► open stream ──────────► broken ──────────────────────────► (none)
//	                       ▲                     │
//	                       └─────────────────────┘ Opened{resumed}
type receiver struct {
	conn         *connection
	subscription string
	config       receiveConfig
	clientID     string
	events       func(Event)
	observed     *observed
	inbox        *inbox
	pause        backoffPause
	sessions     int // opened so far.

	// ledger is the session's, also while no stream is open; nil: there is none.
	ledger  *ledger
	session resumption
	// resumeBy is until when a session without a stream can be taken up again.
	resumeBy time.Time
	// old is a stream that is still open and has a successor to come; nil: there is
	// none. retiring are those whose successors came.
	old      *subscribeStream
	retiring sync.WaitGroup
}

func newReceiver(c *Client, subscription string, config receiveConfig) *receiver {
	r := &receiver{
		conn: c.conn, subscription: subscription, config: config,
		clientID: c.config.clientID, events: c.config.events, observed: c.observed, inbox: newInbox(),
	}
	if r.clientID == "" {
		// A name of its own lets a session take the place of the one before it,
		// which the server of an exclusive subscription may not know to be dead.
		r.clientID = "go-" + rand.Text()[:12]
	}
	if config.manual {
		r.giveByHand()
	}
	return r
}

// run receives until ctx ends, which is the stop, and returns nil then.
func (r *receiver) run(ctx context.Context) error {
	defer r.closeInbox()
	defer r.retiring.Wait()
	defer r.endSession(nil)
	for ctx.Err() == nil {
		began := time.Now()
		err := r.stream(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil, r.mustGiveByHand(err):
			continue
		case errors.Is(err, ErrUnreachable) || endsStream(err):
			r.endSession(err)
			return err
		}
		wait := r.pause.after(err, time.Since(began))
		r.event(Event{Kind: SessionBroken, Err: err, Wait: wait})
		r.rest(ctx, wait)
	}
	return nil
}

// rest waits before the next stream. A session that cannot be taken up again any more
// is over then.
func (r *receiver) rest(ctx context.Context, wait time.Duration) {
	if left := time.Until(r.resumeBy); r.holds() && left <= wait {
		sleep(ctx, left)
		r.endSession(errNotResumed)
		wait -= max(0, left)
	}
	sleep(ctx, wait)
}

// stream opens a stream and serves it. The error is nil when another one should be
// opened at once.
func (r *receiver) stream(stop context.Context) error {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(stop))
	s, err := r.open(ctx, stop, cancel)
	if err != nil {
		cancel(err)
		return err
	}
	guarding := context.AfterFunc(stop, s.guardStop)
	defer guarding()
	go s.receive()
	err = s.run(ctx, stop.Done())
	if s.superseded.Load() {
		r.inbox.hold(true)
		r.old, r.resumeBy = s, time.Now().Add(s.grace+s.session.window)
		return err
	}
	cancel(err)
	<-s.received
	s.silence.stop()
	return r.ended(stop, s, err)
}

// ended says what becomes of the session whose stream ended.
func (r *receiver) ended(stop context.Context, s *subscribeStream, err error) error {
	if stop.Err() != nil {
		r.endSession(err)
		r.event(Event{Kind: SessionDrained, Err: err})
		return nil //nolint:nilerr // The event has it: a stop is no failure.
	}
	if r.goesOn(s, err) {
		r.inbox.hold(r.holds())
		r.resumeBy = time.Now().Add(s.session.window)
	} else {
		r.endSession(err)
	}
	if err == nil && s.goAway == headracev1.GoAwayReason_GO_AWAY_REASON_SHUTDOWN {
		return errShutdown
	}
	return err
}

// goesOn reports whether another stream may go on with the session of one that ended. A
// server that shut down in order has taken back what it does not keep for its successor.
func (r *receiver) goesOn(s *subscribeStream, err error) bool {
	resumable := s.session.id != "" && s.session.window > 0
	if err != nil {
		return !endsStream(err) && (!r.holds() || resumable)
	}
	if s.goAway != headracev1.GoAwayReason_GO_AWAY_REASON_SHUTDOWN || !resumable || !r.holds() {
		return false
	}
	_, settled := r.ledger.quiet()
	return !settled
}

// endSession ends the session, if there is one: nobody can take it up again.
func (r *receiver) endSession(cause error) {
	r.retire()
	if r.ledger != nil {
		r.ledger.end(cause)
		r.ledger = nil
	}
	r.lost(r.inbox.clear())
	r.inbox.hold(false)
}

// holds reports whether there is a session whose deliveries somebody else would get.
func (r *receiver) holds() bool { return r.ledger != nil && !r.ledger.unheld.served }

// retire lets the stream before this one end by itself, for a moment.
func (r *receiver) retire() {
	s := r.old
	if s == nil {
		return
	}
	r.old = nil
	r.retiring.Go(func() {
		t := time.AfterFunc(closeTimeout, func() { s.cancel(errNoEnd) })
		<-s.received
		t.Stop()
		s.cancel(nil)
		s.silence.stop()
	})
}

// lost tells of deliveries that are dropped and come to nobody.
func (r *receiver) lost(count int) {
	if count > 0 {
		r.event(Event{Kind: DeliveriesLost, Count: count, Detail: lostByStop})
	}
}

// lostByStop is the detail of the event for what was received, is settled already, and
// nobody works on.
const lostByStop = "STOPPED"

func (r *receiver) closeInbox() { r.lost(r.inbox.close()) }

func (r *receiver) event(e Event) {
	e.Subscription = r.subscription
	r.events(e)
}

// late tells of a settle that came late.
func (r *receiver) late() { r.event(Event{Kind: SettlesDropped, Count: 1}) }

// errShutdown is why a session is opened again whose server went away.
var errShutdown = &Error{Code: "UNAVAILABLE", Message: "the server shut down"}

// open opens a stream: the answer to Open has come, and what it says of the session is
// done. A stop ends the attempt, and so does the end of a session that it takes up.
func (r *receiver) open(ctx, stop context.Context, cancel context.CancelCauseFunc) (*subscribeStream, error) {
	opening := context.AfterFunc(stop, func() { cancel(context.Cause(stop)) })
	defer opening()
	if r.holds() {
		limit := time.AfterFunc(time.Until(r.resumeBy), func() { cancel(errNotResumed) })
		defer limit.Stop()
	}
	if err := r.conn.reach(ctx); err != nil {
		return nil, err
	}
	stream, err := headracev1.NewSubscriberServiceClient(r.conn).Subscribe(ctx, grpc.ForceCodecV2(wire.Codec{}))
	if err != nil {
		return nil, translate(err)
	}
	s := &subscribeStream{
		subscription: r.subscription, config: r.config, events: r.events, stream: stream, cancel: cancel,
		silence: newSilence(heartbeatInterval, cancel), inbox: r.inbox, interval: heartbeatInterval,
		received: make(chan struct{}),
	}
	s.window, s.resized = r.config.window.look()
	opened, err := s.handshake(r.openFrame(s.window))
	if err == nil {
		err = r.opened(context.WithoutCancel(stop), s, opened)
	}
	if err != nil {
		s.silence.stop()
		return nil, streamError(ctx, err)
	}
	return s, nil
}
