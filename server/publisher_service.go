package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/wire"
)

// publishStream is what a PublishStream call reads and writes.
type publishStream = grpc.BidiStreamingServer[headracev1.PublishStreamRequest, headracev1.PublishStreamResponse]

// publisherService takes messages into topics. Its unary call is registered by
// hand (see publisherDesc): the request stays bytes.
type publisherService struct {
	headracev1.UnimplementedPublisherServiceServer

	broker  *broker.Broker
	limits  publishLimits
	loops   *loops
	metrics *metrics
}

var _ headracev1.PublisherServiceServer = (*publisherService)(nil)

// publishCall stores one batch and answers when it is durable.
func (s *publisherService) publishCall(ctx context.Context, call *wire.PublishCall) (*headracev1.PublishResponse, error) {
	defer call.Release()
	if call.Fault != nil {
		return nil, call.Fault
	}
	if err := s.limits.check(&call.Batch); err != nil {
		return nil, err
	}
	name := string(call.Batch.Topic)
	if _, err := parseName("topic", name); err != nil {
		return nil, err
	}
	topic, err := s.broker.PublishTopic(name)
	if err != nil {
		return nil, err
	}
	readAt := time.Now()
	response, err := s.publishBatch(ctx, topic, call.Batch, readAt)
	if err == nil {
		s.metrics.publish(name).Observe(time.Since(readAt).Seconds())
	}
	return response, err
}

// publishBatch stores the messages of a batch that are not at fault themselves.
func (s *publisherService) publishBatch(
	ctx context.Context, topic *broker.PublishTopic, in wire.Batch, readAt time.Time,
) (*headracev1.PublishResponse, error) {
	batch := broker.NewPublishBatch()
	batch.Topic = topic
	walker := batchWalker{walker: wire.Walker{Limits: s.limits.message}}
	refused := walker.walk(in, readAt, batch)
	if batch.Len() > 0 {
		if err := s.broker.Publish(ctx, batch); err != nil {
			// The store may still hold the batch: it is not given back.
			return nil, err
		}
		if batch.Err != nil {
			return nil, batch.Err
		}
	}
	var o outcome
	o.add(batch, 1, in.Count, refused)
	batch.Release()
	return &headracev1.PublishResponse{Runs: o.runs, Failures: o.failures, Durability: o.durability()}, nil
}

// PublishStream opens a publisher and runs its two loops until the stream ends.
//
//	client ─► receive loop ─► Publisher ─► send loop ─► client
func (s *publisherService) PublishStream(stream publishStream) error {
	open, err := receivePublishOpen(stream)
	if err != nil {
		return err
	}
	publisher, err := s.openPublisher(stream.Context(), open)
	if err != nil {
		return err
	}
	s.metrics.publishStreams.Inc()
	defer s.metrics.publishStreams.Dec()
	in := &publishReceiver{
		stream: stream, publisher: publisher, limits: s.limits,
		walker: batchWalker{walker: wire.Walker{Limits: s.limits.message}},
		topics: map[string]*publishedTopic{}, producing: open.GetProducerId() != "",
	}
	out := &publishSender{stream: stream, publisher: publisher, limits: s.limits, metrics: s.metrics}
	err = s.loops.run(streamLoops{
		receive: in.run, send: out.run, after: publisher.Close,
		ended: publisher.Stuck(), cause: func() error { return broker.ErrSlowReader },
	})
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// openPublisher opens what Open asks for.
func (s *publisherService) openPublisher(ctx context.Context, open *headracev1.PublishStreamRequest_Open) (*broker.Publisher, error) {
	if open.GetProducerId() == "" {
		return s.broker.OpenPublisher(open.GetClientId())
	}
	return s.broker.OpenProducer(ctx, open.GetClientId(), open.GetProducerId())
}

// receivePublishOpen reads the first frame, which must be Open.
func receivePublishOpen(stream publishStream) (*headracev1.PublishStreamRequest_Open, error) {
	var frame wire.PublishFrame
	if err := stream.RecvMsg(&frame); err != nil {
		if errors.Is(err, io.EOF) {
			err = frameOrder("the stream ended before Open")
		}
		return nil, err
	}
	defer frame.Release()
	switch {
	case frame.Fault != nil:
		return nil, frame.Fault
	case frame.Kind == wire.PublishNone:
		return nil, errEmptyFrame
	case frame.Kind != wire.PublishOpen:
		return nil, frameOrder("the first frame is Open")
	}
	if err := checkServed(frame.Open); err != nil {
		return nil, err
	}
	if err := checkProducerID(frame.Open.GetProducerId()); err != nil {
		return nil, err
	}
	return frame.Open, checkClientID(frame.Open.GetClientId())
}

// publisherDesc is the generated description with its unary call replaced: the
// request is read as bytes, and walked.
func publisherDesc() grpc.ServiceDesc {
	desc := headracev1.PublisherService_ServiceDesc
	desc.Methods = []grpc.MethodDesc{{MethodName: "Publish", Handler: handlePublish}}
	return desc
}

func handlePublish(
	service any, ctx context.Context, //nolint:revive // the order is gRPC's
	decode func(any) error, intercept grpc.UnaryServerInterceptor,
) (any, error) {
	publisher, ok := service.(*publisherService)
	if !ok {
		return nil, fmt.Errorf("server: %T serves no publishers", service)
	}
	call := new(wire.PublishCall)
	if err := decode(call); err != nil {
		return nil, err
	}
	handler := func(ctx context.Context, _ any) (any, error) { return publisher.publishCall(ctx, call) }
	if intercept == nil {
		return handler(ctx, call)
	}
	info := &grpc.UnaryServerInfo{Server: service, FullMethod: headracev1.PublisherService_Publish_FullMethodName}
	return intercept(ctx, call, info, handler)
}
