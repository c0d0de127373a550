package crash

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/headrace/headrace/faults/history"
	"github.com/headrace/headrace/sdk/go"
)

// One seek in forwardOneIn goes to the end of a partition, another one to its start.
const forwardOneIn = 4

// seeks moves the subscription, back and forth.
func (o *operator) seeks(ctx context.Context) error {
	for o.rest(ctx) {
		if o.random.IntN(2) == 0 {
			o.catchUp(ctx)
		} else {
			_, _ = o.look(ctx) // A server that is gone is no news.
		}
		aims, err := o.aims(ctx)
		if err != nil {
			continue
		}
		for _, aim := range aims {
			o.record(history.SeekAiming, history.Fields{Partition: uint64(aim.Partition), Offset: aim.Offset})
		}
		if err := o.seek(ctx, headrace.ToPositions(aims...), 0); err != nil {
			return err
		}
		_, _ = o.look(ctx)
	}
	return ctx.Err()
}

// aims are a place in each partition.
func (o *operator) aims(ctx context.Context) ([]headrace.Position, error) {
	calling, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	stats, err := o.client.Topics().Stats(calling, o.account.topicName())
	if err != nil {
		return nil, err
	}
	var all []headrace.Position
	for _, p := range stats.GetPartitions() {
		aim := headrace.Position{Partition: p.GetPartition(), Offset: p.GetNextOffset()}
		switch o.random.IntN(forwardOneIn) {
		case 0: // To the end.
		case 1:
			aim.Offset = 0
		default:
			aim.Offset = o.random.Uint64N(aim.Offset + 1)
		}
		all = append(all, aim)
	}
	return all, nil
}

// seek moves the subscription once. When nobody says whether it was moved, its
// generation does.
func (o *operator) seek(ctx context.Context, to headrace.SeekTarget, snapshot uint64) error {
	before, err := o.generation(ctx)
	if err != nil {
		return err
	}
	o.record(history.SeekAsking, history.Fields{Snapshot: snapshot})
	calling, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	result, err := o.client.Subscriptions().Seek(calling, o.account.name, to)
	now := result.Generation
	if err != nil {
		for _, wrong := range []error{headrace.ErrSnapshotNotFound, headrace.ErrPositionOutOfRange, headrace.ErrNothingKept} {
			if errors.Is(err, wrong) {
				return fmt.Errorf("%w: seek: %w", ErrPromiseBroken, err)
			}
		}
		if now, err = o.generation(ctx); err != nil {
			return err
		}
	}
	told := history.Fields{Generation: now}
	if now > before {
		told.Done = 1
	}
	o.record(history.SeekTold, told)
	return nil
}

func (o *operator) generation(ctx context.Context) (n uint64, err error) {
	err = o.persist(ctx, "look at a subscription", func(ctx context.Context) error {
		s, err := o.client.Subscriptions().Get(ctx, o.account.name)
		n = s.GetGeneration()
		return err
	})
	return n, err
}

// pins takes snapshots of the subscription and goes back to them, when what they hold was
// acked and the topic keeps nothing else.
func (o *operator) pins(ctx context.Context) error {
	for o.rest(ctx) {
		o.count++
		name := fmt.Sprintf("pin-%d", o.count)
		if err := o.takeSnapshot(ctx, name); err != nil {
			return err
		}
		if o.random.IntN(2) == 0 {
			o.catchUp(ctx)
		} else {
			_ = o.rest(ctx) // It is used in any case.
		}
		if err := o.seek(ctx, headrace.ToSnapshot(name), o.count); err != nil {
			return err
		}
		o.catchUp(ctx)
		err := o.persist(ctx, "delete snapshot", func(ctx context.Context) error {
			if err := o.client.Subscriptions().DeleteSnapshot(ctx, name); !errors.Is(err, headrace.ErrSnapshotNotFound) {
				return err
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (o *operator) takeSnapshot(ctx context.Context, name string) error {
	o.record(history.SnapshotAsking, history.Fields{Snapshot: o.count})
	err := o.persist(ctx, "create snapshot", func(ctx context.Context) error {
		_, err := o.client.Subscriptions().CreateSnapshot(ctx, name, o.account.name, time.Hour)
		if errors.Is(err, headrace.ErrSnapshotExists) { // An earlier try may have done it.
			_, err = o.client.Subscriptions().Snapshot(ctx, name)
		}
		return err
	})
	if err == nil {
		o.record(history.SnapshotTold, history.Fields{Snapshot: o.count, Done: 1})
	}
	return err
}
