package server

import (
	"context"
	"math"

	"google.golang.org/protobuf/types/known/timestamppb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/storage"
)

// ListParkedKeys returns a page of parked keys.
func (s *subscriptionService) ListParkedKeys(
	ctx context.Context, r *headracev1.ListParkedKeysRequest,
) (*headracev1.ListParkedKeysResponse, error) {
	name, err := parseName("subscription", r.GetSubscription())
	if err != nil {
		return nil, err
	}
	limit, next := broker.DefaultPageSize, uint64(0)
	if n := r.GetPageSize(); n > broker.MaxPageSize {
		return nil, invalidField("page_size", "at most 1,000")
	} else if n > 0 {
		limit = int(n)
	}
	if token := r.GetPageToken(); token != "" {
		if next, err = tokenSequence(token); err != nil {
			return nil, err
		}
	}
	out := &headracev1.ListParkedKeysResponse{}
	keys, err := s.broker.ParkedKeys(ctx, name, parkedKeyAt(next))
	if err != nil {
		return nil, err
	}
	for i := range keys {
		if i == limit {
			out.NextPageToken = sequenceToken(placeOf(keys[i].ParkedKeyID))
			break
		}
		out.ParkedKeys = append(out.ParkedKeys, parkedKeyProto(&keys[i]))
	}
	return out, nil
}

// ReleaseParkedKeys lets parked keys go on.
func (s *subscriptionService) ReleaseParkedKeys(
	ctx context.Context, r *headracev1.ReleaseParkedKeysRequest,
) (*headracev1.ReleaseParkedKeysResponse, error) {
	name, err := parseName("subscription", r.GetSubscription())
	if err != nil {
		return nil, err
	}
	released, err := s.broker.ReleaseKeys(ctx, name, broker.KeyRelease{
		Keys: r.GetOrderingKeys(), Partitions: r.GetPartitions(), All: r.GetAll(),
	})
	if err != nil {
		return nil, err
	}
	return &headracev1.ReleaseParkedKeysResponse{Released: released}, nil
}

// placeOf numbers parked keys in the order in which they are listed.
func placeOf(id storage.ParkedKeyID) uint64 { return uint64(id.Partition)<<32 | uint64(id.Hash) }

// parkedKeyAt is the reverse of placeOf; what is past every key is past every page.
func parkedKeyAt(place uint64) storage.ParkedKeyID {
	return storage.ParkedKeyID{Partition: uint16(min(place>>32, math.MaxUint16)), Hash: uint32(place)}
}

func parkedKeyProto(k *broker.ParkedKey) *headracev1.ParkedKey {
	return &headracev1.ParkedKey{
		Partition: uint32(k.Partition), OrderingKey: k.Key, KeyHash: k.Hash,
		ParkTime: timestamppb.New(k.Since), Waiting: k.Waiting,
	}
}
