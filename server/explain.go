package server

import (
	"context"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// ExplainSubscription says why deliveries flow or do not.
func (s *subscriptionService) ExplainSubscription(
	ctx context.Context, r *headracev1.ExplainSubscriptionRequest,
) (*headracev1.ExplainSubscriptionResponse, error) {
	name, err := parseName("subscription", r.GetSubscription())
	if err != nil {
		return nil, err
	}
	e, err := s.broker.ExplainSubscription(ctx, name)
	if err != nil {
		return nil, err
	}
	out := &headracev1.ExplainSubscriptionResponse{
		Backlog: amountProto(e.Backlog), Outstanding: amountProto(e.Outstanding),
		Waiting: e.Waiting, Fresh: e.Fresh, Paused: e.Paused,
		RateLimitedUntil: timeProto(e.RateLimitedUntil), NextRetryTime: timeProto(e.NextRetry),
	}
	if e.Oldest != nil {
		out.Oldest = messageExplanationProto(e.Oldest)
	}
	out.Sessions = fittingSessions(e.Sessions, stockFrameBytes-proto.Size(out))
	return out, nil
}

// ExplainMessage says where a message stands.
func (s *subscriptionService) ExplainMessage(
	ctx context.Context, r *headracev1.ExplainMessageRequest,
) (*headracev1.ExplainMessageResponse, error) {
	name, err := parseName("subscription", r.GetSubscription())
	if err != nil {
		return nil, err
	}
	position, err := explainedPosition(r)
	if err != nil {
		return nil, err
	}
	e, err := s.broker.ExplainMessage(ctx, name, position.GetPartition(), position.GetOffset())
	if err != nil {
		return nil, err
	}
	out := messageExplanationProto(&e)
	out.Forward = s.forwardProto(e.Forward)
	return &headracev1.ExplainMessageResponse{Explanation: out}, nil
}

// explainedPosition is where the message stands that a request names.
func explainedPosition(r *headracev1.ExplainMessageRequest) (*headracev1.Position, error) {
	switch message := r.GetMessage().(type) {
	case *headracev1.ExplainMessageRequest_Position:
		return message.Position, nil
	case *headracev1.ExplainMessageRequest_MessageId:
		partition, offset, _ := strings.Cut(message.MessageId, "-")
		p, err1 := strconv.ParseUint(partition, 10, 32)
		o, err2 := strconv.ParseUint(offset, 10, 64)
		if err1 != nil || err2 != nil {
			return nil, invalidField("message_id", "partition-offset")
		}
		return &headracev1.Position{Partition: uint32(p), Offset: o}, nil
	}
	return nil, invalidField("message", "a position or a message_id")
}

// ExplainKey says how an ordering key stands.
func (s *subscriptionService) ExplainKey(
	ctx context.Context, r *headracev1.ExplainKeyRequest,
) (*headracev1.ExplainKeyResponse, error) {
	name, err := parseName("subscription", r.GetSubscription())
	if err != nil {
		return nil, err
	}
	all, err := s.broker.ExplainKey(ctx, name, r.GetOrderingKey())
	if err != nil {
		return nil, err
	}
	out := &headracev1.ExplainKeyResponse{}
	for i := range all {
		out.Explanations = append(out.Explanations, keyExplanationProto(&all[i]))
	}
	return out, nil
}

// ExplainSession says what holds a session back and what it holds.
func (s *subscriptionService) ExplainSession(
	ctx context.Context, r *headracev1.ExplainSessionRequest,
) (*headracev1.ExplainSessionResponse, error) {
	name, err := parseName("subscription", r.GetSubscription())
	if err != nil {
		return nil, err
	}
	e, err := s.broker.ExplainSession(ctx, name, r.GetSession())
	if err != nil {
		return nil, err
	}
	out := &headracev1.ExplainSessionResponse{
		Stats: sessionStatsProto(e.Stats), BlockedSince: timeProto(e.BlockedSince),
		Away: e.Away, AwayUntil: timeProto(e.AwayUntil),
	}
	for i := range e.Holding {
		out.Holding = append(out.Holding, heldDeliveryProto(&e.Holding[i]))
	}
	return out, nil
}
