package broker

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/server/broker/delivery"
)

func TestMessageIsDeliveredAndSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(nil)
		r.publish("a", "b")
		r.publish("c")
		s.receive(3)
		want := []received{{1, 0, 1, "a"}, {2, 1, 1, "b"}, {3, 2, 1, "c"}}
		if diff := cmp.Diff(want, s.received, cmp.AllowUnexported(received{})); diff != "" {
			t.Error(diff)
		}
		s.settle(1, 3, Ack)
		s.confirm()
		stats := r.stats()
		if stats.Backlog.Messages != 0 || stats.Acked != 3 || stats.Partitions[0].Floor != 3 {
			t.Errorf("after acking all: %+v", stats)
		}
	})
}

// A subscriber at the tail causes no read of the store.
func TestTailIsServedFromMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 3, nil)
		s := r.subscribe(nil)
		for i := range uint64(500) {
			r.publish("x", "y")
			s.receive(int(2*i) + 2)
			s.settle(2*i+1, 2*i+2, Ack)
		}
		s.confirm()
		if n := r.store.reads.Load(); n != 0 {
			t.Errorf("%d reads", n)
		}
	})
}

// What is not at the tail is read ahead by the fetcher, in order and once.
func TestBacklogIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		r.store.set(func(f *fakeStore) { f.tailless = true })
		big := strings.Repeat("x", 100_000)
		for i := range 40 {
			r.publish(strconv.Itoa(i), big)
		}
		s := r.subscribe(nil)
		s.receive(80)
		for i, d := range s.received {
			if want := []string{strconv.Itoa(i / 2), big}[i%2]; d.body != want || d.offset != uint64(i) {
				t.Fatalf("delivery %d is offset %d, %.10q", i, d.offset, d.body)
			}
		}
		s.settle(1, 80, Ack)
		s.confirm()
		if n := r.store.reads.Load(); n != 40 {
			t.Errorf("40 segments took %d reads", n)
		}
	})
}

// A frame's bytes stay until it is released, whatever becomes of its messages; after
// that they are poison.
func TestFrameKeepsItsSegments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(nil)
		r.publish("hello")
		out, err := s.Next(t.Context())
		for err == nil && out.Frame == nil {
			out, err = s.Next(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		s.settle(1, 1, Ack)
		s.confirm()
		s.Close(CloseGone)
		synctest.Wait()
		wire := out.Frame.Parts[0].Wire()
		if got := string(wire[2:]); got != "hello" {
			t.Errorf("a held frame reads %q", got)
		}
		out.Frame.Release()
		if wire[0] != poison {
			t.Error("the released segment was not given back")
		}
	})
}

func TestWindowBoundsWhatIsOutstanding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(func(p *SubscribeParams) { p.Window = Amount{Messages: 3, Bytes: 1 << 20} })
		r.publishMany(10)
		s.until("no credit", func() bool { return s.flow.Blocked&delivery.NoCreditMessages != 0 })
		if len(s.received) != 3 || s.flow.Outstanding.Messages != 3 {
			t.Fatalf("received %d in a window of 3, outstanding %+v", len(s.received), s.flow.Outstanding)
		}
		s.settle(1, 2, Ack)
		s.receive(5)
		if err := s.Window(Amount{Messages: 10, Bytes: 1 << 20}); err != nil {
			t.Fatal(err)
		}
		s.receive(10)
	})
}

func TestGrantIsCumulative(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(func(p *SubscribeParams) { p.Replenish = Manual })
		r.publishMany(10)
		s.until("no credit", func() bool { return s.flow.Blocked&delivery.NoCreditMessages != 0 })
		if len(s.received) != 0 {
			t.Errorf("received %d without a grant", len(s.received))
		}
		for _, through := range []uint64{4, 4, 7} {
			if err := s.Grant(through, 1<<20); err != nil {
				t.Fatal(err)
			}
			s.receive(int(through))
		}
		synctest.Wait()
		if len(s.received) != 7 {
			t.Errorf("received %d, granted through 7", len(s.received))
		}
	})
}

func TestFramesFitWhatTheClientAccepts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		const limit = 4096
		s := r.subscribe(func(p *SubscribeParams) { p.MaxFrameBytes = limit })
		if got := s.Limits().MaxFrameBytes; got != limit {
			t.Errorf("limits say %d", got)
		}
		for range 20 {
			r.publish(strings.Repeat("x", 1000))
		}
		r.publish(strings.Repeat("x", 5000))
		for len(s.received) < 20 {
			out, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if f := out.Frame; f != nil {
				if f.Bytes > limit-delivery.FrameBytes {
					t.Errorf("a frame of %d bytes of messages", f.Bytes)
				}
				s.frame(f)
			}
		}
		s.until("too large", func() bool { return s.flow.Blocked&delivery.MessageTooLarge != 0 })
	})
}

// Two sessions share what there is; a third that joins gets its part.
func TestSessionsShareTheMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		sessions := []*reader{r.subscribe(nil), r.subscribe(nil), r.subscribe(nil)}
		r.publish(slices.Repeat([]string{"x"}, 300)...)
		synctest.Wait()
		seen := map[uint64]int{}
		for i, s := range sessions {
			s.receive(50)
			synctest.Wait()
			for len(s.out.wake) > 0 || s.pending() {
				if err := s.step(); err != nil {
					t.Fatal(err)
				}
			}
			for _, d := range s.received {
				seen[d.offset]++
			}
			t.Logf("session %d received %d", i, len(s.received))
		}
		for offset, n := range seen {
			if n != 1 {
				t.Errorf("offset %d was delivered %d times", offset, n)
			}
		}
		if len(seen) != 300 {
			t.Errorf("%d of 300 were delivered", len(seen))
		}
	})
}

// pending says whether the session has something to read now.
func (r *reader) pending() bool {
	r.out.mu.Lock()
	defer r.out.mu.Unlock()
	s := &r.out.slots
	return len(r.out.frames) > 0 || s.hasResult || s.flow != nil || s.goAway != nil || len(s.revoked) > 0
}
