package broker

import (
	"context"
	"errors"
	"slices"

	"github.com/headrace/headrace/storage"
)

// MaxDeadLetters is how many dead letters one call takes away.
const MaxDeadLetters = storage.MaxDeadLetters

// DeadLetters gives dead letters of a subscription from a sequence on, in order: some,
// or none at the end. Errors: ErrSubscriptionNotFound, ErrDataLoss.
func (b *Broker) DeadLetters(ctx context.Context, name Name, from uint64) ([]storage.DeadLetter, error) {
	s, err := b.catalog.subscription(name)
	if err != nil {
		return nil, err
	}
	letters, err := b.store.DeadLetters(ctx, s.id, from)
	return letters, subscriptionError(err)
}

// DiscardDeadLetters deletes dead letters for good, and gives the sequences of those
// that were there. Errors: ErrSubscriptionNotFound, ErrInvalidField, ErrDataLoss.
func (b *Broker) DiscardDeadLetters(ctx context.Context, name Name, sequences []uint64) ([]uint64, error) {
	s, err := b.catalog.subscription(name)
	if err == nil {
		err = checkSequences(sequences)
	}
	if err != nil {
		return nil, err
	}
	ids, err := b.store.DiscardDeadLetters(ctx, s.id, sequences)
	if err != nil {
		return nil, subscriptionError(err)
	}
	s.deadLetters.Add(-int64(len(ids)))
	gone := make([]uint64, len(ids))
	for i := range ids {
		gone[i] = ids[i].Sequence
	}
	return gone, nil
}

// RedriveDeadLetters gives dead letters back to delivery, in the order asked for, and
// gives the sequences of those that were there; again makes of each what is delivered.
// When it fails half-way, what it gives is redriven. Errors: ErrSubscriptionNotFound,
// ErrInvalidField, ErrDiskFull, ErrDataLoss.
func (b *Broker) RedriveDeadLetters(
	ctx context.Context, name Name, sequences []uint64, again func(*storage.DeadLetter) []byte,
) (redriven []uint64, err error) {
	s, err := b.catalog.subscription(name)
	if err == nil {
		err = errors.Join(checkSequences(sequences), s.failed())
	}
	if err != nil {
		return nil, err
	}
	for len(sequences) > 0 {
		done, err := b.store.Redrive(ctx, s.id, sequences, again)
		if err != nil {
			return redriven, subscriptionError(err)
		}
		if len(done) == 0 {
			break
		}
		for i := range done {
			redriven = append(redriven, done[i].ID.Sequence)
		}
		s.redriven(done)
		last := slices.Index(sequences, done[len(done)-1].ID.Sequence)
		sequences = sequences[last+1:]
	}
	return redriven, nil
}

// redriven has the owner loop look at the replay partition.
func (s *subscription) redriven(done []storage.Redriven) {
	s.deadLetters.Add(-int64(len(done)))
	s.route.replay.Store(uint32(done[0].Topic))
	s.loop.orders.give(func(o *orderSlot) {
		o.replay = true
		for i := range done {
			if len(done[i].Failures) > 0 {
				o.remembered = append(o.remembered, storage.History{Offset: done[i].Offset, Failures: done[i].Failures})
			}
		}
	})
}

func checkSequences(sequences []uint64) error {
	if n := len(sequences); n == 0 || n > MaxDeadLetters {
		return invalidField("sequences", "1 to 1,000")
	}
	return nil
}

// subscriptionError translates an error of the store that is about a subscription.
func subscriptionError(err error) error {
	if errors.Is(err, storage.ErrNotFound) {
		return ErrSubscriptionNotFound
	}
	return storeError(err)
}
