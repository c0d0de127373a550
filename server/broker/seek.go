package broker

import (
	"context"
	"errors"
	"fmt"

	"github.com/headrace/headrace/storage"
)

// Seek moves a subscription to a target and revokes what is out: what is before the
// target becomes settled, the rest unsettled, in a new generation. A dry run only counts.
// Sessions stay. Errors: ErrSubscriptionNotFound, ErrPositionOutOfRange, ErrNothingKept,
// ErrDiskFull, ErrDataLoss, ErrDraining, ctx's, and those of a store that fails.
func (b *Broker) Seek(ctx context.Context, name Name, to storage.Target) (storage.Seeked, error) {
	s, err := b.movable(name)
	if err != nil {
		return storage.Seeked{}, err
	}
	for p := range to.Start.Offsets {
		if int(p) >= s.topic.partitions {
			return storage.Seeked{}, ErrPositionOutOfRange
		}
	}
	if to.DryRun {
		done, err := b.store.Seek(ctx, s.id, to)
		return done, b.seekError(name, err)
	}
	moveOn, err := s.standStill(ctx)
	if err != nil {
		return storage.Seeked{}, err
	}
	// What is begun is ended: else nobody would know where the subscription stands.
	ctx = context.WithoutCancel(ctx)
	done, err := b.store.Seek(ctx, s.id, to)
	if err != nil {
		return storage.Seeked{}, errors.Join(b.seekError(name, err), moveOn(nil))
	}
	return done, b.moveOn(ctx, s, done.Generation, moveOn)
}

// movable gives a subscription that can be moved.
func (b *Broker) movable(name Name) (*subscription, error) {
	if b.life.drains() {
		return nil, ErrDraining
	}
	s, err := b.catalog.subscription(name)
	if err == nil {
		err = s.failed()
	}
	return s, err
}

// moveOn hands the cursors of a generation to the owner loop.
func (b *Broker) moveOn(ctx context.Context, s *subscription, generation uint64, moveOn func([]storage.Cursor) error) error {
	cursors, err := b.store.Cursors(ctx, s.id)
	if err != nil {
		// The state machine cannot follow the store.
		err = subscriptionError(err)
		s.loop.orders.end(fmt.Errorf("after a seek: %w", err))
		return errors.Join(err, moveOn(nil))
	}
	var moved []storage.Cursor
	for _, c := range cursors {
		if c.Partition != storage.ReplayPartition && c.Generation == generation {
			moved = append(moved, c)
		}
	}
	s.generation.Store(generation)
	return moveOn(moved)
}

// seekError translates an error of a seek.
func (b *Broker) seekError(name Name, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, storage.ErrNotKept):
		return fmt.Errorf("%w: %w", ErrNothingKept, err)
	case errors.Is(err, storage.ErrTrimmed):
		return fmt.Errorf("%w: %w", ErrPositionOutOfRange, err)
	case errors.Is(err, storage.ErrNotFound):
		if _, gone := b.catalog.subscription(name); gone != nil {
			return gone
		}
		return fmt.Errorf("%w: %w", ErrPositionOutOfRange, err)
	default:
		return storeError(err)
	}
}

// generationOf is that of the last seek.
func generationOf(cursors []storage.Cursor) (last uint64) {
	for _, c := range cursors {
		if c.Partition != storage.ReplayPartition {
			last = max(last, c.Generation)
		}
	}
	return last
}
