package server

import (
	"context"
	"time"

	"google.golang.org/protobuf/proto"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/wire"
)

// What a pull has by default.
const (
	defaultPullMessages = 100
	maxPullMessages     = 1000
	defaultPullWait     = 10 * time.Second
)

// Pull takes what is at hand, or waits for something.
func (s *subscriberService) Pull(ctx context.Context, r *headracev1.PullRequest) (*headracev1.PullResponse, error) {
	params, err := pullParams(r)
	if err != nil {
		return nil, err
	}
	all, blocked, err := s.broker.Pull(ctx, params)
	if err != nil {
		return nil, err
	}
	out := &headracev1.PullResponse{}
	for i := range all {
		message, err := pulledProto(&all[i])
		if err != nil {
			return nil, err
		}
		out.Messages = append(out.Messages, message)
	}
	if len(all) == 0 {
		out.BlockedBy = blockedProto(blocked)
	}
	return out, nil
}

func pullParams(r *headracev1.PullRequest) (*broker.PullParams, error) {
	name, err := parseName("subscription", r.GetSubscription())
	if err != nil {
		return nil, err
	}
	if err := checkClientID(r.GetClientId()); err != nil {
		return nil, err
	}
	p := &broker.PullParams{Subscription: name, ClientID: r.GetClientId()}
	if r.GetMaxMessages() > maxPullMessages {
		return nil, invalidField("max_messages", "1 to 1,000")
	}
	p.Most = broker.Amount{Messages: defaultPullMessages, Bytes: maxFrameBytes}
	if n := r.GetMaxMessages(); n > 0 {
		p.Most.Messages = uint64(n)
	}
	if n := r.GetMaxBytes(); n > 0 {
		p.Most.Bytes = n
	}
	if p.Wait, err = duration("wait", r.GetWait(), 0, broker.MaxPullWait, defaultPullWait); err != nil {
		return nil, err
	}
	const subscriptionsLease = 0
	if p.Lease, err = duration("lease", r.GetLease(), minLease, maxLease, subscriptionsLease); err != nil {
		return nil, err
	}
	if p.MaxAnswerBytes, err = frameBytes(r.GetMaxAnswerBytes()); err != nil {
		return nil, invalidField("max_answer_bytes", "4,096 to 67,108,864")
	}
	return p, nil
}

// pulledProto describes a pulled delivery; its message has its id.
func pulledProto(p *broker.Pulled) (*headracev1.PulledMessage, error) {
	out := &headracev1.PulledMessage{
		DeliveryToken: p.Token, Position: &headracev1.Position{Partition: p.Partition, Offset: p.Offset},
		Attempt: p.Attempt, Message: new(headracev1.Message),
	}
	if err := proto.Unmarshal(wire.StoredMessage(p.Stored), out.GetMessage()); err != nil {
		return nil, err
	}
	if out.GetMessage().GetMessageId() == "" {
		out.Message.MessageId = positionID(uint64(p.Partition), p.Offset)
	}
	return out, nil
}

// Settle ends pulled deliveries.
func (s *subscriberService) Settle(ctx context.Context, r *headracev1.SettleRequest) (*headracev1.SettleResponse, error) {
	name, err := parseName("subscription", r.GetSubscription())
	if err != nil {
		return nil, err
	}
	settle, err := settleOf(r)
	if err != nil {
		return nil, err
	}
	failures, err := s.broker.SettleTokens(ctx, name, r.GetDeliveryTokens(), &settle)
	if err != nil {
		return nil, err
	}
	return &headracev1.SettleResponse{Failures: tokenFailuresProto(failures)}, nil
}

// Extend moves the end of the leases of pulled deliveries.
func (s *subscriberService) Extend(ctx context.Context, r *headracev1.ExtendRequest) (*headracev1.ExtendResponse, error) {
	name, err := parseName("subscription", r.GetSubscription())
	if err != nil {
		return nil, err
	}
	const asPulled = 0
	d, err := duration("duration", r.GetDuration(), minLease, maxLease, asPulled)
	if err != nil {
		return nil, err
	}
	failures, err := s.broker.ExtendTokens(ctx, name, r.GetDeliveryTokens(), d)
	if err != nil {
		return nil, err
	}
	return &headracev1.ExtendResponse{Failures: tokenFailuresProto(failures)}, nil
}

// tokenReasons are why a token reached nothing.
var tokenReasons = map[broker.TokenReason]headracev1.ErrorReason{
	broker.TokenInvalid:  reasonInvalidToken,
	broker.TokenStale:    reasonStaleDelivery,
	broker.TokenUnserved: reasonNotServed,
	broker.TokenCapped:   reasonLeaseCapped,
}

func tokenFailuresProto(all []broker.TokenFailure) (out []*headracev1.TokenFailure) {
	for _, f := range all {
		out = append(out, &headracev1.TokenFailure{DeliveryToken: f.Token, Reason: tokenReasons[f.Reason]})
	}
	return out
}
