package broker

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

// newRealRoom makes a broker over the store itself, on the memory engine, with the
// topic orders and the subscription billing.
func newRealRoom(tb testing.TB, partitions int) (*Broker, *storagetest.StoreHarness) {
	tb.Helper()
	quiet := slog.New(slog.DiscardHandler)
	store := storagetest.NewStoreHarness(tb, storagetest.MemoryHome(), shardlog.Options{
		Logger: quiet, HoleAge: 1, HoleInterval: 1, // Holes come at once.
	})
	b, err := New(store, Config{Logger: quiet})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(b.Close)
	topic := b.NewTopicConfig(ordersTopic)
	topic.Partitions = partitions
	if _, err := b.CreateTopic(tb.Context(), topic); err != nil {
		tb.Fatal(err)
	}
	if _, err := b.CreateSubscription(tb.Context(), unordered(billingSub, ordersTopic), storage.Start{}); err != nil {
		tb.Fatal(err)
	}
	return b, store
}

// flow moves n messages from a publisher to a session that acks all, in batches of
// perBatch, and returns when the last ack is confirmed.
type flow struct {
	tb       testing.TB
	broker   *Broker
	n        uint64
	perBatch int
	size     int
}

func (f *flow) run() {
	var clients sync.WaitGroup
	clients.Go(f.publish)
	clients.Go(f.consume)
	clients.Wait()
}

// publish is a client that keeps to its window, with both loops of its stream.
func (f *flow) publish() {
	p, err := f.broker.OpenPublisher("bench")
	if err != nil {
		f.tb.Error(err)
		return
	}
	defer p.Close()
	windows := make(chan PublishWindow, 1) // capacity 1: the newest counts
	var loops sync.WaitGroup
	loops.Go(func() { f.sendBatches(p, windows) })
	for done := uint64(0); done < f.n; {
		out, err := p.Next(context.Background())
		if err != nil {
			f.tb.Error(err)
			break
		}
		for _, b := range out.Completed {
			if b.Err != nil {
				f.tb.Error(b.Err)
			}
			done += b.Sent.Messages
			p.ResultsWritten(b.Sent)
			b.Release()
		}
		if out.Window != nil {
			select {
			case <-windows:
			default:
			}
			windows <- *out.Window
		}
	}
	loops.Wait()
}

func (f *flow) sendBatches(p *Publisher, windows <-chan PublishWindow) {
	topic, err := p.Topic(string(ordersTopic))
	if err != nil {
		f.tb.Error(err)
		return
	}
	window := PublishWindow{Messages: firstWindowMessages, Bytes: firstWindowBytes}
	body := string(make([]byte, f.size))
	for sent := uint64(0); sent < f.n; {
		n := min(uint64(f.perBatch), f.n-sent)
		for sent+n > window.Messages || (sent+n)*uint64(f.size) > window.Bytes {
			window = <-windows
		}
		b := NewPublishBatch()
		b.Topic = topic
		for range n {
			b.add(body, "")
		}
		if err := p.Publish(context.Background(), b); err != nil {
			f.tb.Error(err)
			return
		}
		sent += n
	}
}

// consume acks each frame as it comes.
func (f *flow) consume() {
	s, err := f.broker.Subscribe(context.Background(), SubscribeParams{
		Subscription: billingSub, Window: Amount{Messages: 10_000, Bytes: 64 << 20},
	})
	if err != nil {
		f.tb.Error(err)
		return
	}
	defer s.Close(CloseGone)
	settles, received := uint64(0), uint64(0)
	for confirmed := uint64(0); received < f.n || confirmed < settles; {
		out, err := s.Next(context.Background())
		if err != nil {
			f.tb.Errorf("after %d of %d: %v", received, f.n, err)
			return
		}
		switch {
		case out.Frame != nil:
			first, last := out.Frame.FirstSequence, out.Frame.FirstSequence+uint64(out.Frame.Messages)-1
			received += uint64(out.Frame.Messages)
			out.Frame.Release()
			settles++
			if err := s.Settle(Settle{Number: settles, Ranges: []SequenceRange{{First: first, Last: last}}, Verdict: Ack, Delay: -1}); err != nil {
				f.tb.Error(err)
				return
			}
		case out.SettleResult != nil:
			confirmed = out.SettleResult.ConfirmedThrough
		}
	}
}

// The whole path with the store itself: every message in, pushed out, acked, and
// nothing read from the engine by the subscriber at the tail.
func TestHundredThousandMessagesFlow(t *testing.T) {
	b, store := newRealRoom(t, 1)
	f := &flow{tb: t, broker: b, n: 100_000, perBatch: 64, size: 100}
	f.run()
	stats, err := b.SubscriptionStats(t.Context(), billingSub)
	if err != nil {
		t.Fatal(err)
	}
	if stats.Backlog != (Amount{}) || stats.Acked != f.n || stats.Delivered != f.n || stats.Redelivered != 0 {
		t.Errorf("%+v", stats)
	}
	if m := store.Metrics(); m.DiskReads+m.CacheHits != 0 {
		t.Errorf("the subscriber at the tail caused %d reads", m.DiskReads+m.CacheHits)
	}
}

// A backlog that is no longer in memory comes from the engine, whole and once.
func TestBacklogFlowsFromTheStore(t *testing.T) {
	for _, partitions := range []int{1, 7} {
		b, store := newRealRoom(t, partitions)
		(&flow{tb: t, broker: b, n: 5000, perBatch: 50, size: 100}).publish()
		b.Close()
		store.Reopen()
		b, err := New(store, Config{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.Close)
		(&flow{tb: t, broker: b, n: 5000}).consume()
		stats, err := b.SubscriptionStats(t.Context(), billingSub)
		if err != nil || stats.Acked != 5000 || stats.Backlog.Messages != 0 {
			t.Errorf("%d partitions: %+v, %v", partitions, stats, err)
		}
		b.Close()
	}
}

// One message is forgotten, everything behind it is acked and becomes a hole: after a
// restart the forgotten one is delivered and nothing else, to the subscription and to
// one that begins with it, and the backlog is one message.
func TestTheForgottenMessageIsDeliveredInFrontOfAHole(t *testing.T) {
	b, store := newRealRoom(t, 1)
	(&flow{tb: t, broker: b, n: 1, perBatch: 1, size: 100}).publish()
	(&flow{tb: t, broker: b, n: 2999, perBatch: 50, size: 100}).publish()
	b.Close()
	acked := storage.Chunk{Acked: []storage.OffsetRange{{First: 1, End: 3000}}}
	store.MustCommit(&storage.ChangeSet{
		Subscription: store.Subscriptions()[0].ID,
		Cursors:      []storage.CursorChange{{Chunks: []storage.Chunk{acked}}},
	})
	topic := store.Topics()[0]
	topic.MinAge = 0
	if _, err := store.UpdateTopic(t.Context(), topic); err != nil {
		t.Fatal(err)
	}
	store.Tick()
	store.Reopen()
	b, err := New(store, Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	late := NewSubscriptionConfig("default/late", ordersTopic)
	if _, err := b.CreateSubscription(t.Context(), late, storage.Start{Kind: storage.StartEarliest}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []Name{billingSub, "default/late"} {
		stats, err := b.SubscriptionStats(t.Context(), name)
		if err != nil || stats.Backlog.Messages != 1 {
			t.Errorf("%s: backlog %+v, %v", name, stats.Backlog, err)
		}
	}
	f := &flow{tb: t, broker: b, n: 1, perBatch: 1, size: 100}
	f.consume()
	f.publish()
	f.consume()
	stats, err := b.SubscriptionStats(t.Context(), billingSub)
	if err != nil || stats.Delivered != 2 || stats.Backlog.Messages != 0 {
		t.Errorf("%+v, %v", stats, err)
	}
}

// BenchmarkFlow is the whole path in one process: clients that do nothing else, the
// broker, and the store on the memory engine.
func BenchmarkFlow(b *testing.B) {
	for _, c := range []struct{ partitions, perBatch, size int }{
		{1, 1, 100}, {1, 1, 1024}, {1, 64, 100}, {1, 64, 1024}, {256, 1, 100}, {256, 64, 100},
	} {
		b.Run(fmt.Sprintf("partitions=%d/batch=%d/size=%d", c.partitions, c.perBatch, c.size), func(b *testing.B) {
			broker, _ := newRealRoom(b, c.partitions)
			b.SetBytes(int64(c.size))
			b.ReportAllocs()
			b.ResetTimer()
			(&flow{tb: b, broker: broker, n: uint64(b.N), perBatch: c.perBatch, size: c.size}).run()
		})
	}
}
