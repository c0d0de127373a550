package broker

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headrace/headrace/storage"
)

// fakeStore is a store in memory whose commits can be held and made to fail. A
// segment that it hands out is a copy of its own, which is overwritten when the last
// reference is released: who uses it after that reads poison.
type fakeStore struct {
	mu            sync.Mutex
	topics        map[storage.TopicID]storage.Topic
	subscriptions map[storage.SubscriptionID]storage.Subscription
	cursors       map[storage.SubscriptionID][]storage.Cursor
	partitions    map[storage.PartitionID]*fakePartition
	lastID        uint32

	// held: commits wait until release is called.
	held    bool
	waiting []func()
	// stateErr and publishErr are what commits fail with; damaged subscriptions
	// cannot be read.
	stateErr, publishErr error
	damaged              map[storage.SubscriptionID]bool
	full                 bool
	// gate, when not nil, is waited for by each Put: the queues are full.
	gate chan struct{}
	// tailless: nothing is at the tail.
	tailless bool

	keptWakes map[int]chan<- struct{}
	lastKept  int
	uses      int

	reads, locates, watching, segments atomic.Int64

	failed chan struct{}
	err    error
}

type fakePartition struct {
	first, next storage.Offset
	bytes       uint64
	runs        []storage.Append
	times       []time.Time
	kept        storage.Offset
	wakes       map[int]chan<- struct{}
	lastWake    int
}

var _ Store = (*fakeStore)(nil)

// poison is what released segments are overwritten with.
const poison = 0xDB

func newFakeStore(t *testing.T) *fakeStore {
	t.Helper()
	f := &fakeStore{
		topics:        map[storage.TopicID]storage.Topic{},
		subscriptions: map[storage.SubscriptionID]storage.Subscription{},
		cursors:       map[storage.SubscriptionID][]storage.Cursor{},
		partitions:    map[storage.PartitionID]*fakePartition{},
		damaged:       map[storage.SubscriptionID]bool{},
		keptWakes:     map[int]chan<- struct{}{},
		failed:        make(chan struct{}),
	}
	t.Cleanup(func() {
		if n := f.segments.Load(); n != 0 {
			t.Errorf("%d segments are not released", n)
		}
		if n := f.watching.Load() + int64(len(f.keptWakes)); n != 0 {
			t.Errorf("%d watches are not cancelled", n)
		}
	})
	return f
}

// hold makes commits wait.
func (f *fakeStore) hold() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held = true
}

// release commits what waits, and no longer holds.
func (f *fakeStore) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held = false
	for _, commit := range f.waiting {
		commit()
	}
	f.waiting = nil
}

// set changes something under the mutex.
func (f *fakeStore) set(change func(*fakeStore)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

// fail makes the store fail for good.
func (f *fakeStore) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
	close(f.failed)
}

// commit runs a commit now, or when release is called.
func (f *fakeStore) commit(fn func()) {
	if f.held {
		f.waiting = append(f.waiting, fn)
		return
	}
	fn()
}

func (f *fakeStore) UseSubscription(_ context.Context, id storage.SubscriptionID, at time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.subscriptions[id]
	s.LastUse = at
	f.subscriptions[id] = s
	f.uses++
	return nil
}

func (f *fakeStore) Topics() []storage.Topic {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []storage.Topic
	for _, t := range f.topics {
		all = append(all, t)
	}
	return all
}

func (f *fakeStore) Subscriptions() []storage.Subscription {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []storage.Subscription
	for _, s := range f.subscriptions {
		all = append(all, s)
	}
	return all
}

func (f *fakeStore) CreateTopic(_ context.Context, t storage.Topic) (storage.Topic, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, other := range f.topics {
		if other.Name == t.Name {
			return t, storage.ErrExists
		}
	}
	if f.full {
		return t, storage.ErrNoSpace
	}
	f.lastID++
	t.ID, t.State, t.CreatedAt = storage.TopicID(f.lastID), storage.Active, time.Now()
	f.topics[t.ID] = t
	for p := range t.Partitions {
		f.partitions[storage.PartitionID{Topic: t.ID, Partition: p}] = &fakePartition{wakes: map[int]chan<- struct{}{}}
	}
	return t, nil
}

func (f *fakeStore) UpdateTopic(_ context.Context, t storage.Topic) (storage.Topic, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	old, ok := f.topics[t.ID]
	if !ok {
		return t, storage.ErrNotFound
	}
	old.MinAge, old.KeepSettled, old.Definition = t.MinAge, t.KeepSettled, t.Definition
	f.topics[t.ID] = old
	return old, nil
}

func (f *fakeStore) DeleteTopic(_ context.Context, id storage.TopicID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.subscriptions {
		if s.Topic == id {
			return storage.ErrInUse
		}
	}
	if _, ok := f.topics[id]; !ok {
		return storage.ErrNotFound
	}
	delete(f.topics, id)
	return nil
}

func (f *fakeStore) CreateSubscription(_ context.Context, s storage.Subscription, start storage.Start) (storage.Subscription, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, other := range f.subscriptions {
		if other.Name == s.Name {
			return s, storage.ErrExists
		}
	}
	f.lastID++
	s.ID, s.State, s.CreatedAt = storage.SubscriptionID(f.lastID), storage.Active, time.Now()
	var cursors []storage.Cursor
	for p := range f.topics[s.Topic].Partitions {
		partition := f.partitions[storage.PartitionID{Topic: s.Topic, Partition: p}]
		floor := partition.next
		if start.Kind == storage.StartEarliest {
			floor = partition.first
		}
		if at, ok := start.Offsets[p]; ok {
			floor = at
		}
		if floor > partition.next {
			return s, storage.ErrNotFound
		}
		cursors = append(cursors, storage.Cursor{Partition: p, Generation: 1, Floor: floor})
	}
	f.subscriptions[s.ID], f.cursors[s.ID] = s, cursors
	return s, nil
}

func (f *fakeStore) UpdateSubscription(_ context.Context, s storage.Subscription) (storage.Subscription, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	old, ok := f.subscriptions[s.ID]
	if !ok {
		return s, storage.ErrNotFound
	}
	old.Definition = s.Definition
	f.subscriptions[s.ID] = old
	return old, nil
}

func (f *fakeStore) DeleteSubscription(_ context.Context, id storage.SubscriptionID) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.subscriptions[id]; !ok {
		return storage.ErrNotFound
	}
	delete(f.subscriptions, id)
	return nil
}

func (f *fakeStore) Cursors(_ context.Context, id storage.SubscriptionID) ([]storage.Cursor, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.damaged[id] {
		return nil, storage.ErrDataLoss
	}
	return slices.Clone(f.cursors[id]), nil
}

// Sessions: exactly once is tested over a real store.
func (*fakeStore) Sessions(context.Context, storage.SubscriptionID) ([]storage.StoredSession, error) {
	return nil, errors.ErrUnsupported
}

func (f *fakeStore) AcceptsPublishes() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.full
}

func (f *fakeStore) Failed() <-chan struct{} { return f.failed }

func (f *fakeStore) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Graves: what is given up is tested over a real store.

func (*fakeStore) DeadLetters(context.Context, storage.SubscriptionID, uint64) ([]storage.DeadLetter, error) {
	return nil, errors.ErrUnsupported
}

func (*fakeStore) FindDeadLetter(
	context.Context, storage.SubscriptionID, uint16, storage.Offset, int,
) (*storage.DeadLetter, bool, error) {
	return nil, false, errors.ErrUnsupported
}

func (*fakeStore) DiscardDeadLetters(context.Context, storage.SubscriptionID, []uint64) ([]storage.DeadLetterID, error) {
	return nil, errors.ErrUnsupported
}

func (*fakeStore) ParkedKeys(context.Context, storage.SubscriptionID, storage.ParkedKeyID) ([]storage.ParkedKey, error) {
	return nil, errors.ErrUnsupported
}

func (*fakeStore) Redrive(
	context.Context, storage.SubscriptionID, []uint64, func(*storage.DeadLetter) []byte,
) ([]storage.Redriven, error) {
	return nil, errors.ErrUnsupported
}
