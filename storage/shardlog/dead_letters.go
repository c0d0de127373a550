package shardlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

const (
	// deadLettersAtOnce and deadLetterBytesAtOnce bound what one read of dead letters
	// gives; one that is larger comes alone.
	deadLettersAtOnce     = 256
	deadLetterBytesAtOnce = 1 << 20
)

// deadLetterNeed bounds what a dead letter takes.
func deadLetterNeed(d *storage.DeadLetter) need {
	size := record.DeadLetterOverheadBytes + len(d.Message)
	if size < record.InlineValueBytes {
		return need{inline: size, keys: 1}
	}
	return need{bodies: size, inline: record.MaxKeyBytes + record.MaxKeyBytes, keys: 1}
}

// putDeadLetter gives a dead letter its sequence and writes it.
func (c *committer) putDeadLetter(x *cursor, d *storage.DeadLetter) {
	s := x.subscription
	s.deadLast++
	d.Sequence, d.Partition = s.deadLast, x.partition
	x.DeadLast = d.Sequence
	x.countDead(d.Sequence, 1)
	c.open.putDeadLetter(s.ID, d)
}

// countDead takes a dead letter into the cursor's count and sum, or out of them.
func (c *cursor) countDead(sequence uint64, sign int) {
	c.Dead += uint64(sign)
	c.DeadSum ^= record.DeadLetterHash(sequence)
}

func (b *batch) putDeadLetter(s storage.SubscriptionID, d *storage.DeadLetter) {
	start := len(b.mem)
	b.mem = record.AppendDeadLetterKey(b.mem, s, d.ID())
	split := len(b.mem)
	b.mem = record.AppendDeadLetter(b.mem, b.mem[start:split], d)
	b.put(start, split)
}

func (b *batch) deleteDeadLetter(s storage.SubscriptionID, id storage.DeadLetterID) {
	start := len(b.mem)
	b.mem = record.AppendDeadLetterKey(b.mem, s, id)
	b.remove(start)
}

// DeadLetters gives dead letters of a subscription from a sequence on, in order; a
// full answer is as many as one short read allows, an empty one the end. Errors:
// ErrNotFound; ErrDataLoss with the sequence of one that is damaged, behind those
// before it.
func (s *Store) DeadLetters(ctx context.Context, id storage.SubscriptionID, from uint64) ([]storage.DeadLetter, error) {
	if _, err := s.storedCursors(ctx, id); err != nil {
		return nil, err
	}
	var all []storage.DeadLetter
	bytesRead := 0
	prefix := record.AppendDeadLetterPrefix(nil, id)
	err := s.engine.View(func(r storage.Reader) error {
		start := record.AppendDeadLetterKey(nil, id, storage.DeadLetterID{Sequence: from})
		return r.Ascend(prefix, start, func(key []byte, value storage.Value) (bool, error) {
			err := value.Read(func(value []byte) error {
				d, err := record.DecodeDeadLetter(key, value)
				if err != nil {
					return err
				}
				d.Message = bytes.Clone(d.Message)
				all, bytesRead = append(all, d), bytesRead+len(value)
				return nil
			})
			return len(all) < deadLettersAtOnce && bytesRead < deadLetterBytesAtOnce, err
		})
	})
	if errors.Is(err, storage.ErrDataLoss) && len(all) > 0 {
		// The next read begins at the damaged one.
		return all, nil
	}
	return all, err
}

// DeadLetterCount is how many dead letters a subscription has. Errors: ErrNotFound,
// ErrDataLoss.
func (s *Store) DeadLetterCount(ctx context.Context, id storage.SubscriptionID) (n uint64, err error) {
	ended := s.ask(ctx, func() {
		x := s.committer.shard.subscriptions[id]
		if x == nil || x.State == storage.Deleting {
			err = storage.ErrNotFound
			return
		}
		err = x.damage
		for _, c := range x.allCursors() {
			n += c.Dead
		}
	})
	return n, errors.Join(ended, err)
}

// DiscardDeadLetters deletes dead letters for good, in one commit, and gives those that
// were there, in order: what is gone already is passed over. At most MaxDeadLetters at
// once. Errors: ErrNotFound, ErrTooLarge, ErrDataLoss.
func (s *Store) DiscardDeadLetters(
	ctx context.Context, id storage.SubscriptionID, sequences []uint64,
) (gone []storage.DeadLetterID, err error) {
	there, release, err := s.claimDeadLetters(ctx, id, sequences)
	if err != nil {
		return nil, err
	}
	defer release()
	if len(there) == 0 {
		return nil, nil
	}
	err = s.change(context.WithoutCancel(ctx), &change{
		need: deadLetterRemovalNeed(len(there)),
		apply: func(b *batch) error {
			x, err := s.committer.shard.subscription(id)
			if err == nil {
				x.removeDeadLetters(b, there)
			}
			return err
		},
	})
	if err != nil {
		return nil, err
	}
	return there, nil
}

// deadLetterRemovalNeed bounds what taking n dead letters away takes.
func deadLetterRemovalNeed(n int) need {
	return deleteNeed.times(n).plus(cursorNeed.times(min(n, MaxPartitions+1)))
}

// removeDeadLetters deletes dead letters that are there. Loop only.
func (s *subscription) removeDeadLetters(b *batch, ids []storage.DeadLetterID) {
	for _, id := range ids {
		x := s.cursor(id.Partition)
		x.countDead(id.Sequence, -1)
		b.deleteDeadLetter(s.ID, id)
		b.rewriteCursor(x)
	}
}

// claimDeadLetters says which of some dead letters are there, and keeps everyone else
// from taking any away until release is called: what was read still stands when the
// change is made.
func (s *Store) claimDeadLetters(
	ctx context.Context, id storage.SubscriptionID, sequences []uint64,
) (there []storage.DeadLetterID, release func(), err error) {
	if len(sequences) > storage.MaxDeadLetters {
		return nil, nil, fmt.Errorf("%w: %d dead letters at once", storage.ErrTooLarge, len(sequences))
	}
	select {
	case s.deadLetterTurn <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
	release = func() { <-s.deadLetterTurn }
	stored, err := s.storedCursors(ctx, id)
	if err == nil {
		there, err = s.deadLettersThere(id, sequences, len(stored.holes))
	}
	if err != nil {
		release()
		return nil, nil, err
	}
	return there, release, nil
}

func (s *Store) deadLettersThere(id storage.SubscriptionID, sequences []uint64, partitions int) (there []storage.DeadLetterID, err error) {
	seen := map[uint64]bool{}
	err = s.engine.View(func(r storage.Reader) error {
		for _, sequence := range sequences {
			if seen[sequence] {
				continue
			}
			seen[sequence] = true
			d, found, err := deadLetterAt(r, id, sequence)
			if err != nil {
				return err
			}
			if found && (int(d.Partition) < partitions || d.Partition == storage.ReplayPartition) {
				there = append(there, d)
			}
		}
		return nil
	})
	return there, err
}

// deadLetterAt finds a dead letter by its sequence.
func deadLetterAt(r storage.Reader, id storage.SubscriptionID, sequence uint64) (d storage.DeadLetterID, found bool, err error) {
	prefix := record.AppendDeadLetterSequencePrefix(nil, id, sequence)
	err = r.Ascend(prefix, nil, func(key []byte, _ storage.Value) (bool, error) {
		_, d, err = record.ParseDeadLetterKey(key)
		found = err == nil
		return false, err
	})
	return d, found, err
}
