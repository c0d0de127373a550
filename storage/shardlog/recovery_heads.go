package shardlog

import (
	"errors"
	"fmt"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// readHeads finds where each partition ends: at its last pointer, which must not be
// below the checkpoint. After a stop that was not in order, what came after the
// checkpoints is compared with the directories of the commit segments.
func (r *recovery) readHeads() error {
	if r.mends() {
		return r.mendPointers()
	}
	for id := range r.records {
		p := r.partition(id)
		if p.err() != nil {
			continue
		}
		if err := r.readHead(p); err != nil {
			r.fencef(p, "its last pointer: %v", err)
		}
	}
	if r.shard.Clean || r.fresh() {
		return nil
	}
	return r.replay()
}

// readHead moves a partition's head from its checkpoint to its last pointer.
func (r *recovery) readHead(p *partition) error {
	checkpoint := r.records[p.id].Head
	last, err := r.lastPointer(p)
	switch {
	case errors.Is(err, errNoPointer) && p.first.Offset == checkpoint.Offset:
		p.next = checkpoint
		return nil
	case err != nil:
		return err
	case last.end() < checkpoint.Offset:
		return fmt.Errorf("%w: it ends at %d, the checkpoint is %d", storage.ErrDataLoss, last.end(), checkpoint.Offset)
	}
	p.next = record.Mark{Offset: last.end(), LogTime: last.LogTime, Before: last.After()}
	if p.next.Offset != checkpoint.Offset {
		r.shard.checkpoints.note(p, r.records[p.id].HeadBatch+1)
	}
	return nil
}

func (r *recovery) lastPointer(p *partition) (last pointer, err error) {
	err = r.engine.View(func(v storage.Reader) error {
		found := false
		err := v.Descend(record.AppendPointerPrefix(nil, p.id), nil, func(key []byte, value storage.Value) (bool, error) {
			found = true
			last, err = decodePointer(key, value)
			return false, err
		})
		if err == nil && (!found || last.base < p.first.Offset) {
			return fmt.Errorf("%w: %v has none", errNoPointer, p.id)
		}
		return err
	})
	return last, err
}

// replay walks the directories of the segments that may hold what came after the
// checkpoints, in order, and compares: each run continues its partition and has a
// pointer; a pointer that is missing is made again. Whoever rewrites pointers renews
// the checkpoint in the same batch, so that none of them is met here.
func (r *recovery) replay() error {
	tails := map[storage.PartitionID]*tail{}
	from := uint64(1)
	if r.shard.number > maxCheckpointBatches {
		from = r.shard.number - maxCheckpointBatches
	}
	prefix := record.AppendPrefix(nil, record.KindSegment)
	err := scan(r.engine, prefix, record.AppendSegmentKey(nil, from, 0), func(key []byte, value storage.Value) error {
		batch, chunk, err := record.ParseSegmentKey(key)
		if err != nil {
			return err
		}
		err = value.Read(func(value []byte) error {
			segment, err := record.OpenSegment(key, value)
			if err != nil {
				return err
			}
			return r.replaySegment(segmentID{batch, chunk}, &segment, tails)
		})
		if errors.Is(err, storage.ErrDataLoss) {
			// Whose messages it held shows where its pointers are.
			r.logger.Error("commit segment is damaged", "batch", batch, "chunk", chunk, "error", err)
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, t := range tails {
		r.endReplay(t)
	}
	r.fenceUnreplayed(tails)
	return nil
}

// tail is what came after one partition's checkpoint.
type tail struct {
	partition *partition
	// pointers are those found, by base.
	pointers map[storage.Offset]record.Pointer
	// next is how far the directories have come; missing are pointers to make.
	next    record.Mark
	missing []pointer
}

func (r *recovery) replaySegment(id segmentID, segment *record.SegmentReader, tails map[storage.PartitionID]*tail) error {
	for i := range segment.Runs() {
		run := segment.Run(i)
		x, ok := r.records[run.Partition]
		if !ok || id.batch <= x.HeadBatch {
			continue
		}
		t := tails[run.Partition]
		if t == nil {
			var err error
			if t, err = r.newTail(run.Partition); err != nil {
				return err
			}
			tails[run.Partition] = t
		}
		r.replayRun(t, id, &run)
	}
	return nil
}

// newTail reads the pointers after a partition's checkpoint.
func (r *recovery) newTail(id storage.PartitionID) (*tail, error) {
	t := &tail{partition: r.partition(id), pointers: map[storage.Offset]record.Pointer{}, next: r.records[id].Head}
	prefix := record.AppendPointerPrefix(nil, id)
	err := scan(r.engine, prefix, record.AppendPointerKey(nil, id, t.next.Offset), func(key []byte, value storage.Value) error {
		p, err := decodePointer(key, value)
		if err != nil {
			r.fencef(t.partition, "a pointer: %v", err)
			return nil
		}
		t.pointers[p.base] = p.Pointer
		return nil
	})
	return t, err
}

// replayRun takes in the next run of a partition.
func (r *recovery) replayRun(t *tail, id segmentID, run *record.Run) {
	if run.Base != t.next.Offset {
		r.fencef(t.partition, "batch %d holds offset %d, expected %d", id.batch, run.Base, t.next.Offset)
		return
	}
	want := pointer{run.Base, run.Pointer(id.batch, id.chunk, t.next.Before)}
	got, ok := t.pointers[run.Base]
	switch {
	case !ok:
		t.missing = append(t.missing, want)
	case got.At != want.At || got.Span != want.Span || got.Before != want.Before:
		r.fencef(t.partition, "the pointer at %d is not what batch %d wrote", run.Base, id.batch)
	}
	delete(t.pointers, run.Base)
	t.next = record.Mark{Offset: want.end(), LogTime: run.LogTime, Before: want.After()}
}

// endReplay sets the head and takes over the pointers that were missing.
func (r *recovery) endReplay(t *tail) {
	p := t.partition
	if p.err() != nil {
		return
	}
	for base, x := range t.pointers {
		r.fencef(p, "the pointer at %d names segment %d/%d, which does not hold it", base, x.At.Batch, x.At.Chunk)
		return
	}
	for _, x := range t.missing {
		r.logger.Warn("pointer was missing and is made again", "partition", p.id.String(), "offset", uint64(x.base))
		r.writePointer(p, x)
	}
	p.next = t.next
}

// writePointer has a pointer written again, with its partition's record.
func (r *recovery) writePointer(p *partition, x pointer) {
	r.repairs = append(r.repairs, func(b *batch) {
		b.putPointer(p.id, x.base, &x.Pointer)
		b.rewrite(p)
	})
}

// fenceUnreplayed fences the partitions that went on after their checkpoints
// without any directory that says so.
func (r *recovery) fenceUnreplayed(tails map[storage.PartitionID]*tail) {
	for id, x := range r.records {
		p := r.partition(id)
		if p.err() == nil && tails[id] == nil && p.next.Offset != x.Head.Offset {
			r.fencef(p, "it ends at %d, no commit segment holds what follows the checkpoint %d", p.next.Offset, x.Head.Offset)
		}
	}
}
