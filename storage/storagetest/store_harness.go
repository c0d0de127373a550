package storagetest

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/shardlog"
)

// storeWait is how long a test waits for what must come.
const storeWait = 30 * time.Second

// StoreHome is a place where a store's records live: each call opens an engine over
// what is there. The engine before it is closed or has crashed.
type StoreHome func(tb testing.TB) storage.Engine

// MemoryHome is a place in memory.
func MemoryHome() StoreHome {
	disk := NewDisk()
	return func(tb testing.TB) storage.Engine {
		tb.Helper()
		m, err := OpenMemory(disk)
		if err != nil {
			tb.Fatalf("open the memory engine: %v", err)
		}
		return m
	}
}

// StoreHarness is a store under test. Its helpers fail the test; at the end of the
// test the store is closed and every chain in it walked.
type StoreHarness struct {
	*shardlog.Store
	Engine storage.Engine
	// Ticks makes the store's janitor look at what may be trimmed.
	Ticks chan time.Time
	// BeforeOpen, when not nil, is shown each engine before a store is opened on it.
	BeforeOpen func(storage.Engine)
	// Damaged: the test damaged the store, so that the walk at the end is void.
	Damaged bool

	t       testing.TB
	home    StoreHome
	options shardlog.Options
}

// NewStoreHarness opens a store. Retention runs on Ticks only.
func NewStoreHarness(tb testing.TB, home StoreHome, o shardlog.Options) *StoreHarness {
	tb.Helper()
	h := NewClosedHarness(tb, home, o)
	h.Open()
	return h
}

// NewClosedHarness is a store that is not open yet.
func NewClosedHarness(tb testing.TB, home StoreHome, o shardlog.Options) *StoreHarness {
	tb.Helper()
	h := &StoreHarness{t: tb, home: home, options: o, Ticks: make(chan time.Time)}
	h.options.RetentionTicks = h.Ticks
	if h.options.Logger == nil {
		h.options.Logger = slog.New(slog.DiscardHandler)
	}
	tb.Cleanup(h.finish)
	return h
}

// Open opens the store over what is there.
func (h *StoreHarness) Open() {
	h.t.Helper()
	if err := h.TryOpen(); err != nil {
		h.t.Fatalf("open the store: %v", err)
	}
}

// TryOpen opens the store and gives the error.
func (h *StoreHarness) TryOpen() (err error) {
	h.t.Helper()
	h.Engine = h.home(h.t)
	if h.BeforeOpen != nil {
		h.BeforeOpen(h.Engine)
	}
	h.Store, err = shardlog.Open(h.t.Context(), h.Engine, h.options)
	return err
}

// AcceptLoss has the next openings give up missing batches; without any, none.
func (h *StoreHarness) AcceptLoss(ranges ...shardlog.BatchRange) { h.options.AcceptLoss = ranges }

// Reopen stops the store in order and opens it again.
func (h *StoreHarness) Reopen() {
	h.t.Helper()
	h.Stop()
	h.Open()
}

// Stop stops the store in order.
func (h *StoreHarness) Stop() {
	h.t.Helper()
	if err := h.Close(); err != nil {
		h.t.Fatalf("close the store: %v", err)
	}
}

// Crash ends the store as a killed process would, as far as the engine can do that.
func (h *StoreHarness) Crash() {
	h.t.Helper()
	if m, ok := h.Engine.(*Memory); ok {
		m.Crash()
	} else if err := h.Engine.Close(); err != nil {
		h.t.Fatalf("close the engine: %v", err)
	}
	_ = h.Close() // It has failed: the engine is gone.
}

// finish closes the store and walks all chains.
func (h *StoreHarness) finish() {
	if h.Store != nil {
		counted := h.Metrics().SegmentsCounted
		_ = h.Close() // A test may have made it fail.
		h.check(counted)
	}
}

func (h *StoreHarness) check(counted bool) {
	if h.Damaged {
		return
	}
	engine := h.home(h.t)
	defer func() {
		if err := engine.Close(); err != nil {
			h.t.Errorf("close the engine: %v", err)
		}
	}()
	report, err := CheckStore(engine)
	if err != nil {
		h.t.Errorf("the store's chains do not hold: %v", err)
	}
	if counted && report.Orphans > 0 {
		h.t.Errorf("%d commit segments have no pointer", report.Orphans)
	}
}

// MustCreateTopic creates a topic.
func (h *StoreHarness) MustCreateTopic(name string, partitions uint16) storage.Topic {
	h.t.Helper()
	t, err := h.CreateTopic(h.t.Context(), storage.Topic{Name: name, Partitions: partitions})
	if err != nil {
		h.t.Fatalf("create topic %q: %v", name, err)
	}
	return t
}

// MustSubscribe creates a subscription.
func (h *StoreHarness) MustSubscribe(name string, topic storage.TopicID, start storage.Start) storage.Subscription {
	h.t.Helper()
	s, err := h.CreateSubscription(h.t.Context(), storage.Subscription{Name: name, Topic: topic}, start)
	if err != nil {
		h.t.Fatalf("create subscription %q: %v", name, err)
	}
	return s
}

// MustPublish publishes messages with the given bodies to a partition, as one, and
// gives the offset of the first.
func (h *StoreHarness) MustPublish(p storage.PartitionID, bodies ...string) storage.Offset {
	h.t.Helper()
	publish := &storage.Publish{Appends: []storage.Append{NewAppend(p, bodies...)}}
	if err := h.Publish(publish); err != nil {
		h.t.Fatalf("publish to %v: %v", p, err)
	}
	return publish.Appends[0].Base
}

// Publish puts a publish through a queue of its own, waits until it is done, and
// gives its outcome.
func (h *StoreHarness) Publish(p *storage.Publish) error {
	h.t.Helper()
	q := h.NewPublishQueue()
	defer q.Close()
	if !q.Put(p, nil) {
		return storage.ErrUnavailable
	}
	return h.Await(q).Err
}

// Await waits for the next publish of a queue.
func (h *StoreHarness) Await(q storage.PublishQueue) *storage.Publish {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), storeWait)
	defer cancel()
	for {
		if p := q.Done(); p != nil {
			return p
		}
		select {
		case <-q.Ready():
		case <-ctx.Done():
			h.t.Fatal("a publish is not completed")
		}
	}
}

// MustCommit commits a change set.
func (h *StoreHarness) MustCommit(c *storage.ChangeSet) {
	h.t.Helper()
	if err := h.Commit(c); err != nil {
		h.t.Fatalf("commit the state of subscription %d: %v", c.Subscription, err)
	}
}

// Commit puts a change set through a slot of its own and waits until it is done.
func (h *StoreHarness) Commit(c *storage.ChangeSet) error {
	h.t.Helper()
	slot := h.NewStateSlot(c.Subscription)
	defer slot.Close()
	slot.Submit(c)
	select {
	case <-slot.Ready():
	case <-time.After(storeWait):
		h.t.Fatal("a change set is not done")
	}
	_, err := slot.Done()
	return err
}

// Tick makes the janitor look at everything and returns when it has. Two ticks: it
// takes the second only when it is done with the first.
func (h *StoreHarness) Tick() {
	h.t.Helper()
	for range 2 {
		select {
		case h.Ticks <- time.Time{}:
		case <-h.Failed():
			h.t.Fatalf("the store failed: %v", h.Err())
		case <-time.After(storeWait):
			h.t.Fatal("the janitor takes no tick")
		}
	}
}

// Bodies reads everything that a partition retains and gives the bodies; holes give
// none.
func (h *StoreHarness) Bodies(p storage.PartitionID) []string {
	h.t.Helper()
	_, bodies := h.Retained(p)
	return bodies
}

// Retained gives the first retained offset of a partition and the bodies from it on.
// What is trimmed while it reads makes it begin again.
func (h *StoreHarness) Retained(p storage.PartitionID) (storage.Offset, []string) {
	h.t.Helper()
	first, found := h.Contents(p)
	var bodies []string
	for _, at := range slices.Sorted(maps.Keys(found)) {
		bodies = append(bodies, found[at])
	}
	return first, bodies
}

// Contents gives the first retained offset of a partition and the bodies from it on,
// by offset; those in holes have none.
func (h *StoreHarness) Contents(p storage.PartitionID) (storage.Offset, map[storage.Offset]string) {
	h.t.Helper()
	for before := h.mustStats(p); ; {
		bodies, err := h.bodies(p, before.First, before.Next)
		if err == nil {
			return before.First, bodies
		}
		now := h.mustStats(p)
		if !errors.Is(err, storage.ErrTrimmed) || now.First == before.First {
			h.t.Fatalf("read %v, which begins at %d: %v", p, now.First, err)
		}
		before = now
	}
}

func (h *StoreHarness) mustStats(p storage.PartitionID) storage.PartitionStats {
	h.t.Helper()
	stats, err := h.Stats(p)
	if err != nil {
		h.t.Fatalf("stats of %v: %v", p, err)
	}
	return stats
}

// bodies reads the bodies of the offsets [from, end).
func (h *StoreHarness) bodies(p storage.PartitionID, from, end storage.Offset) (map[storage.Offset]string, error) {
	bodies := map[storage.Offset]string{}
	for at := from; at < end; {
		piece, err := h.Read(h.t.Context(), p, at)
		if err != nil {
			return nil, err
		}
		if piece.Segment == nil {
			at = piece.Hole.End
			continue
		}
		for i, body := range BodiesOf(piece.Segment, at) {
			bodies[at+storage.Offset(i)] = body
		}
		at = piece.Segment.End()
		piece.Segment.Release()
	}
	return bodies, nil
}

// bodyTag is the tag of the field `messages`, as far as a store cares.
const bodyTag = 0x0a

// NewAppend makes an append of messages with the given bodies.
func NewAppend(p storage.PartitionID, bodies ...string) storage.Append {
	a := storage.Append{Partition: p}
	for _, body := range bodies {
		a.Messages = append(a.Messages, bodyTag)
		a.Messages = binary.AppendUvarint(a.Messages, uint64(len(body)))
		a.Messages = append(a.Messages, body...)
		a.Ends = append(a.Ends, uint32(len(a.Messages)))
	}
	return a
}

// BodiesOf gives the bodies in a segment from an offset on.
func BodiesOf(s *storage.Segment, from storage.Offset) []string {
	var bodies []string
	for at := from; at < s.End(); at++ {
		message := s.Range(at, at+1)
		_, n := binary.Uvarint(message[1:])
		bodies = append(bodies, string(message[1+n:]))
	}
	return bodies
}
