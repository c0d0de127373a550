package headrace

import (
	"context"
	"iter"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// ParkedKeys returns the ordering keys of a subscription that wait to be released, in
// order of their partitions and hashes, asking for one page after the other as the loop
// goes on. An error is the last element. Errors: [ErrInvalidName],
// [ErrSubscriptionNotFound], [ErrDataLoss].
func (s *Subscriptions) ParkedKeys(ctx context.Context, name string) iter.Seq2[*headracev1.ParkedKey, error] {
	return pages(func(token string) ([]*headracev1.ParkedKey, string, error) {
		r, err := s.rpc.ListParkedKeys(ctx, &headracev1.ListParkedKeysRequest{
			Subscription: name, PageSize: listPageSize, PageToken: token,
		})
		return r.GetParkedKeys(), r.GetNextPageToken(), translate(err)
	})
}

// ReleaseParkedKeys lets up to 1,000 parked ordering keys go on, durably, and returns
// how many of them were parked. Errors: [ErrInvalidName], [ErrInvalidField],
// [ErrSubscriptionNotFound], [ErrDataLoss].
func (s *Subscriptions) ReleaseParkedKeys(ctx context.Context, name string, keys ...string) (uint64, error) {
	return s.release(ctx, &headracev1.ReleaseParkedKeysRequest{Subscription: name, OrderingKeys: keys})
}

// ReleaseParkedPartitions is ReleaseParkedKeys for all keys of some partitions.
func (s *Subscriptions) ReleaseParkedPartitions(ctx context.Context, name string, partitions ...uint32) (uint64, error) {
	return s.release(ctx, &headracev1.ReleaseParkedKeysRequest{Subscription: name, Partitions: partitions})
}

// ReleaseAllParkedKeys is ReleaseParkedKeys for all keys.
func (s *Subscriptions) ReleaseAllParkedKeys(ctx context.Context, name string) (uint64, error) {
	return s.release(ctx, &headracev1.ReleaseParkedKeysRequest{Subscription: name, All: true})
}

func (s *Subscriptions) release(ctx context.Context, r *headracev1.ReleaseParkedKeysRequest) (uint64, error) {
	answer, err := s.rpc.ReleaseParkedKeys(ctx, r)
	return answer.GetReleased(), translate(err)
}
