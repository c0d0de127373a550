package headrace

import (
	"context"
	"iter"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"google.golang.org/protobuf/types/known/durationpb"
)

// ToSnapshot is where the snapshot's subscription stood when it was taken: what was
// acked then counts as acked, what was not, and what came since, as unacked.
func ToSnapshot(name string) SeekTarget {
	return SeekTarget{&headracev1.SeekTarget{Target: &headracev1.SeekTarget_Snapshot{Snapshot: name}}}
}

// CreateSnapshot keeps what a subscription has not acked, and what comes, under a name of
// its own, for keep: at most 7 days, which 0 means, too. Errors: [ErrInvalidName],
// [ErrInvalidField], [ErrSubscriptionNotFound], [ErrSnapshotExists], [ErrLimitReached],
// [ErrDiskFull], [ErrDataLoss].
func (s *Subscriptions) CreateSnapshot(
	ctx context.Context, name, subscription string, keep time.Duration,
) (*headracev1.Snapshot, error) {
	request := &headracev1.CreateSnapshotRequest{Snapshot: name, Subscription: subscription}
	if keep != 0 {
		request.Keep = durationpb.New(keep)
	}
	r, err := s.rpc.CreateSnapshot(ctx, request)
	return r.GetSnapshot(), translate(err)
}

// Snapshot returns a snapshot. Errors: [ErrInvalidName], [ErrSnapshotNotFound].
func (s *Subscriptions) Snapshot(ctx context.Context, name string) (*headracev1.Snapshot, error) {
	r, err := s.rpc.GetSnapshot(ctx, &headracev1.GetSnapshotRequest{Snapshot: name})
	return r.GetSnapshot(), translate(err)
}

// Snapshots returns the snapshots in order of their names, asking for one page after the
// other as the loop goes on. An error is the last element: [ErrInvalidField],
// [ErrInvalidName]. The options: [InNamespace], [OfTopic].
func (s *Subscriptions) Snapshots(ctx context.Context, opts ...ListOption) iter.Seq2[*headracev1.Snapshot, error] {
	c := newListConfig(opts)
	return pages(func(token string) ([]*headracev1.Snapshot, string, error) {
		r, err := s.rpc.ListSnapshots(ctx, &headracev1.ListSnapshotsRequest{
			Namespace: c.namespace, Topic: c.topic, PageSize: listPageSize, PageToken: token,
		})
		return r.GetSnapshots(), r.GetNextPageToken(), translate(err)
	})
}

// DeleteSnapshot ends a snapshot. Errors: [ErrInvalidName], [ErrSnapshotNotFound].
func (s *Subscriptions) DeleteSnapshot(ctx context.Context, name string) error {
	_, err := s.rpc.DeleteSnapshot(ctx, &headracev1.DeleteSnapshotRequest{Snapshot: name})
	return translate(err)
}
