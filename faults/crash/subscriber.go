package crash

import (
	"context"
	"math/rand/v2"
	"time"

	"google.golang.org/grpc"

	"github.com/headrace/headrace/faults/history"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

const (
	// postponed settles are sent within settleEvery.
	settleEvery = 20 * time.Millisecond
	// heartbeatEvery is how often a subscriber speaks at least.
	heartbeatEvery = 5 * time.Second
	// grantEvery is how often a subscriber grants anew though nothing comes: what is left
	// of a grant may be too little for the next message.
	grantEvery = 200 * time.Millisecond
	// lastFrames is how long a subscriber that stops waits for the end of its stream.
	lastFrames = 10 * time.Second
)

// subscriber receives through one session after the other.
type subscriber struct {
	conn     *grpc.ClientConn
	recorder *history.Recorder
	client   uint64
	role     subscriptionRole
	random   *rand.Rand
	calm     *calm
	sessions uint64
}

func (s *subscriber) run(ctx context.Context) {
	for ctx.Err() == nil {
		// A broken session is what this is about.
		_ = s.session(ctx)
		pause(ctx)
	}
}

// session opens a session and serves it until it breaks or ctx ends.
func (s *subscriber) session(ctx context.Context) error {
	s.sessions++
	x := &session{
		subscriber: s, id: s.client*streamsPerClient + s.sessions,
		frames:  make(chan *headracev1.SubscribeResponse),
		choices: choices{random: s.random, calm: s.calm},
	}
	// The stream outlives ctx, so that it can be closed in order.
	streamCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	open := x.open()
	x.record(history.SessionOpening, history.Fields{
		Client: s.client, Subscription: s.role.Number, Manual: truth(s.role.Manual),
		Count: open.GetWindow().GetMessages(), Bytes: open.GetWindow().GetBytes(),
	})
	defer x.record(history.SessionEnded, history.Fields{})
	var err error
	x.stream, err = headracev1.NewSubscriberServiceClient(s.conn).Subscribe(streamCtx)
	if err != nil {
		return err
	}
	if err := x.send(&headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Open_{Open: open}}); err != nil {
		return err
	}
	go x.receive(streamCtx)
	err = x.serve(ctx)
	cancel()
	for range x.frames {
		continue // The reader must have ended before the session's record does.
	}
	return err
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// session is one stream. Its serving loop owns everything.
type session struct {
	*subscriber
	choices
	id     uint64
	stream grpc.BidiStreamingClient[headracev1.SubscribeRequest, headracev1.SubscribeResponse]
	// frames are what came, unbuffered; closed when the stream has ended.
	frames  chan *headracev1.SubscribeResponse
	charged uint64
	// received is the last sequence that came.
	received uint64
	settles  uint64
	spoke    time.Time
}

func (x *session) record(k history.Kind, f history.Fields) {
	f.Session = x.id
	x.recorder.Record(history.Event{Kind: k, Fields: f})
}

func (x *session) open() *headracev1.SubscribeRequest_Open {
	o := &headracev1.SubscribeRequest_Open{Subscription: x.role.Name, ClientId: x.role.ClientID}
	if x.role.Manual {
		o.Replenish = headracev1.Replenish_REPLENISH_MANUAL
		return o
	}
	messages, bytes := x.window()
	o.Window = &headracev1.SubscribeRequest_Window{Messages: &messages, Bytes: &bytes}
	return o
}

func (x *session) send(f *headracev1.SubscribeRequest) error {
	x.spoke = time.Now()
	return x.stream.Send(f)
}

// receive hands frames to the serving loop until the stream ends.
func (x *session) receive(ctx context.Context) {
	defer close(x.frames)
	for {
		f, err := x.stream.Recv()
		if err != nil {
			return
		}
		select {
		case x.frames <- f:
		case <-ctx.Done():
			return
		}
	}
}

// serve answers frames until the stream ends. When ctx ends it closes the session in
// order.
func (x *session) serve(ctx context.Context) error {
	tick := time.NewTicker(settleEvery)
	defer tick.Stop()
	stop := ctx.Done()
	var giveUp <-chan time.Time
	for {
		var err error
		select {
		case f, open := <-x.frames:
			if !open {
				return nil
			}
			err = x.take(f)
		case <-tick.C:
			err = x.tick()
		case <-stop:
			stop, giveUp = nil, time.After(lastFrames)
			tick.Stop()
			x.record(history.SessionClosing, history.Fields{})
			err = x.stream.CloseSend()
		case <-giveUp:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (x *session) take(frame *headracev1.SubscribeResponse) error {
	switch f := frame.GetFrame().(type) {
	case *headracev1.SubscribeResponse_Opened_:
		x.record(history.SessionOpened, history.Fields{})
		if x.role.Manual {
			return x.grant()
		}
	case *headracev1.SubscribeResponse_Batch_:
		return x.batch(f.Batch)
	case *headracev1.SubscribeResponse_SettleResult_:
		x.settled(f.SettleResult)
	case *headracev1.SubscribeResponse_Revoked_:
		x.revoked(f.Revoked)
	}
	return nil
}

// settled records what became of settles.
func (x *session) settled(r *headracev1.SubscribeResponse_SettleResult) {
	var events []history.Event
	for _, failure := range r.GetFailures() {
		for _, ran := range failure.GetRanges() {
			events = append(events, history.Event{Kind: history.SettleFailed, Fields: history.Fields{
				Session: x.id, Settle: failure.GetNumber(), Sequence: ran.GetFirst(), Last: ran.GetLast(),
			}})
		}
	}
	x.recorder.Record(append(events, history.Event{
		Kind: history.Confirmed, Fields: history.Fields{Session: x.id, Settle: r.GetConfirmedThrough()},
	})...)
}

func (x *session) revoked(r *headracev1.SubscribeResponse_Revoked) {
	expired := r.GetReason() == headracev1.RevokeReason_REVOKE_REASON_LEASE_EXPIRED
	for _, ran := range r.GetRanges() {
		x.record(history.Revoked, history.Fields{Sequence: ran.GetFirst(), Last: ran.GetLast(), Charged: truth(expired)})
	}
}

// tick settles what was postponed, and speaks when nothing was said for long.
func (x *session) tick() error {
	if err := x.settleAll(x.later()); err != nil {
		return err
	}
	if x.role.Manual && time.Since(x.spoke) > grantEvery {
		return x.grant()
	}
	if !x.role.Manual && x.opens() {
		return x.setWindow(windowMessages, windowBytes)
	}
	if time.Since(x.spoke) > heartbeatEvery {
		return x.send(&headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Heartbeat{Heartbeat: &headracev1.Heartbeat{}}})
	}
	return nil
}
