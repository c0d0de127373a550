package headrace

import (
	"context"
	"errors"
	"io"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go/internal/wire"
	"google.golang.org/protobuf/types/known/durationpb"
)

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
		r.begin(base, o)
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
	s.setWindow(s.window)
	r.inbox.began(o)
	r.retire()
	r.event(e)
	r.inbox.hold(false)
	return nil
}

// begin begins a session. What was received and is nobody's to give again goes on.
func (r *receiver) begin(base context.Context, o *headracev1.SubscribeResponse_Opened) {
	r.sessions++
	if r.ledger != nil && r.ledger.outlives(o) {
		r.ledger.anew()
		return
	}
	r.endSession(errNotResumed)
	r.ledger = newLedger(base, r.config, r.late)
}

// features are what the client can do.
var features = []headracev1.Feature{
	headracev1.Feature_FEATURE_KEY_BATCHES, headracev1.Feature_FEATURE_RECALL, headracev1.Feature_FEATURE_STARTED,
	headracev1.Feature_FEATURE_RESUME, headracev1.Feature_FEATURE_DEAD_LETTERS,
}

// featuresByHand leaves out that several messages of a key may come: each would use up
// credit that is meant for whoever waits.
var featuresByHand = features[1:]

func (r *receiver) openFrame(window windowSize) *headracev1.SubscribeRequest {
	open := &headracev1.SubscribeRequest_Open{
		Subscription:  r.subscription,
		ClientId:      r.clientID,
		Labels:        r.config.labels,
		Window:        window.contract(),
		MaxFrameBytes: r.config.maxFrameBytes,
		Takeover:      r.config.takeover && r.sessions == 0,
		Features:      features,
	}
	if r.config.manual {
		open.Replenish, open.Window, open.Features = headracev1.Replenish_REPLENISH_MANUAL, nil, featuresByHand
	}
	if r.ledger != nil && r.session.id != "" {
		open.Resume = r.ledger.resume(r.session.id)
	}
	if r.config.lease > 0 {
		open.Lease = durationpb.New(r.config.lease)
	}
	return &headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Open_{Open: open}}
}
