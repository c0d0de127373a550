package shardlog

import (
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/headrace/headrace/internal/testscale"
	"github.com/headrace/headrace/storage"
)

// discard is an engine that keeps nothing.
type discard struct {
	failed chan struct{}
	// written is what was committed.
	written *written
}

// written counts what is committed.
type written struct{ batches, records, bytes int }

func newDiscard() discard { return discard{make(chan struct{}), &written{}} }

func (discard) View(fn func(storage.Reader) error) error { return fn(nothing{}) }
func (d discard) Commit(b *storage.Batch) error {
	d.written.batches++
	d.written.records += len(b.Ops)
	for i := range b.Ops {
		d.written.bytes += len(b.Ops[i].Key) + len(b.Ops[i].Value)
	}
	return nil
}
func (discard) Ledger() []storage.LedgerEntry { return nil }
func (discard) Space() storage.Space          { return storage.Space{FreeBytes: math.MaxUint64} }
func (d discard) Failed() <-chan struct{}     { return d.failed }
func (discard) Err() error                    { return nil }
func (discard) Close() error                  { return nil }

// nothing reads an empty store.
type nothing struct{}

func (nothing) Get([]byte, func([]byte) error) error { return storage.ErrNotFound }

func (nothing) Ascend(_, _ []byte, _ func([]byte, storage.Value) (bool, error)) error { return nil }

func (nothing) Descend(_, _ []byte, _ func([]byte, storage.Value) (bool, error)) error { return nil }

// round publishes one message to each of a number of topics, as one publish, and
// waits for it.
type round struct {
	queue   storage.PublishQueue
	publish storage.Publish
	written *written
}

// newRound opens a store that keeps nothing, with some topics that get nothing besides.
func newRound(tb testing.TB, topics, idle int) *round {
	tb.Helper()
	engine := newDiscard()
	store, err := Open(tb.Context(), engine, Options{
		Logger: slog.New(slog.DiscardHandler), TailBytes: 256 << 10, RetentionTicks: make(chan time.Time),
	})
	if err != nil {
		tb.Fatal(err)
	}
	r := &round{queue: store.NewPublishQueue(), written: engine.written}
	for i := range topics + idle {
		topic, err := store.CreateTopic(tb.Context(), storage.Topic{Name: strconv.Itoa(i), Partitions: 1})
		if err != nil {
			tb.Fatal(err)
		}
		if i >= topics {
			continue
		}
		r.publish.Appends = append(r.publish.Appends, storage.Append{
			Partition: storage.PartitionID{Topic: topic.ID},
			Messages:  make([]byte, 100), Ends: []uint32{100},
		})
	}
	tb.Cleanup(func() {
		if err := store.Close(); err != nil {
			tb.Error(err)
		}
	})
	return r
}

func (r *round) run() {
	r.queue.Put(&r.publish, nil)
	for r.queue.Done() == nil {
		<-r.queue.Ready()
	}
}

// TestACommitReusesItsMemory: in steady state nothing is allocated per message, and
// next to nothing per commit.
func TestACommitReusesItsMemory(t *testing.T) {
	for _, topics := range []int{1, testscale.Sizes{Full: 1000, Ordinary: 1000, Race: 100}.Now()} {
		r := newRound(t, topics, 0)
		for range 400 {
			r.run()
		}
		if n := testing.AllocsPerRun(200, r.run); n > 5+float64(topics)/50 {
			t.Errorf("%d topics: %v allocations per commit", topics, n)
		}
	}
}

// TestIdleTopicsCostACommitNothing: neither records nor bytes nor memory.
func TestIdleTopicsCostACommitNothing(t *testing.T) {
	const topics, rounds = 10, 50
	idle := testscale.Sizes{Full: 10_000, Ordinary: 10_000, Race: 500}.Now()
	var costs [2]written
	var allocations [2]float64
	for i, idle := range []int{0, idle} {
		r := newRound(t, topics, idle)
		r.run()
		before := *r.written
		for range rounds {
			r.run()
		}
		now := *r.written
		costs[i] = written{now.batches - before.batches, now.records - before.records, now.bytes - before.bytes}
		allocations[i] = testing.AllocsPerRun(200, r.run)
	}
	if costs[0] != costs[1] || costs[0].batches != rounds || allocations[1] > allocations[0]+1 {
		t.Errorf("without idle topics %+v and %v allocations a commit, with %d %+v and %v",
			costs[0], allocations[0], idle, costs[1], allocations[1])
	}
}

// BenchmarkCommit measures what the shard log itself costs, over an engine that does
// nothing.
func BenchmarkCommit(b *testing.B) {
	for _, topics := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprintf("topics=%d", topics), func(b *testing.B) {
			r := newRound(b, topics, 0)
			b.ReportAllocs()
			for b.Loop() {
				r.run()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*topics), "ns/message")
		})
	}
}
