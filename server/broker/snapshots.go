package broker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/headrace/headrace/storage"
)

// Bounds of snapshots.
const (
	// MaxSnapshotAge is how long a snapshot is kept at most, and by default.
	MaxSnapshotAge = 7 * 24 * time.Hour
	// MaxSnapshots is how many there may be.
	MaxSnapshots = 1000
)

// Snapshot is a snapshot as callers see it.
type Snapshot struct {
	Name         Name
	Topic        Name
	Subscription Name
	CreatedAt    time.Time
	ExpiresAt    time.Time
	// Unsettled is how many messages were unsettled when it was taken.
	Unsettled uint64
	State     storage.State

	id storage.SubscriptionID
}

// CreateSnapshot keeps what a subscription has not settled, for so long. The
// subscription stands still meanwhile, so that it is of one moment. Errors:
// ErrInvalidField, ErrSubscriptionNotFound, ErrSnapshotExists, ErrLimitReached,
// ErrDiskFull, ErrDataLoss, ErrDraining, ctx's, and those of a store that fails.
func (b *Broker) CreateSnapshot(ctx context.Context, name, subscription Name, keep time.Duration) (Snapshot, error) {
	if keep <= 0 || keep > MaxSnapshotAge {
		return Snapshot{}, invalidField("keep", "above 0, at most 7 days")
	}
	s, err := b.movable(subscription)
	if err != nil {
		return Snapshot{}, err
	}
	done, err := b.change(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	defer done()
	if len(b.store.Snapshots()) >= MaxSnapshots {
		return Snapshot{}, ErrLimitReached
	}
	moveOn, err := s.standStill(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	taken, err := b.store.CreateSnapshot(context.WithoutCancel(ctx), string(name), s.id, b.clock.wall().Add(keep))
	ended := moveOn(nil)
	switch {
	case errors.Is(err, storage.ErrExists):
		return Snapshot{}, ErrSnapshotExists
	case err != nil:
		return Snapshot{}, errors.Join(subscriptionError(err), ended)
	}
	return b.snapshotOf(taken), nil
}

// Snapshot returns a snapshot. Errors: ErrSnapshotNotFound.
func (b *Broker) Snapshot(name Name) (Snapshot, error) {
	for _, s := range b.snapshots() {
		if s.Name == name {
			return s, nil
		}
	}
	return Snapshot{}, ErrSnapshotNotFound
}

// ListSnapshots returns a page of snapshots and the token of the next page, empty on the
// last one. Errors: ErrInvalidField.
func (b *Broker) ListSnapshots(request ListRequest) ([]Snapshot, string, error) {
	var all []Snapshot
	for _, s := range b.snapshots() {
		if request.Topic == "" || s.Topic == request.Topic {
			all = append(all, s)
		}
	}
	return page(request, all, func(s Snapshot) Name { return s.Name })
}

// DeleteSnapshot ends a snapshot. Errors: ErrSnapshotNotFound, ErrDraining, ctx's, and
// those of a store that fails.
func (b *Broker) DeleteSnapshot(ctx context.Context, name Name) error {
	done, err := b.change(ctx)
	if err != nil {
		return err
	}
	defer done()
	s, err := b.Snapshot(name)
	if err != nil {
		return err
	}
	err = b.store.DeleteSnapshot(context.WithoutCancel(ctx), s.id)
	if errors.Is(err, storage.ErrNotFound) {
		return ErrSnapshotNotFound
	}
	return storeError(err)
}

// snapshots are those that can be used: neither gone nor expired, of topics that are there.
func (b *Broker) snapshots() []Snapshot {
	var all []Snapshot
	now := b.clock.wall()
	for _, stored := range b.store.Snapshots() {
		if s := b.snapshotOf(stored); isServed(stored.State) && stored.ExpiresAt.After(now) && s.Topic != "" {
			all = append(all, s)
		}
	}
	return all
}

func (b *Broker) snapshotOf(s storage.Snapshot) Snapshot {
	out := Snapshot{
		Name: Name(s.Name), Subscription: Name(s.Of), CreatedAt: s.CreatedAt, ExpiresAt: s.ExpiresAt,
		Unsettled: s.Unsettled, State: s.State, id: s.ID,
	}
	for _, t := range b.catalog.allTopics() {
		if t.id == s.Topic {
			out.Topic = t.name
		}
	}
	return out
}

// SeekToSnapshot moves a subscription to where another one of its topic stood, see Seek.
// Errors: those of Seek; ErrSnapshotNotFound, ErrInvalidField for a snapshot of another
// topic.
func (b *Broker) SeekToSnapshot(ctx context.Context, name, snapshot Name, dryRun bool) (storage.Seeked, error) {
	s, err := b.Snapshot(snapshot)
	if err != nil {
		return storage.Seeked{}, err
	}
	done, err := b.Seek(ctx, name, storage.Target{Snapshot: s.id, DryRun: dryRun})
	if errors.Is(err, storage.ErrOtherTopic) {
		return done, fmt.Errorf("%w: %w", invalidField("target.snapshot", "a snapshot of the subscription's topic"), err)
	}
	return done, err
}
