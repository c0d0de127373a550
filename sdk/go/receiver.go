package headrace

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go/internal/wire"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"
)

// receiver is one Receive or Deliveries: it opens a session, and another one when
// that breaks, until it is stopped or an error needs somebody's hand.
type receiver struct {
	conn         *connection
	subscription string
	config       receiveConfig
	clientID     string
	events       func(Event)
	inbox        *inbox
	pause        backoffPause
	sessions     int // opened so far.
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
	for ctx.Err() == nil {
		began := time.Now()
		err := r.session(ctx)
		r.inbox.clear()
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			continue
		case errors.Is(err, ErrUnreachable) || endsStream(err):
			return err
		}
		wait := r.pause.after(err, time.Since(began))
		r.events(Event{Kind: SessionBroken, Subscription: r.subscription, Err: err, Wait: wait})
		sleep(ctx, wait)
	}
	return nil
}

// session opens a session and serves it. The error is nil when it should be
// opened again at once.
func (r *receiver) session(stop context.Context) error {
	base := context.WithoutCancel(stop)
	ctx, cancel := context.WithCancelCause(base)
	defer cancel(nil)
	handlers, endHandlers := context.WithCancel(base)
	defer endHandlers()
	s, err := r.open(ctx, stop, cancel, newLedger(handlers, r.config, r.late))
	if err != nil {
		return err
	}
	defer s.silence.stop()
	r.sessions++
	s.event(Event{Kind: SessionOpened})
	guarding := context.AfterFunc(stop, s.guardStop)
	defer guarding()
	go s.receive()
	err = s.run(ctx, stop.Done())
	cancel(err)
	<-s.received
	s.ledger.end(err)
	if stop.Err() != nil {
		s.event(Event{Kind: SessionDrained, Err: err})
		return nil
	}
	if err == nil && s.goAway == headracev1.GoAwayReason_GO_AWAY_REASON_SHUTDOWN {
		return errShutdown
	}
	return err
}

// late tells of a settle that came late.
func (r *receiver) late() {
	r.events(Event{Kind: SettlesDropped, Subscription: r.subscription, Count: 1})
}

// errShutdown is why a session is opened again whose server went away.
var errShutdown = &Error{Code: "UNAVAILABLE", Message: "the server shut down"}

// open opens a session: the answer to Open has come. A stop ends the attempt.
func (r *receiver) open(ctx, stop context.Context, cancel context.CancelCauseFunc, l *ledger) (*session, error) {
	opening := context.AfterFunc(stop, func() { cancel(context.Cause(stop)) })
	defer opening()
	if err := r.conn.reach(ctx); err != nil {
		return nil, err
	}
	stream, err := headracev1.NewSubscriberServiceClient(r.conn).Subscribe(ctx, grpc.ForceCodecV2(wire.Codec{}))
	if err != nil {
		return nil, translate(err)
	}
	s := &session{
		subscription: r.subscription, config: r.config, events: r.events, stream: stream, cancel: cancel,
		silence: newSilence(heartbeatInterval, cancel), ledger: l, inbox: r.inbox, interval: heartbeatInterval,
		received: make(chan struct{}),
	}
	if err := s.handshake(r.openFrame()); err != nil {
		s.silence.stop()
		return nil, streamError(ctx, err)
	}
	return s, nil
}

func (s *session) handshake(open *headracev1.SubscribeRequest) error {
	if err := s.stream.Send(open); err != nil && !errors.Is(err, io.EOF) { // EOF: RecvMsg has the status.
		return err
	}
	var first wire.SubscribeFrame
	if err := s.stream.RecvMsg(&first); err != nil {
		return err
	}
	opened := first.Response.GetOpened()
	if opened == nil {
		return errNotOpened
	}
	s.ledger.opened(opened)
	if interval := opened.GetLimits().GetHeartbeatInterval().AsDuration(); interval > 0 {
		s.interval = interval
	}
	s.silence.setInterval(s.interval)
	return nil
}

// features are what the client can do.
var features = []headracev1.Feature{
	headracev1.Feature_FEATURE_RECALL, headracev1.Feature_FEATURE_STARTED, headracev1.Feature_FEATURE_DEAD_LETTERS,
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
	if r.config.lease > 0 {
		open.Lease = durationpb.New(r.config.lease)
	}
	return &headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Open_{Open: open}}
}
