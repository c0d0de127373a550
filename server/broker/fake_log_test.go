package broker

import (
	"context"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/headrace/headrace/storage"
)

func (f *fakeStore) Head(p storage.PartitionID) storage.Offset {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.partitions[p].next
}

func (f *fakeStore) Watch(p storage.PartitionID, wake chan<- struct{}) (cancel func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	partition := f.partitions[p]
	partition.lastWake++
	key := partition.lastWake
	partition.wakes[key] = wake
	f.watching.Add(1)
	return sync.OnceFunc(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(partition.wakes, key)
		f.watching.Add(-1)
	})
}

func (f *fakeStore) KeptFrom(p storage.PartitionID) storage.Offset {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.partitions[p].kept
}

func (f *fakeStore) WatchKept(_ storage.TopicID, wake chan<- struct{}) (cancel func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lastKept++
	key := f.lastKept
	f.keptWakes[key] = wake
	return sync.OnceFunc(func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.keptWakes, key)
	})
}

// keepFrom has a partition keep nothing before an offset for anybody.
func (f *fakeStore) keepFrom(p storage.PartitionID, kept storage.Offset) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.partitions[p].kept = kept
	for _, wake := range f.keptWakes {
		signal(wake)
	}
}

func (f *fakeStore) Tail(p storage.PartitionID, at storage.Offset) *storage.Segment {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.tailless {
		return nil
	}
	return f.segment(p, at)
}

func (f *fakeStore) Read(_ context.Context, p storage.PartitionID, at storage.Offset) (storage.Piece, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads.Add(1)
	switch partition := f.partitions[p]; {
	case f.err != nil:
		return storage.Piece{}, storage.ErrUnavailable
	case at < partition.first:
		return storage.Piece{}, storage.ErrTrimmed
	}
	if s := f.segment(p, at); s != nil {
		return storage.Piece{Segment: s}, nil
	}
	return storage.Piece{}, storage.ErrDataLoss
}

func (f *fakeStore) Locate(_ context.Context, p storage.PartitionID, at storage.Offset) (storage.Place, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.locates.Add(1)
	partition := f.partitions[p]
	before := uint64(0)
	for i := range partition.runs {
		run := &partition.runs[i]
		if at < run.Base+storage.Offset(len(run.Ends)) {
			return storage.Place{LogTime: partition.times[i], MessagesBefore: uint64(run.Base), BytesBefore: before}, nil
		}
		before += uint64(len(run.Messages))
	}
	return storage.Place{}, storage.ErrNotFound
}

func (f *fakeStore) Stats(p storage.PartitionID) (storage.PartitionStats, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	partition := f.partitions[p]
	stats := storage.PartitionStats{
		First: partition.first, Next: partition.next,
		RetainedMessages: uint64(partition.next - partition.first), RetainedBytes: partition.bytes,
		NextBytes: partition.bytes,
	}
	if n := len(partition.times); n > 0 {
		stats.FirstTime, stats.NextTime = partition.times[0], partition.times[n-1]
	}
	return stats, nil
}

// segment copies the run that holds an offset. It searches by halves: on a busy
// machine publishers may be a hundred thousand runs ahead.
func (f *fakeStore) segment(p storage.PartitionID, at storage.Offset) *storage.Segment {
	partition := f.partitions[p]
	i := sort.Search(len(partition.runs), func(i int) bool {
		return at < partition.runs[i].Base+storage.Offset(len(partition.runs[i].Ends))
	})
	if i == len(partition.runs) || at < partition.runs[i].Base {
		return nil
	}
	run := &partition.runs[i]
	f.segments.Add(1)
	s := &storage.Segment{
		Partition: p, Base: run.Base, LogTime: partition.times[i],
		Bytes: slices.Clone(run.Messages), Ends: slices.Clone(run.Ends),
	}
	return s.Share(f.free)
}

// free overwrites a segment that nobody refers to any more.
func (f *fakeStore) free(s *storage.Segment) {
	for i := range s.Bytes {
		s.Bytes[i] = poison
	}
	f.segments.Add(-1)
}

// trim removes what is before an offset.
func (f *fakeStore) trim(p storage.PartitionID, first storage.Offset) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.partitions[p].first = first
}

func (f *fakeStore) NewPublishQueue() storage.PublishQueue {
	return &fakeQueue{store: f, ready: make(chan struct{}, 1)}
}

// fakeQueue is a publish queue that takes everything at once.
type fakeQueue struct {
	store *fakeStore
	ready chan struct{}

	mu   sync.Mutex
	done []*storage.Publish
}

func (q *fakeQueue) Put(p *storage.Publish, stop <-chan struct{}) bool {
	if gate := q.store.gate; gate != nil {
		select {
		case <-gate:
		case <-stop:
			return false
		}
	}
	q.store.mu.Lock()
	defer q.store.mu.Unlock()
	if q.store.err != nil {
		return false
	}
	q.store.commit(func() { q.complete(p) })
	return true
}

// complete appends what is published; under the store's mutex.
func (q *fakeQueue) complete(p *storage.Publish) {
	p.Err = q.store.publishErr
	for i := range p.Appends {
		if p.Err == nil {
			q.store.append(&p.Appends[i])
		}
	}
	q.mu.Lock()
	q.done = append(q.done, p)
	q.mu.Unlock()
	signal(q.ready)
}

func (f *fakeStore) append(a *storage.Append) {
	partition := f.partitions[a.Partition]
	a.Base = partition.next
	stored := *a
	stored.Messages, stored.Ends = slices.Clone(a.Messages), slices.Clone(a.Ends)
	partition.runs = append(partition.runs, stored)
	partition.times = append(partition.times, time.Now())
	partition.next += storage.Offset(len(a.Ends))
	partition.bytes += uint64(len(a.Messages))
	for _, wake := range partition.wakes {
		signal(wake)
	}
}

func (q *fakeQueue) Ready() <-chan struct{} { return q.ready }

func (q *fakeQueue) Done() *storage.Publish {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.done) == 0 {
		return nil
	}
	p := q.done[0]
	q.done = q.done[1:]
	return p
}

func (q *fakeQueue) Close() {}

func (f *fakeStore) NewStateSlot(id storage.SubscriptionID) storage.StateSlot {
	return &fakeSlot{store: f, id: id, ready: make(chan struct{}, 1)}
}

// fakeSlot is a state slot; its fields are under the store's mutex.
type fakeSlot struct {
	store *fakeStore
	id    storage.SubscriptionID
	ready chan struct{}
	busy  bool
	err   error
}

func (s *fakeSlot) Submit(c *storage.ChangeSet) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if c.Subscription != s.id || s.busy {
		panic("change set of another subscription, or a second one")
	}
	s.busy, s.err = true, nil
	s.store.commit(func() { s.complete(c) })
}

func (s *fakeSlot) complete(c *storage.ChangeSet) {
	s.busy, s.err = false, s.store.stateErr
	if s.err == nil {
		s.apply(c)
	}
	signal(s.ready)
}

// apply replaces what a change set names.
func (s *fakeSlot) apply(c *storage.ChangeSet) {
	cursors := s.store.cursors[s.id]
	for i := range c.Cursors {
		change := &c.Cursors[i]
		at := slices.IndexFunc(cursors, func(x storage.Cursor) bool { return x.Partition == change.Partition })
		cursor := &cursors[at]
		cursor.Floor, cursor.Counters = change.Floor, change.Counters
		cursor.Chunks = slices.DeleteFunc(slices.Clone(cursor.Chunks), func(old storage.Chunk) bool {
			return storage.Offset(old.Index+1)*storage.ChunkOffsets <= change.Floor ||
				slices.ContainsFunc(change.Chunks, func(n storage.Chunk) bool { return n.Index == old.Index })
		})
		for _, chunk := range change.Chunks {
			chunk.Acked, chunk.Attempts = slices.Clone(chunk.Acked), slices.Clone(chunk.Attempts)
			cursor.Chunks = append(cursor.Chunks, chunk)
		}
	}
}

func (s *fakeSlot) Ready() <-chan struct{} { return s.ready }

func (s *fakeSlot) Done() (idle bool, err error) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	return !s.busy, s.err
}

func (s *fakeSlot) Close() {}
