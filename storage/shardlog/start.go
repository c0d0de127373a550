package shardlog

import (
	"context"
	"fmt"

	"github.com/headrace/headrace/storage"
)

// startOffset is where a cursor is to begin in one partition: at latest, or at an
// offset as far as that is retained.
type startOffset struct {
	latest bool
	offset storage.Offset
	// stays: a cursor that is there is not moved.
	stays bool
}

// at is the cursor's first floor, as of the open batch. Loop only.
func (s startOffset) at(p *partition) storage.Offset {
	if s.latest {
		return p.next.Offset
	}
	return max(s.offset, p.first.Offset)
}

// checkStarts says whether every start lies within its partition, as of the open
// batch. Loop only.
func (t *topic) checkStarts(starts []startOffset) error {
	for i, start := range starts {
		p := t.partitions[i]
		if err := p.err(); err != nil {
			return err
		}
		if start.offset > p.next.Offset {
			return fmt.Errorf("%w: partition %d ends at %d, start at %d asked", storage.ErrNotFound, i, p.next.Offset, start.offset)
		}
	}
	return nil
}

// resolve turns a start into one for each partition of a topic.
func (s *Store) resolve(ctx context.Context, id storage.TopicID, start storage.Start) ([]startOffset, error) {
	partitions := s.directory.partitions(id)
	if partitions == nil {
		return nil, fmt.Errorf("%w: topic %d", storage.ErrNotFound, id)
	}
	if start.Kind == storage.StartAtTime {
		// Whatever was stamped before now is in the log after this.
		if err := s.ask(ctx, func() {}); err != nil {
			return nil, err
		}
	}
	starts := make([]startOffset, len(partitions))
	for i, p := range partitions {
		var err error
		if starts[i], err = s.resolveOne(ctx, p, start); err != nil {
			return nil, err
		}
	}
	return starts, nil
}

func (s *Store) resolveOne(ctx context.Context, p *partition, start storage.Start) (startOffset, error) {
	switch start.Kind {
	case storage.StartEarliest:
		return startOffset{}, nil
	case storage.StartAtOffsets:
		offset, given := start.Offsets[p.id.Partition]
		return startOffset{latest: !given, offset: offset, stays: !given}, nil
	case storage.StartAtTime:
		// A time to come, for the clock and for the log, which is ahead of a clock that
		// went back: everything until the cursor is made came before it.
		if _, next := p.marks.get(); start.Time.After(s.options.Clock()) && start.Time.After(next.LogTime) {
			return startOffset{latest: true}, nil
		}
		offset, err := s.firstSince(ctx, p, start.Time)
		return startOffset{offset: offset}, err
	default:
		return startOffset{latest: true}, nil
	}
}
