package server

import (
	"errors"
	"io"

	"google.golang.org/grpc"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/wire"
)

// subscribeStream is what a Subscribe call reads and writes.
type subscribeStream = grpc.BidiStreamingServer[headracev1.SubscribeRequest, headracev1.SubscribeResponse]

// subscriberService pushes messages of subscriptions.
type subscriberService struct {
	headracev1.UnimplementedSubscriberServiceServer

	broker  *broker.Broker
	loops   *loops
	metrics *metrics
}

var _ headracev1.SubscriberServiceServer = (*subscriberService)(nil)

// Subscribe opens a session and runs its two loops until the stream ends.
//
//	client ─► receive loop ─► Session ─► send loop ─► client
func (s *subscriberService) Subscribe(stream subscribeStream) error {
	params, err := receiveOpen(stream)
	if err != nil {
		return err
	}
	session, err := s.broker.Subscribe(stream.Context(), params)
	if err != nil {
		return err
	}
	s.metrics.subscribeStreams.Inc()
	defer s.metrics.subscribeStreams.Dec()
	in := &subscribeReceiver{
		stream: stream, session: session,
		manual: params.Replenish == broker.Manual, tellsStarted: params.Features&broker.TellsStarted != 0,
	}
	out := &subscribeSender{stream: stream, session: session, latency: s.metrics.delivery(params.Subscription)}
	err = s.loops.run(streamLoops{receive: in.run, send: out.run, ended: session.Done(), cause: session.Err})
	session.Close(closeHow(err))
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// receiveSubscribe reads the next frame; io.EOF means that the client half-closed.
func receiveSubscribe(stream subscribeStream) (*headracev1.SubscribeRequest, error) {
	frame := new(headracev1.SubscribeRequest)
	in := wire.Inbound{Frame: frame}
	if err := stream.RecvMsg(&in); err != nil {
		return nil, err
	}
	return frame, in.Fault
}

// receiveOpen reads the first frame, which must be Open.
func receiveOpen(stream subscribeStream) (broker.SubscribeParams, error) {
	frame, err := receiveSubscribe(stream)
	if errors.Is(err, io.EOF) {
		err = frameOrder("the stream ended before Open")
	}
	if err == nil {
		err = checkServed(frame)
	}
	if err == nil && frame.GetOpen() == nil {
		err = frameOrder("the first frame is Open")
	}
	if err != nil {
		return broker.SubscribeParams{}, err
	}
	return subscribeParams(frame.GetOpen())
}

// closeHow says what the end of a stream means for what the session holds, as far
// as the session has not ended by itself: only a client that half-closed, or a
// failure of ours, costs nothing.
func closeHow(err error) broker.CloseHow {
	switch {
	case errors.Is(err, io.EOF):
		return broker.CloseClean
	case errors.Is(err, errPanic):
		return broker.CloseGone
	}
	return broker.CloseBroken
}
