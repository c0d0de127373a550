package server_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/servertest"
	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/storagetest"
)

// slowEngine is an engine on a disk that takes its time for each commit.
type slowEngine struct {
	storage.Engine

	commit time.Duration
}

func (e slowEngine) Commit(b *storage.Batch) error {
	time.Sleep(e.commit) //nolint:forbidigo // in a bubble
	return e.Engine.Commit(b)
}

// Rule 18: publishers that outrun the disk are held back by their windows, so that
// what is between receipt and result stays bounded, and nothing is lost.
func TestPublishersThatOutrunTheDiskAreHeldBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const (
			publishers             = 8
			messages, messageBytes = 2000, 16 << 10
			memoryBytes            = 4 << 20
			// What a publisher may have under way before it is told of a window, and
			// what is left of that when memory is short.
			firstBytes, leastBytes = 4 << 20, 256 << 10
		)
		home := storagetest.MemoryHome()
		s := startQuiet(t, servertest.Options{
			Broker: broker.Config{PublishMemoryBytes: memoryBytes},
			Home: func(tb testing.TB) storage.Engine {
				tb.Helper()
				return slowEngine{home(tb), 300 * time.Millisecond}
			},
		})
		s.CreateTopic("orders")
		var eager []*eagerPublisher
		for range publishers {
			p := &eagerPublisher{publishStub: openPublishForHours(t, s), messages: messages, size: messageBytes, done: make(chan struct{})}
			eager = append(eager, p)
			go p.run()
		}
		peak, lastPeak := int64(0), int64(0)
		for range 600 { // A minute, looked at often.
			time.Sleep(100 * time.Millisecond) //nolint:forbidigo // in a bubble
			now := s.Broker.PublishingBytes()
			peak = max(peak, now)
			if stored := eager[0].results.Load(); stored > messages/2 && stored < messages {
				lastPeak = max(lastPeak, now)
			}
		}
		for _, p := range eager {
			<-p.done
			if n := p.results.Load(); n != messages {
				t.Errorf("%d results for %d messages", n, messages)
			}
		}
		t.Logf("at most %d KiB at first, %d KiB later, of %d publishers", peak>>10, lastPeak>>10, publishers)
		if peak > publishers*firstBytes {
			t.Errorf("%d bytes are under way, the windows allow %d", peak, publishers*firstBytes)
		}
		if lastPeak > memoryBytes+publishers*leastBytes {
			t.Errorf("%d bytes are under way when the windows have shrunk", lastPeak)
		}
		stats, err := s.Topics.GetTopicStats(t.Context(), &headracev1.GetTopicStatsRequest{Topic: "orders"})
		if err != nil || stats.GetStats().GetPartitions()[0].GetNextOffset() != publishers*messages {
			t.Errorf("stored: %v, %v", stats, err)
		}
	})
}

// eagerPublisher sends as much as its window lets it.
type eagerPublisher struct {
	*publishStub

	messages, size int
	// results counts those that came; done is closed when all did, or run gave up.
	results atomic.Int64
	done    chan struct{}
}

func (p *eagerPublisher) run() {
	defer close(p.done)
	bytes := uint64(0)
	for sent := 0; sent < p.messages; {
		m := &headracev1.Message{Data: make([]byte, p.size)}
		if uint64(sent) >= p.window.GetThroughMessages() || bytes+uint64(proto.Size(m)) > p.window.GetThroughBytes() {
			p.hear()
			continue
		}
		sent++
		bytes += uint64(proto.Size(m))
		p.send(batch("orders", uint64(sent), m))
	}
	for p.results.Load() < int64(p.messages) {
		p.hear()
	}
	p.finish()
}

// hear takes one answer in.
func (p *eagerPublisher) hear() {
	if r := p.next().GetPublishResult(); r != nil {
		if len(r.GetFailures()) > 0 {
			p.t.Errorf("a result with failures: %v", r)
		}
		p.results.Store(int64(r.GetThroughSequence()))
	}
}

// openPublishForHours opens a publish stream without the deadline that other tests'
// streams have.
func openPublishForHours(t *testing.T, s *servertest.Server) *publishStub {
	t.Helper()
	stream, err := s.Publisher.PublishStream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := &publishStub{t: t, stream: stream, window: &headracev1.PublishStreamResponse_PublishWindow{
		ThroughMessages: 1000, ThroughBytes: 4 << 20, // Until a window is told.
	}}
	p.send(publishOpen())
	p.opened = p.next().GetOpened()
	return p
}
