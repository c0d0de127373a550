package server

import (
	"context"

	"google.golang.org/protobuf/types/known/timestamppb"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
)

// CreateSnapshot takes a snapshot of a subscription.
func (s *subscriptionService) CreateSnapshot(
	ctx context.Context, r *headracev1.CreateSnapshotRequest,
) (*headracev1.CreateSnapshotResponse, error) {
	name, err := parseName("snapshot", r.GetSnapshot())
	if err != nil {
		return nil, err
	}
	subscription, err := parseName("subscription", r.GetSubscription())
	if err != nil {
		return nil, err
	}
	keep, err := duration("keep", r.GetKeep(), 0, broker.MaxSnapshotAge, broker.MaxSnapshotAge)
	if err != nil {
		return nil, err
	}
	taken, err := s.broker.CreateSnapshot(ctx, name, subscription, keep)
	if err != nil {
		return nil, err
	}
	return &headracev1.CreateSnapshotResponse{Snapshot: snapshotProto(taken)}, nil
}

// GetSnapshot returns a snapshot.
func (s *subscriptionService) GetSnapshot(
	_ context.Context, r *headracev1.GetSnapshotRequest,
) (*headracev1.GetSnapshotResponse, error) {
	name, err := parseName("snapshot", r.GetSnapshot())
	if err != nil {
		return nil, err
	}
	found, err := s.broker.Snapshot(name)
	if err != nil {
		return nil, err
	}
	return &headracev1.GetSnapshotResponse{Snapshot: snapshotProto(found)}, nil
}

// ListSnapshots returns a page of snapshots.
func (s *subscriptionService) ListSnapshots(
	_ context.Context, r *headracev1.ListSnapshotsRequest,
) (*headracev1.ListSnapshotsResponse, error) {
	request, err := listRequest(r)
	if err != nil {
		return nil, err
	}
	if r.GetTopic() != "" {
		if request.Topic, err = parseName("topic", r.GetTopic()); err != nil {
			return nil, err
		}
	}
	return fitPage(request, func(request broker.ListRequest) (*headracev1.ListSnapshotsResponse, error) {
		found, next, err := s.broker.ListSnapshots(request)
		out := &headracev1.ListSnapshotsResponse{NextPageToken: next}
		for _, snapshot := range found {
			out.Snapshots = append(out.Snapshots, snapshotProto(snapshot))
		}
		return out, err
	})
}

// DeleteSnapshot ends a snapshot.
func (s *subscriptionService) DeleteSnapshot(
	ctx context.Context, r *headracev1.DeleteSnapshotRequest,
) (*headracev1.DeleteSnapshotResponse, error) {
	name, err := parseName("snapshot", r.GetSnapshot())
	if err != nil {
		return nil, err
	}
	return &headracev1.DeleteSnapshotResponse{}, s.broker.DeleteSnapshot(ctx, name)
}

func snapshotProto(s broker.Snapshot) *headracev1.Snapshot {
	return &headracev1.Snapshot{
		Name: string(s.Name), Topic: string(s.Topic), Subscription: string(s.Subscription),
		CreateTime: timestamppb.New(s.CreatedAt), ExpireTime: timestamppb.New(s.ExpiresAt),
		Unacked: s.Unsettled, State: stateProto(s.State),
	}
}
