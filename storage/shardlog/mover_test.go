package shardlog_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

// movingStore moves what is left of mostly dead segments at the next ticks, and keeps
// nothing in memory. Large messages of one topic are needed by nobody, small ones of
// another by a subscription.
type movingStore struct {
	*storagetest.StoreHarness
	large, small storage.PartitionID
	sub          storage.Subscription
	want         []string
}

func newMovingStore(t *testing.T, o shardlog.Options) *movingStore {
	t.Helper()
	o.TailBytes, o.TailPartitionBytes, o.CacheBytes = 1, 1, 1
	o.HoleAge, o.HoleInterval, o.MoveAge = 1, 1, 1
	h := storagetest.NewStoreHarness(t, storagetest.MemoryHome(), o)
	m := &movingStore{StoreHarness: h}
	m.large = storage.PartitionID{Topic: h.MustCreateTopic("large", 1).ID}
	m.small = storage.PartitionID{Topic: h.MustCreateTopic("small", 1).ID}
	m.sub = h.MustSubscribe("billing", m.small.Topic, storage.Start{})
	m.counted()
	return m
}

// counted waits until older segments are counted.
func (m *movingStore) counted() {
	for !m.Metrics().SegmentsCounted {
		m.Tick()
	}
}

// publish makes a segment of a small message behind a large one.
func (m *movingStore) publish(t *testing.T, body string) {
	t.Helper()
	publish := &storage.Publish{Appends: []storage.Append{
		storagetest.NewAppend(m.large, strings.Repeat("x", 1000)), storagetest.NewAppend(m.small, body),
	}}
	if err := m.Publish(publish); err != nil {
		t.Fatal(err)
	}
	m.want = append(m.want, body)
}

func (m *movingStore) wantSmall(t *testing.T) {
	t.Helper()
	if got := m.Bodies(m.small); !slices.Equal(got, m.want) {
		t.Errorf("retained %q, expected %q", got, m.want)
	}
}

func (m *movingStore) settle(t *testing.T, floor storage.Offset) {
	t.Helper()
	m.MustCommit(&storage.ChangeSet{Subscription: m.sub.ID, Cursors: []storage.CursorChange{{Floor: floor}}})
	m.want = m.want[floor-m.mustFirst(t):]
	m.Tick()
}

func (m *movingStore) mustFirst(t *testing.T) storage.Offset {
	t.Helper()
	stats, err := m.Stats(m.small)
	if err != nil {
		t.Fatal(err)
	}
	return stats.First
}

func TestSurvivorsOfMostlyDeadSegmentsAreMoved(t *testing.T) {
	m := newMovingStore(t, shardlog.Options{})
	for _, body := range []string{"a", "b", "c"} {
		m.publish(t, body)
	}
	m.Tick()
	m.Tick()
	if got := m.Metrics(); got.MovedSegments != 3 || got.MovedBytes != 9 {
		t.Errorf("%d segments moved, %d bytes", got.MovedSegments, got.MovedBytes)
	}
	for _, again := range []func(){func() {}, m.Reopen, func() { m.Crash(); m.Open() }} {
		again()
		m.counted()
		if r := reportOf(t, m.StoreHarness); r.Segments != 3 || r.Orphans != 0 {
			t.Errorf("%d segments, %d without a pointer", r.Segments, r.Orphans)
		}
		m.wantSmall(t)
	}
	// A moved pointer is trimmed with its new segment, a hole takes it too.
	m.settle(t, 1)
	m.wantSmall(t)
	ackRange(m.StoreHarness, m.sub, 1, 2, 3)
	m.Tick()
	if r := reportOf(t, m.StoreHarness); r.Segments != 1 || r.Holes != 1 {
		t.Errorf("left: %+v", r)
	}
	m.settle(t, 3)
	if r := reportOf(t, m.StoreHarness); r.Segments != 0 || r.Pointers != 0 {
		t.Errorf("left: %+v", r)
	}
}

// TestWhatIsLeftIsMovedAfterAnOpening: what died before it is known by the pointers.
func TestWhatIsLeftIsMovedAfterAnOpening(t *testing.T) {
	clock := newFakeClock()
	m := newMovingStore(t, shardlog.Options{Clock: clock.Now})
	m.publish(t, "a")
	// The large one goes; while the clock stands nothing is moved.
	m.Tick()
	m.Crash()
	m.Open()
	m.counted()
	m.Tick()
	clock.advance(1e9)
	m.Tick()
	if got := m.Metrics().MovedSegments; got != 1 {
		t.Errorf("%d segments moved", got)
	}
	m.wantSmall(t)
	m.settle(t, 1)
	if r := reportOf(t, m.StoreHarness); r.Segments != 0 {
		t.Errorf("left: %+v", r)
	}
}

func TestSegmentsThatAreLargelyAliveStay(t *testing.T) {
	m := newMovingStore(t, shardlog.Options{})
	m.publish(t, strings.Repeat("y", 400))
	m.Tick()
	m.Tick()
	if got := m.Metrics(); got.MovedSegments != 0 || got.TrimmedMessages != 1 {
		t.Errorf("%d segments moved, %d messages trimmed", got.MovedSegments, got.TrimmedMessages)
	}
}

func TestMovingKeepsToItsBytesPerSecond(t *testing.T) {
	clock := newFakeClock()
	m := newMovingStore(t, shardlog.Options{Clock: clock.Now, MoveBytesPerSecond: 1000})
	for _, body := range []string{"a", "b", "c", "d"} {
		m.publish(t, body)
	}
	m.Tick()
	for moved := range uint64(4) {
		clock.advance(1e9)
		m.Tick()
		if got := m.Metrics().MovedSegments; got != moved+1 {
			t.Errorf("after %d seconds: %d segments moved", moved+1, got)
		}
	}
	m.wantSmall(t)
}

// TestACrashAroundAMoveLosesNothing fails the commit of the move, and those around
// it, applied or not.
func TestACrashAroundAMoveLosesNothing(t *testing.T) {
	for failing := range uint64(4) {
		for _, applied := range []bool{false, true} {
			m := newMovingStore(t, shardlog.Options{})
			m.publish(t, "a")
			m.publish(t, "b")
			memoryOf(m.StoreHarness).FailBatch(next(m.StoreHarness)+failing, storagetest.Fault{Err: storage.ErrUnknown, Applied: applied})
			for range 3 {
				select {
				case m.Ticks <- time.Time{}:
				case <-m.Failed():
				}
			}
			m.Crash()
			m.Open()
			m.counted()
			m.wantSmall(t)
			m.Tick()
			m.Tick()
			m.wantSmall(t)
			if r := reportOf(t, m.StoreHarness); r.Segments != 2 {
				t.Errorf("batch %d fails, applied %v: left %+v", failing, applied, r)
			}
			m.settle(t, 2)
			if r := reportOf(t, m.StoreHarness); r.Segments != 0 {
				t.Errorf("batch %d fails, applied %v: left %+v", failing, applied, r)
			}
		}
	}
}

// TestAReaderFollowsWhatIsMoved reads everything again and again while it is moved.
func TestAReaderFollowsWhatIsMoved(t *testing.T) {
	m := newMovingStore(t, shardlog.Options{})
	for range 200 {
		m.publish(t, "message")
	}
	var readers sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for at := storage.Offset(0); ; at = (at + 1) % 200 {
				select {
				case <-stop:
					return
				default:
				}
				piece, err := m.Read(t.Context(), m.small, at)
				if err != nil {
					t.Errorf("offset %d: %v", at, err)
					return
				}
				piece.Segment.Release()
			}
		})
	}
	for m.Metrics().MovedSegments < 200 && !t.Failed() {
		m.Tick()
	}
	close(stop)
	readers.Wait()
	m.wantSmall(t)
}

// TestAMovedPointerIsTrimmedWithItsNewSegment: what is remembered of its old one is
// void.
func TestAMovedPointerIsTrimmedWithItsNewSegment(t *testing.T) {
	m := newMovingStore(t, shardlog.Options{})
	m.publish(t, "a")
	m.Tick()
	m.Tick()
	m.settle(t, 1)
	if r := reportOf(t, m.StoreHarness); m.Metrics().MovedSegments != 1 || r.Segments != 0 || r.Pointers != 0 {
		t.Errorf("left: %+v", r)
	}
}
