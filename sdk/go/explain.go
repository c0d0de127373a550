package headrace

import (
	"context"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// Explain says why deliveries from a subscription flow or do not: what holds each
// session back, pauses and caps, the next retry, and the oldest message that is not
// settled. Errors: [ErrInvalidName], [ErrSubscriptionNotFound].
func (s *Subscriptions) Explain(ctx context.Context, name string) (*headracev1.ExplainSubscriptionResponse, error) {
	r, err := s.rpc.ExplainSubscription(ctx, &headracev1.ExplainSubscriptionRequest{Subscription: name})
	return r, translate(err)
}

// ExplainMessage says where the message at a position stands: who holds it since when,
// its attempt, why it waits, and when it is due. Errors: [ErrInvalidName],
// [ErrSubscriptionNotFound], [ErrPartitionNotFound], [ErrDataLoss].
func (s *Subscriptions) ExplainMessage(ctx context.Context, name string, at Position) (*headracev1.MessageExplanation, error) {
	r, err := s.rpc.ExplainMessage(ctx, &headracev1.ExplainMessageRequest{
		Subscription: name,
		Message: &headracev1.ExplainMessageRequest_Position{
			Position: &headracev1.Position{Partition: at.Partition, Offset: at.Offset},
		},
	})
	return r.GetExplanation(), translate(err)
}

// ExplainMessageID says where the message with an id stands, of one whose id names its
// position. Errors: those of ExplainMessage, [ErrInvalidField].
func (s *Subscriptions) ExplainMessageID(ctx context.Context, name string, id MessageID) (*headracev1.MessageExplanation, error) {
	r, err := s.rpc.ExplainMessage(ctx, &headracev1.ExplainMessageRequest{
		Subscription: name, Message: &headracev1.ExplainMessageRequest_MessageId{MessageId: string(id)},
	})
	return r.GetExplanation(), translate(err)
}

// ExplainKey says how an ordering key stands: who holds it, which message of it goes
// next, and when; one entry a partition. Errors: [ErrInvalidName], [ErrInvalidField],
// [ErrSubscriptionNotFound].
func (s *Subscriptions) ExplainKey(ctx context.Context, name, key string) ([]*headracev1.KeyExplanation, error) {
	r, err := s.rpc.ExplainKey(ctx, &headracev1.ExplainKeyRequest{Subscription: name, OrderingKey: key})
	return r.GetExplanations(), translate(err)
}

// ExplainSession says what a session, by its name in the statistics, holds and what
// holds it back. Errors: [ErrInvalidName], [ErrSubscriptionNotFound],
// [ErrSessionNotFound].
func (s *Subscriptions) ExplainSession(ctx context.Context, name, session string) (*headracev1.ExplainSessionResponse, error) {
	r, err := s.rpc.ExplainSession(ctx, &headracev1.ExplainSessionRequest{Subscription: name, Session: session})
	return r, translate(err)
}
