package shardlog

import (
	"bytes"
	"context"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

const (
	// searchedKeysAtOnce, searchedLettersAtOnce and searchedBytesAtOnce bound what one read
	// of a search looks at: keys, and the dead letters of the partition; one that is larger
	// comes alone.
	searchedKeysAtOnce    = 8192
	searchedLettersAtOnce = 2048
	searchedBytesAtOnce   = 4 << 20
)

// FindDeadLetter looks for the first dead letter that stood at a position, among the first
// ones of all partitions, in short reads. It is nil when there is none, unless there are
// more than were looked at. Errors: ErrNotFound; ErrDataLoss when one that may be it is
// damaged; ctx's.
func (s *Store) FindDeadLetter(
	ctx context.Context, id storage.SubscriptionID, partition uint16, at storage.Offset, most int,
) (found *storage.DeadLetter, more bool, err error) {
	if _, err := s.storedCursors(ctx, id); err != nil {
		return nil, false, err
	}
	look := deadLetterSearch{id: id, partition: partition, at: at, left: most}
	for look.more = true; look.more && look.found == nil && look.left > 0; {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		if err := s.engine.View(look.read); err != nil {
			return nil, false, err
		}
	}
	return look.found, look.more && look.found == nil, nil
}

// deadLetterSearch is a search on its way.
type deadLetterSearch struct {
	id        storage.SubscriptionID
	partition uint16
	at        storage.Offset

	// next is the sequence that comes next, left how many may be looked at.
	next  uint64
	left  int
	more  bool
	found *storage.DeadLetter
}

// read looks at the next ones.
func (x *deadLetterSearch) read(r storage.Reader) error {
	keys, letters, size := 0, 0, 0
	x.more = false
	from := record.AppendDeadLetterKey(nil, x.id, storage.DeadLetterID{Sequence: x.next})
	return r.Ascend(record.AppendDeadLetterPrefix(nil, x.id), from, func(key []byte, value storage.Value) (bool, error) {
		if keys == searchedKeysAtOnce || letters == searchedLettersAtOnce || size >= searchedBytesAtOnce || x.left == 0 {
			x.more = true
			return false, nil
		}
		_, d, err := record.ParseDeadLetterKey(key)
		if err != nil {
			return false, err
		}
		keys++
		x.left--
		x.next = d.Sequence + 1
		if d.Partition != x.partition {
			return true, nil
		}
		err = value.Read(func(value []byte) error {
			letters, size = letters+1, size+len(value)
			return x.look(key, value)
		})
		return x.found == nil, err
	})
}

// look looks at one dead letter of the partition.
func (x *deadLetterSearch) look(key, value []byte) error {
	d, err := record.DecodeDeadLetter(key, value)
	if err == nil && d.Offset == x.at {
		d.Message = bytes.Clone(d.Message)
		x.found = &d
	}
	return err
}
