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
type discard struct{ failed chan struct{} }

func (discard) View(fn func(storage.Reader) error) error { return fn(nothing{}) }
func (discard) Commit(*storage.Batch) error              { return nil }
func (discard) Ledger() []storage.LedgerEntry            { return nil }
func (discard) Space() storage.Space                     { return storage.Space{FreeBytes: math.MaxUint64} }
func (d discard) Failed() <-chan struct{}                { return d.failed }
func (discard) Err() error                               { return nil }
func (discard) Close() error                             { return nil }

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
}

// newRound opens a store that keeps nothing.
func newRound(tb testing.TB, topics int) *round {
	tb.Helper()
	store, err := Open(tb.Context(), discard{make(chan struct{})}, Options{
		Logger: slog.New(slog.DiscardHandler), TailBytes: 256 << 10, RetentionTicks: make(chan time.Time),
	})
	if err != nil {
		tb.Fatal(err)
	}
	r := &round{queue: store.NewPublishQueue()}
	for i := range topics {
		topic, err := store.CreateTopic(tb.Context(), storage.Topic{Name: strconv.Itoa(i), Partitions: 1})
		if err != nil {
			tb.Fatal(err)
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
		r := newRound(t, topics)
		for range 400 {
			r.run()
		}
		if n := testing.AllocsPerRun(200, r.run); n > 5+float64(topics)/50 {
			t.Errorf("%d topics: %v allocations per commit", topics, n)
		}
	}
}

// BenchmarkCommit measures what the shard log itself costs, over an engine that does
// nothing.
func BenchmarkCommit(b *testing.B) {
	for _, topics := range []int{1, 10, 100, 1000} {
		b.Run(fmt.Sprintf("topics=%d", topics), func(b *testing.B) {
			r := newRound(b, topics)
			b.ReportAllocs()
			for b.Loop() {
				r.run()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*topics), "ns/message")
		})
	}
}
