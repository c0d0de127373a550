package headrace

import (
	"context"
	"iter"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// Subscriptions manages subscriptions. It is made by [Client.Subscriptions].
// Every change is durable before its call returns. The messages are those of the
// contract; see the package's caveats.
type Subscriptions struct {
	rpc headracev1.SubscriptionServiceClient
}

// StartOption says where a new subscription begins. Of several the last one counts.
// Default: [FromLatest].
type StartOption func(*headracev1.CreateSubscriptionRequest)

// FromLatest begins after the last message at the moment of creation. This is
// the default.
func FromLatest() StartOption {
	return startAt(&headracev1.StartPosition{Position: &headracev1.StartPosition_Latest{Latest: true}})
}

// FromEarliest begins at the first message that is retained.
func FromEarliest() StartOption {
	return startAt(&headracev1.StartPosition{Position: &headracev1.StartPosition_Earliest{Earliest: true}})
}

// FromTime begins at the first message that the log took in at or after t.
func FromTime(t time.Time) StartOption {
	return startAt(&headracev1.StartPosition{Position: &headracev1.StartPosition_Time{Time: timestamppb.New(t)}})
}

// FromPositions begins at these positions, one a partition; partitions that are
// not named begin at latest.
func FromPositions(positions ...Position) StartOption {
	return startAt(&headracev1.StartPosition{Position: &headracev1.StartPosition_Offsets{Offsets: startOffsets(positions)}})
}

func startOffsets(positions []Position) *headracev1.StartOffsets {
	offsets := &headracev1.StartOffsets{}
	for _, p := range positions {
		offsets.Positions = append(offsets.Positions, &headracev1.Position{Partition: p.Partition, Offset: p.Offset})
	}
	return offsets
}

func startAt(p *headracev1.StartPosition) StartOption {
	return func(r *headracev1.CreateSubscriptionRequest) { r.Start = p }
}

// Create creates a subscription and returns it as stored, with every default
// filled in. It begins at latest unless an option says otherwise; every message
// published after the call returned is delivered to it. Errors:
// [ErrInvalidName], [ErrInvalidField], [ErrNotServed], [ErrTopicNotFound],
// [ErrTopicDeleted], [ErrSubscriptionExists], [ErrLimitReached], [ErrDiskFull].
func (s *Subscriptions) Create(ctx context.Context, sub *headracev1.Subscription, start ...StartOption) (*headracev1.Subscription, error) {
	request := &headracev1.CreateSubscriptionRequest{Subscription: sub}
	for _, o := range start {
		o(request)
	}
	r, err := s.rpc.CreateSubscription(ctx, request)
	return r.GetSubscription(), translate(err)
}

// Get returns a subscription. Errors: [ErrInvalidName],
// [ErrSubscriptionNotFound].
func (s *Subscriptions) Get(ctx context.Context, name string) (*headracev1.Subscription, error) {
	r, err := s.rpc.GetSubscription(ctx, &headracev1.GetSubscriptionRequest{Subscription: name})
	return r.GetSubscription(), translate(err)
}

// List returns the subscriptions in order of their names, asking for one page
// after the other as the loop goes on. An error is the last element: [ErrInvalidField],
// [ErrInvalidName]. The options: [InNamespace], [OfTopic].
func (s *Subscriptions) List(ctx context.Context, opts ...ListOption) iter.Seq2[*headracev1.Subscription, error] {
	c := newListConfig(opts)
	return pages(func(token string) ([]*headracev1.Subscription, string, error) {
		r, err := s.rpc.ListSubscriptions(ctx, &headracev1.ListSubscriptionsRequest{
			Namespace: c.namespace, Topic: c.topic, PageSize: listPageSize, PageToken: token,
		})
		return r.GetSubscriptions(), r.GetNextPageToken(), translate(err)
	})
}

// Update changes the fields of the subscription named sub.Name that fields
// lists: "lease", "max_lease", "retry", "retry.min_backoff",
// "retry.max_backoff", "retry.max_attempts", "retry.max_deliveries",
// "max_outstanding", "client_max_outstanding", "key_failure_policy", "labels",
// "paused", "backlog_cap", "expire_after", "dead_letter_topic", "dispatch_cap" and its
// parts, such as "dispatch_cap.concurrency"; at least one. It returns the subscription as
// stored. Errors: [ErrInvalidName], [ErrInvalidField], [ErrNotServed],
// [ErrSubscriptionNotFound], [ErrTopicNotFound].
func (s *Subscriptions) Update(ctx context.Context, sub *headracev1.Subscription, fields ...string) (*headracev1.Subscription, error) {
	r, err := s.rpc.UpdateSubscription(ctx, &headracev1.UpdateSubscriptionRequest{
		Subscription: sub, UpdateMask: &fieldmaskpb.FieldMask{Paths: fields},
	})
	return r.GetSubscription(), translate(err)
}

// Delete ends a subscription and its sessions. Errors: [ErrInvalidName],
// [ErrSubscriptionNotFound].
func (s *Subscriptions) Delete(ctx context.Context, name string) error {
	_, err := s.rpc.DeleteSubscription(ctx, &headracev1.DeleteSubscriptionRequest{Subscription: name})
	return translate(err)
}

// Stats returns figures of a subscription and of its sessions at this moment.
// Errors: [ErrInvalidName], [ErrSubscriptionNotFound].
func (s *Subscriptions) Stats(ctx context.Context, name string) (*headracev1.SubscriptionStats, error) {
	r, err := s.rpc.GetSubscriptionStats(ctx, &headracev1.GetSubscriptionStatsRequest{Subscription: name})
	return r.GetStats(), translate(err)
}

// DeadLetters returns the dead letters of a subscription in order of their sequences,
// asking for one page after the other as the loop goes on. filter narrows them; nil
// means all. A message that is too large for a page is left out of its dead letter. An
// error is the last element. Errors: [ErrInvalidName], [ErrInvalidField],
// [ErrSubscriptionNotFound], [ErrDataLoss].
func (s *Subscriptions) DeadLetters(
	ctx context.Context, name string, filter *headracev1.DeadLetterFilter,
) iter.Seq2[*headracev1.DeadLetter, error] {
	return pages(func(token string) ([]*headracev1.DeadLetter, string, error) {
		r, err := s.rpc.ListDeadLetters(ctx, &headracev1.ListDeadLettersRequest{
			Subscription: name, Filter: filter, PageSize: listPageSize, PageToken: token,
		})
		return r.GetDeadLetters(), r.GetNextPageToken(), translate(err)
	})
}

// RedriveDeadLetters gives up to 1,000 dead letters back to delivery, in this order,
// and returns the sequences of those that were there. Their attempts begin again.
// Errors: [ErrInvalidName], [ErrInvalidField], [ErrSubscriptionNotFound],
// [ErrDiskFull], [ErrDataLoss].
func (s *Subscriptions) RedriveDeadLetters(ctx context.Context, name string, sequences ...uint64) ([]uint64, error) {
	r, err := s.rpc.RedriveDeadLetters(ctx, &headracev1.RedriveDeadLettersRequest{Subscription: name, Sequences: sequences})
	return r.GetSequences(), translate(err)
}

// DiscardDeadLetters deletes up to 1,000 dead letters for good, and returns the
// sequences of those that were there. Errors: [ErrInvalidName], [ErrInvalidField],
// [ErrSubscriptionNotFound], [ErrDataLoss].
func (s *Subscriptions) DiscardDeadLetters(ctx context.Context, name string, sequences ...uint64) ([]uint64, error) {
	r, err := s.rpc.DiscardDeadLetters(ctx, &headracev1.DiscardDeadLettersRequest{Subscription: name, Sequences: sequences})
	return r.GetSequences(), translate(err)
}
