package backup_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

const (
	loadPublishers = 3
	loadPartitions = 3
)

// load publishes to a store, acknowledges, creates and deletes, until it is stopped,
// and writes down what it was told.
type load struct {
	store *shardlog.Store
	topic storage.Topic
	quit  chan struct{}
	over  sync.Once
	users sync.WaitGroup

	mu sync.Mutex
	// acked are the bodies of acknowledged messages.
	acked [loadPartitions]map[storage.Offset]string
	errs  []error
}

// startLoad starts the load. The store trims by itself.
func startLoad(t *testing.T, engine storage.Engine) *load {
	t.Helper()
	s, err := shardlog.Open(t.Context(), engine, shardlog.Options{RetentionInterval: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	l := &load{store: s, quit: make(chan struct{})}
	for p := range l.acked {
		l.acked[p] = map[storage.Offset]string{}
	}
	if l.topic, err = s.CreateTopic(t.Context(), storage.Topic{Name: "orders", Partitions: loadPartitions}); err != nil {
		t.Fatal(err)
	}
	kept, err := s.CreateTopic(t.Context(), storage.Topic{Name: "kept", Partitions: 1, MinAge: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	sub, err := s.CreateSubscription(t.Context(), storage.Subscription{Name: "billing", Topic: l.topic.ID}, storage.Start{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(loadPublishers) {
		l.user(func(r *rand.Rand) error { return l.publish(r, i) }, i)
	}
	l.user(func(*rand.Rand) error { return l.fill(kept.ID) }, 10)
	l.user(func(r *rand.Rand) error { return l.settle(r, sub.ID) }, 11)
	l.user(func(*rand.Rand) error { return l.churn(t) }, 12)
	return l
}

// user runs a step again and again.
func (l *load) user(step func(*rand.Rand) error, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 7))
	l.users.Go(func() {
		for {
			select {
			case <-l.quit:
				return
			default:
			}
			if err := step(random); err != nil {
				l.mu.Lock()
				l.errs = append(l.errs, err)
				l.mu.Unlock()
				return
			}
		}
	})
}

// publish publishes to random partitions and waits for the results.
func (l *load) publish(random *rand.Rand, publisher uint64) error {
	p := storage.PartitionID{Topic: l.topic.ID, Partition: uint16(random.IntN(loadPartitions))}
	var bodies []string
	for range 1 + random.IntN(20) {
		bodies = append(bodies, fmt.Sprintf("%d-%d-%s", publisher, random.Uint64(), strings.Repeat("x", random.IntN(2000))))
	}
	base, err := l.put(storagetest.NewAppend(p, bodies...))
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, body := range bodies {
		l.acked[p.Partition][base+storage.Offset(i)] = body
	}
	return nil
}

// fill publishes to a topic that keeps everything.
func (l *load) fill(topic storage.TopicID) error {
	_, err := l.put(storagetest.NewAppend(storage.PartitionID{Topic: topic}, strings.Repeat("k", 1000)))
	return err
}

func (l *load) put(a storage.Append) (storage.Offset, error) {
	q := l.store.NewPublishQueue()
	defer q.Close()
	p := &storage.Publish{Appends: []storage.Append{a}}
	if !q.Put(p, nil) {
		return 0, storage.ErrUnavailable
	}
	for q.Done() == nil {
		<-q.Ready()
	}
	return p.Appends[0].Base, p.Err
}

// settle moves floors, and scatters acks past them.
func (l *load) settle(random *rand.Rand, id storage.SubscriptionID) error {
	c := &storage.ChangeSet{Subscription: id}
	cursors, err := l.store.Cursors(context.Background(), id)
	if err != nil {
		return err
	}
	for i, was := range cursors {
		head := l.store.Head(storage.PartitionID{Topic: l.topic.ID, Partition: uint16(i)})
		floor := max(was.Floor, head-min(head, storage.Offset(random.IntN(100))))
		change := storage.CursorChange{Partition: uint16(i), Floor: floor}
		if at := floor + 1; at < head && storage.ChunkOf(at) == storage.ChunkOf(floor) {
			change.Chunks = []storage.Chunk{{Index: storage.ChunkOf(at), Acked: []storage.OffsetRange{{First: at, End: at + 1}}}}
		}
		c.Cursors = append(c.Cursors, change)
	}
	slot := l.store.NewStateSlot(id)
	defer slot.Close()
	slot.Submit(c)
	<-slot.Ready()
	_, err = slot.Done()
	return err
}

// churn creates a topic with a message and a subscription, and deletes both.
func (l *load) churn(t *testing.T) error {
	t.Helper()
	topic, err := l.store.CreateTopic(context.Background(), storage.Topic{Name: "passing", Partitions: 2})
	if errors.Is(err, storage.ErrExists) {
		return nil // It is still being removed.
	}
	if err != nil {
		return err
	}
	sub, err := l.store.CreateSubscription(context.Background(), storage.Subscription{Name: "passing", Topic: topic.ID}, storage.Start{})
	if errors.Is(err, storage.ErrExists) {
		return l.store.DeleteTopic(context.Background(), topic.ID)
	}
	if err != nil {
		return err
	}
	_, putErr := l.put(storagetest.NewAppend(storage.PartitionID{Topic: topic.ID}, "passing"))
	return errors.Join(putErr, l.store.DeleteSubscription(context.Background(), sub.ID), l.store.DeleteTopic(context.Background(), topic.ID))
}

// enough has the users do no more, without waiting for them.
func (l *load) enough() { l.over.Do(func() { close(l.quit) }) }

// stop ends the load and closes the store.
func (l *load) stop(t *testing.T) {
	t.Helper()
	l.enough()
	l.users.Wait()
	if err := errors.Join(append(l.errs, l.store.Close())...); err != nil {
		t.Fatal(err)
	}
}
