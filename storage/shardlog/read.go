package shardlog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

const (
	// readAheadSegments and readAheadBytes bound what one read takes from the disk:
	// a reader that lags goes on where it stopped.
	readAheadSegments = 64
	readAheadBytes    = 1 << 20
)

// Read finds what stands at an offset below the head, from memory or disk. Errors:
// ErrTrimmed, ErrDataLoss, ErrNotFound.
func (s *Store) Read(ctx context.Context, id storage.PartitionID, at storage.Offset) (storage.Piece, error) {
	p, err := s.readable(ctx, id, at)
	if err != nil {
		return storage.Piece{}, err
	}
	if x := p.ring.Find(at); x != nil {
		s.metrics.ringHits.Add(1)
		return storage.Piece{Segment: x}, nil
	}
	if x := s.cache.find(id, at); x != nil {
		s.metrics.cacheHits.Add(1)
		return storage.Piece{Segment: x}, nil
	}
	var piece storage.Piece
	err = s.guard(p, at, func() (err error) {
		piece, err = s.readDisk(p, at)
		return err
	})
	return piece, err
}

// Locate says when and after how much an offset was written. Errors as Read's;
// ErrNotFound at and past the head.
func (s *Store) Locate(ctx context.Context, id storage.PartitionID, at storage.Offset) (storage.Place, error) {
	p, err := s.readable(ctx, id, at)
	if err != nil {
		return storage.Place{}, err
	}
	var x pointer
	err = s.guard(p, at, func() error {
		s.metrics.diskReads.Add(1)
		return s.engine.View(func(r storage.Reader) (err error) {
			x, err = pointerAt(r, id, at)
			return err
		})
	})
	return x.Place(), err
}

// readable gives a partition when an offset may be read from it.
func (s *Store) readable(ctx context.Context, id storage.PartitionID, at storage.Offset) (*partition, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := s.directory.partition(id)
	if err != nil {
		return nil, err
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	if at >= storage.Offset(p.marks.head.Load()) {
		return nil, fmt.Errorf("%w: %v ends before offset %d", storage.ErrNotFound, id, at)
	}
	if err := p.trimmed(at); err != nil {
		return nil, err
	}
	return p, nil
}

// trimmed is ErrTrimmed when an offset is below the first retained one.
func (p *partition) trimmed(at storage.Offset) error {
	if first, _ := p.marks.get(); at < first.Offset {
		return fmt.Errorf("%w: %v begins at %d, offset %d asked", storage.ErrTrimmed, p.id, first.Offset, at)
	}
	return nil
}

// guard reads, and judges what a failure means: a pointer or segment that is not
// there was trimmed or moved in between, so one more try is due; what is still not
// there, or damaged, fences the partition.
func (s *Store) guard(p *partition, at storage.Offset, read func() error) error {
	err := read()
	if err == nil || !missing(err) {
		return err
	}
	if err := p.trimmed(at); err != nil {
		return err
	}
	if err = read(); err == nil || !missing(err) {
		return err
	}
	if err := p.trimmed(at); err != nil {
		return err
	}
	err = fmt.Errorf("%w: %v, offset %d: %w", storage.ErrDataLoss, p.id, at, err)
	s.committer.fence(p, err)
	return err
}

func missing(err error) bool {
	return errors.Is(err, errNoPointer) || errors.Is(err, storage.ErrNotFound) || errors.Is(err, storage.ErrDataLoss)
}

// readDisk reads the piece at an offset and a few more after it, in one snapshot.
func (s *Store) readDisk(p *partition, at storage.Offset) (piece storage.Piece, err error) {
	s.metrics.diskReads.Add(1)
	err = s.engine.View(func(r storage.Reader) error {
		x, err := pointerAt(r, p.id, at)
		if err != nil {
			return err
		}
		if x.Hole {
			piece.Hole = storage.OffsetRange{First: at, End: x.end()}
			return nil
		}
		if piece.Segment, err = s.load(r, p, &x); err != nil {
			return err
		}
		s.readAhead(r, p, x.end())
		return nil
	})
	return piece, err
}

// readAhead puts the next few segments into the cache. Whatever goes wrong is told
// to who asks for them.
func (s *Store) readAhead(r storage.Reader, p *partition, from storage.Offset) {
	n, bytes := 1, 0
	_ = eachPointer(r, p.id, from, func(x pointer) (bool, error) {
		if x.Hole || n == readAheadSegments || bytes >= readAheadBytes {
			return false, nil
		}
		segment, err := s.load(r, p, &x)
		if err != nil {
			return false, err
		}
		n, bytes = n+1, bytes+len(segment.Bytes)
		segment.Release()
		return true, nil
	})
}

// load reads the run that a pointer points to and puts it into the cache.
func (s *Store) load(r storage.Reader, p *partition, x *pointer) (*storage.Segment, error) {
	if segment := s.cache.find(p.id, x.base); segment != nil {
		return segment, nil
	}
	segment := s.cache.blank(int(x.Bytes))
	if err := readRun(r, p.id, x, segment); err != nil {
		return nil, err
	}
	return s.cache.put(segment), nil
}

// readRun reads the run that a pointer points to into s.
func readRun(r storage.Reader, id storage.PartitionID, x *pointer, s *storage.Segment) error {
	key := record.AppendSegmentKey(nil, x.At.Batch, x.At.Chunk)
	err := r.Get(key, func(value []byte) error {
		segment, err := record.OpenSegment(key, value)
		if err != nil {
			return err
		}
		return segment.ReadPointer(id, x.base, &x.Pointer, s)
	})
	if err != nil {
		return fmt.Errorf("segment %d/%d: %w", x.At.Batch, x.At.Chunk, err)
	}
	return nil
}

// firstSince finds the first offset whose message was taken in at or after a time;
// the head when there is none yet.
func (s *Store) firstSince(ctx context.Context, p *partition, t time.Time) (storage.Offset, error) {
	for {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		first, next := p.marks.get()
		found := first.Offset
		err := s.guard(p, first.Offset, func() error {
			s.metrics.diskReads.Add(1)
			return s.engine.View(func(r storage.Reader) (err error) {
				found, err = searchTime(r, p.id, storage.OffsetRange{First: first.Offset, End: next.Offset}, t)
				return err
			})
		})
		// Trimmed meanwhile: what is left is searched.
		if !errors.Is(err, storage.ErrTrimmed) {
			return found, err
		}
	}
}

// searchTime finds the first offset of a range whose log time is not before t; the
// range's end when there is none.
func searchTime(r storage.Reader, id storage.PartitionID, in storage.OffsetRange, t time.Time) (storage.Offset, error) {
	low, high := in.First, in.End
	for low < high {
		x, err := pointerAt(r, id, low+(high-low)/2)
		switch {
		case err != nil:
			return 0, err
		case x.LogTime.Before(t):
			low = x.end()
		default:
			high = x.base
		}
	}
	return max(low, in.First), nil
}
