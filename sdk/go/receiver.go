package headrace

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"sync"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go/internal/wire"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"
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
		clientID: c.config.clientID, events: c.config.events, inbox: newInbox(),
	}
	if r.clientID == "" {
		// A name of its own lets a session take the place of the one before it,
		// which the server of an exclusive subscription may not know to be dead.
		r.clientID = "go-" + rand.Text()[:12]
	}
	return r
}

// run receives until ctx ends, which is the stop, and returns nil then.
func (r *receiver) run(ctx context.Context) error {
	defer r.inbox.close()
	defer r.retiring.Wait()
	defer r.endSession(nil)
	for ctx.Err() == nil {
		began := time.Now()
		err := r.stream(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
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
	if left := time.Until(r.resumeBy); r.ledger != nil && left <= wait {
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
	if err != nil && !endsStream(err) && s.session.id != "" && s.session.window > 0 {
		r.inbox.hold(true)
		r.resumeBy = time.Now().Add(s.session.window)
		return err
	}
	r.endSession(err)
	if err == nil && s.goAway == headracev1.GoAwayReason_GO_AWAY_REASON_SHUTDOWN {
		return errShutdown
	}
	return err
}

// endSession ends the session, if there is one: nobody can take it up again.
func (r *receiver) endSession(cause error) {
	r.retire()
	if r.ledger != nil {
		r.ledger.end(cause)
		r.ledger = nil
	}
	r.inbox.clear()
	r.inbox.hold(false)
}

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
	if r.ledger != nil {
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
	opened, err := s.handshake(r.openFrame())
	if err == nil {
		err = r.opened(context.WithoutCancel(stop), s, opened)
	}
	if err != nil {
		s.silence.stop()
		return nil, streamError(ctx, err)
	}
	return s, nil
}

func (s *subscribeStream) handshake(open *headracev1.SubscribeRequest) (*headracev1.SubscribeResponse_Opened, error) {
	if err := s.stream.Send(open); err != nil && !errors.Is(err, io.EOF) { // EOF: RecvMsg has the status.
		return nil, err
	}
	var first wire.SubscribeFrame
	if err := s.stream.RecvMsg(&first); err != nil {
		return nil, err
	}
	opened := first.Response.GetOpened()
	if opened == nil {
		return nil, errNotOpened
	}
	if interval := opened.GetLimits().GetHeartbeatInterval().AsDuration(); interval > 0 {
		s.interval = interval
	}
	s.silence.setInterval(s.interval)
	return opened, nil
}

// opened goes on with the session, if the server took it up again, or begins another.
func (r *receiver) opened(base context.Context, s *subscribeStream, o *headracev1.SubscribeResponse_Opened) error {
	e := Event{Kind: SessionResumed}
	if o.GetResumed() == nil || r.ledger == nil {
		r.endSession(errNotResumed)
		r.ledger = newLedger(base, r.config, r.late)
		r.sessions++
		e.Kind = SessionOpened
	} else {
		held, err := r.ledger.resumed(o.GetResumed())
		if err != nil {
			r.endSession(err)
			return err
		}
		e.Count = held
	}
	r.session = resumptionOf(o)
	s.session, s.ledger = r.session, r.ledger
	s.ledger.opened(o)
	r.retire()
	r.event(e)
	r.inbox.hold(false)
	return nil
}

// features are what the client can do.
var features = []headracev1.Feature{
	headracev1.Feature_FEATURE_KEY_BATCHES, headracev1.Feature_FEATURE_RECALL, headracev1.Feature_FEATURE_STARTED,
	headracev1.Feature_FEATURE_RESUME, headracev1.Feature_FEATURE_DEAD_LETTERS,
}

func (r *receiver) openFrame() *headracev1.SubscribeRequest {
	open := &headracev1.SubscribeRequest_Open{
		Subscription: r.subscription,
		ClientId:     r.clientID,
		Labels:       r.config.labels,
		Window: &headracev1.SubscribeRequest_Window{
			Messages: new(r.config.windowMessages), Bytes: new(r.config.windowBytes),
		},
		MaxFrameBytes: r.config.maxFrameBytes,
		Takeover:      r.config.takeover && r.sessions == 0,
		Features:      features,
	}
	if r.ledger != nil {
		open.Resume = r.ledger.resume(r.session.id)
	}
	if r.config.lease > 0 {
		open.Lease = durationpb.New(r.config.lease)
	}
	return &headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Open_{Open: open}}
}
