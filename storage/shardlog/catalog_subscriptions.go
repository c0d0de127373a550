package shardlog

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// cursorsAtOnce bounds the cursors that one step of a subscription's creation or
// removal touches.
const cursorsAtOnce = 128

// Subscriptions lists everything that is not gone, by id, but for snapshots.
func (s *Store) Subscriptions() []storage.Subscription {
	return slices.DeleteFunc(s.directory.listSubscriptions(), func(x storage.Subscription) bool { return x.Snapshot != nil })
}

// CreateSubscription stores a subscription under a new id and gives it a durable
// cursor on every partition, in steps; it is active with the last one. ID, State
// and CreatedAt are set by the store. Errors: ErrExists; ErrNotFound when the topic
// is, or a start offset lies past the end; ErrNoSpace, ErrTooLarge, ErrDataLoss when
// a partition is fenced.
func (s *Store) CreateSubscription(ctx context.Context, def storage.Subscription, start storage.Start) (storage.Subscription, error) {
	if err := s.checkNew(def.Name, def.Definition); err != nil {
		return def, err
	}
	starts, err := s.resolve(ctx, def.Topic, start)
	if err != nil {
		return def, err
	}
	b := &birth{store: s, def: def, starts: starts}
	if err := b.step(ctx); err != nil {
		return def, err
	}
	// What is begun is ended, or it would take the name until the next recovery.
	ctx = context.WithoutCancel(ctx)
	for b.next < len(starts) {
		if err := b.step(ctx); err != nil {
			return def, err
		}
	}
	return b.shown, nil
}

// birth is the creation of a subscription, step by step.
type birth struct {
	store  *Store
	def    storage.Subscription
	starts []startOffset
	next   int

	// Loop only while a step runs.
	made  *subscription
	shown storage.Subscription
}

// step makes the cursors of some partitions durable.
func (b *birth) step(ctx context.Context) error {
	end := min(b.next+cursorsAtOnce, len(b.starts))
	err := b.store.change(ctx, &change{
		need:    catalogNeed.plus(shardNeed).plus(cursorNeed.times(end - b.next)),
		apply:   func(open *batch) error { return b.apply(open, end) },
		settled: func() { b.store.directory.putSubscription(b.shown) },
	})
	b.next = end
	return err
}

func (b *birth) apply(open *batch, end int) error {
	x := b.store.committer.shard
	if b.made == nil {
		if err := b.check(x); err != nil {
			return err
		}
		b.begin(open, x)
	}
	for i := b.next; i < end; i++ {
		b.made.cursors[i] = newCursor(b.made, uint16(i), b.starts[i].at(b.made.topic.partitions[i]))
		open.rewriteCursor(b.made.cursors[i])
	}
	if end == len(b.starts) {
		b.made.State = storage.Active
		open.rewriteSubscription(b.made)
	}
	b.shown = b.made.Subscription
	return nil
}

// check says whether the subscription can be made, at the moment it is.
func (b *birth) check(x *shard) error {
	t := x.topics[b.def.Topic]
	if t == nil || t.State != storage.Active {
		return fmt.Errorf("%w: topic %d", storage.ErrNotFound, b.def.Topic)
	}
	if _, taken := x.subscriptionNames[b.def.Name]; taken {
		return fmt.Errorf("%w: subscription %q", storage.ErrExists, b.def.Name)
	}
	return t.checkStarts(b.starts)
}

func (b *birth) begin(open *batch, x *shard) {
	def := b.def
	def.ID, def.State, def.CreatedAt = x.NextSubscription, storage.Creating, b.store.committer.now()
	def.Definition = bytes.Clone(def.Definition)
	x.NextSubscription++
	open.shard = true
	b.made = newSubscription(def, x.topics[def.Topic])
	x.addSubscription(b.made)
	open.rewriteSubscription(b.made)
}

func newCursor(s *subscription, partition uint16, floor storage.Offset) *cursor {
	return &cursor{Cursor: record.Cursor{Generation: 1, Floor: floor}, subscription: s, partition: partition}
}

// UpdateSubscription replaces Definition. Errors: ErrNotFound, ErrTooLarge.
func (s *Store) UpdateSubscription(ctx context.Context, def storage.Subscription) (storage.Subscription, error) {
	if err := checkDefinition(def.Definition); err != nil {
		return def, err
	}
	return s.editSubscription(ctx, def.ID, func(x *subscription) error {
		if x.State != storage.Active {
			return fmt.Errorf("%w: subscription %d", storage.ErrNotFound, def.ID)
		}
		x.Definition = bytes.Clone(def.Definition)
		return nil
	})
}

// DeleteSubscription ends a subscription; its state goes in the background, and its
// name is free when all of it is gone. Errors: ErrNotFound.
func (s *Store) DeleteSubscription(ctx context.Context, id storage.SubscriptionID) error {
	_, err := s.editSubscription(ctx, id, func(x *subscription) error {
		if x.State == storage.Creating {
			return fmt.Errorf("%w: subscription %d is being created", storage.ErrNotFound, id)
		}
		x.State = storage.Deleting
		return nil
	})
	if err == nil {
		s.janitor.removeSubscription(id)
	}
	return err
}

// editSubscription changes the record of a subscription that is not being removed,
// and shows it.
func (s *Store) editSubscription(
	ctx context.Context, id storage.SubscriptionID, edit func(x *subscription) error,
) (storage.Subscription, error) {
	var x *subscription
	var shown storage.Subscription
	err := s.change(ctx, &change{
		need: catalogNeed,
		apply: func(b *batch) error {
			x = s.committer.shard.subscriptions[id]
			if x == nil || x.State == storage.Deleting {
				return fmt.Errorf("%w: subscription %d", storage.ErrNotFound, id)
			}
			if err := edit(x); err != nil {
				return err
			}
			b.rewriteSubscription(x)
			shown = x.shown()
			return nil
		},
		settled: func() {
			s.directory.putSubscription(shown)
			s.attend(x.topic)
		},
	})
	if err != nil {
		return storage.Subscription{}, err
	}
	return shown, nil
}
