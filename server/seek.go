package server

import (
	"context"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/storage"
)

// SeekSubscription moves a subscription.
func (s *subscriptionService) SeekSubscription(
	ctx context.Context, r *headracev1.SeekSubscriptionRequest,
) (*headracev1.SeekSubscriptionResponse, error) {
	name, err := parseName("subscription", r.GetSubscription())
	if err != nil {
		return nil, err
	}
	done, err := s.seek(ctx, name, r)
	if err != nil {
		return nil, err
	}
	return &headracev1.SeekSubscriptionResponse{
		Generation: done.Generation, Unacked: done.Unsettled, Acked: done.Settled,
	}, nil
}

func (s *subscriptionService) seek(
	ctx context.Context, name broker.Name, r *headracev1.SeekSubscriptionRequest,
) (storage.Seeked, error) {
	if target, ok := r.GetTarget().GetTarget().(*headracev1.SeekTarget_Snapshot); ok {
		snapshot, err := parseName("target.snapshot", target.Snapshot)
		if err != nil {
			return storage.Seeked{}, err
		}
		return s.broker.SeekToSnapshot(ctx, name, snapshot, r.GetDryRun())
	}
	to, err := seekTargetOf(r.GetTarget())
	if err != nil {
		return storage.Seeked{}, err
	}
	to.DryRun = r.GetDryRun()
	return s.broker.Seek(ctx, name, to)
}

// seekTargetOf reads where a subscription is to be moved.
func seekTargetOf(t *headracev1.SeekTarget) (to storage.Target, err error) {
	switch target := t.GetTarget().(type) {
	case *headracev1.SeekTarget_Time:
		if target.Time.CheckValid() != nil {
			return to, invalidField("target.time", "a valid time")
		}
		to.Start = storage.Start{Kind: storage.StartAtTime, Time: target.Time.AsTime()}
	case *headracev1.SeekTarget_Offsets:
		if len(target.Offsets.GetPositions()) == 0 {
			return to, invalidField("target.offsets", "at least one position")
		}
		to.Start, err = startAtOffsets("target.offsets", target.Offsets)
	case *headracev1.SeekTarget_Start:
		to.Start.Kind = storage.StartEarliest
		err = mustBeTrue("target.start", target.Start)
	case *headracev1.SeekTarget_End:
		err = mustBeTrue("target.end", target.End)
	default:
		err = invalidField("target", "a time, offsets, the start, the end or a snapshot")
	}
	return to, err
}
