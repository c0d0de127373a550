package headrace

import (
	"context"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// SeekTarget is where a subscription is moved: what is before it counts as acked, what
// is at it and behind it as unacked. It is made by [ToTime], [ToPositions], [ToStart],
// [ToEnd] and [ToSnapshot]; the zero value is no target, and fails with [ErrInvalidField].
type SeekTarget struct {
	target *headracev1.SeekTarget
}

// ToTime is the place before the first message that the log took in at or after a time.
func ToTime(t time.Time) SeekTarget {
	return SeekTarget{&headracev1.SeekTarget{Target: &headracev1.SeekTarget_Time{Time: timestamppb.New(t)}}}
}

// ToPositions is the place before these positions; partitions that are not named stay
// as they are.
func ToPositions(positions ...Position) SeekTarget {
	return SeekTarget{&headracev1.SeekTarget{Target: &headracev1.SeekTarget_Offsets{Offsets: startOffsets(positions)}}}
}

// ToStart is the place before the first message that is retained.
func ToStart() SeekTarget {
	return SeekTarget{&headracev1.SeekTarget{Target: &headracev1.SeekTarget_Start{Start: true}}}
}

// ToEnd is the place behind the last message.
func ToEnd() SeekTarget {
	return SeekTarget{&headracev1.SeekTarget{Target: &headracev1.SeekTarget_End{End: true}}}
}

// SeekResult tells what a seek did, or would do.
type SeekResult struct {
	// Generation is the subscription's afterwards.
	Generation uint64
	// Unacked are messages that were acked and are to be delivered again, Acked those
	// that were not and count as acked now.
	Unacked, Acked uint64
}

// Seek moves a subscription. Sessions stay; what they hold is revoked, and is settled
// no more. A second call moves it again: what was acked in between is unacked again.
// Errors: [ErrInvalidName], [ErrInvalidField], [ErrSubscriptionNotFound],
// [ErrSnapshotNotFound], [ErrPositionOutOfRange], [ErrNothingKept], [ErrDiskFull], [ErrDataLoss].
func (s *Subscriptions) Seek(ctx context.Context, name string, to SeekTarget) (SeekResult, error) {
	return s.seek(ctx, name, to, false)
}

// SeekDryRun tells what a seek would do, and does nothing. Errors: those of
// [Subscriptions.Seek].
func (s *Subscriptions) SeekDryRun(ctx context.Context, name string, to SeekTarget) (SeekResult, error) {
	return s.seek(ctx, name, to, true)
}

func (s *Subscriptions) seek(ctx context.Context, name string, to SeekTarget, dryRun bool) (SeekResult, error) {
	r, err := s.rpc.SeekSubscription(ctx, &headracev1.SeekSubscriptionRequest{
		Subscription: name, Target: to.target, DryRun: dryRun,
	})
	return SeekResult{Generation: r.GetGeneration(), Unacked: r.GetUnacked(), Acked: r.GetAcked()}, translate(err)
}
