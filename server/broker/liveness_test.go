package broker

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

func TestIdleSessionHearsWhyNothingComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(nil)
		s.until("no messages", func() bool { return s.flow.Blocked&delivery.NoMessages != 0 })
		begin := time.Now()
		for i := range 6 {
			if err := s.Heartbeat(); err != nil {
				t.Fatal(err)
			}
			if err := s.step(); err != nil {
				t.Fatal(err)
			}
			if got, want := time.Since(begin), time.Duration(i+1)*HeartbeatInterval; got != want {
				t.Errorf("heartbeat %d after %v, want %v", i, got, want)
			}
		}
	})
}

func TestSilentSessionEndsAndIsCharged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(func(p *SubscribeParams) { p.Lease = time.Hour })
		r.publish("a")
		s.receive(1)
		begin := time.Now()
		if err := s.end(); !errors.Is(err, ErrSessionSilent) || time.Since(begin) != 3*HeartbeatInterval {
			t.Errorf("ended with %v after %v", err, time.Since(begin))
		}
		other := r.subscribe(nil)
		other.receive(1)
		if other.received[0].attempt != 2 {
			t.Errorf("came again as attempt %d", other.received[0].attempt)
		}
	})
}

// A session that does not read is stalled, then ended; another one gets everything
// meanwhile and what the first one held afterwards.
func TestSlowReaderHurtsItselfOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		slow := r.subscribe(func(p *SubscribeParams) { p.Window.Messages = 1 << 20 })
		slow.until("no messages", func() bool { return slow.flow.Blocked&delivery.NoMessages != 0 })
		body := strings.Repeat("x", 300_000)
		r.publish(body)
		synctest.Wait()
		if out, err := slow.Next(t.Context()); err != nil || out.Frame == nil {
			t.Fatalf("%+v, %v", out, err)
		} else {
			defer out.Frame.Release()
		}
		for range 5 {
			r.publish(body)
		}
		synctest.Wait()
		stats := r.stats()
		if stats.Sessions[0].Blocked&delivery.WriteStalled == 0 || stats.Sessions[0].Outstanding.Messages != maxQueuedFrames {
			t.Errorf("a session that does not read: %+v", stats.Sessions[0])
		}
		quick := r.subscribe(nil)
		begin := time.Now()
		quick.receive(2)
		if time.Since(begin) != 0 {
			t.Errorf("the other session waited %v", time.Since(begin))
		}
		rest := make(chan struct{})
		go func() {
			defer close(rest)
			for len(quick.received) < 6 && quick.step() == nil {
			}
		}()
		<-slow.Done()
		if !errors.Is(slow.Err(), ErrSlowReader) {
			t.Errorf("ended with %v", slow.Err())
		}
		<-rest
		for _, d := range quick.received[2:] {
			if d.attempt != 2 {
				t.Errorf("offset %d came again as attempt %d", d.offset, d.attempt)
			}
		}
	})
}

// Above the bound on all outbound queues sessions are stalled; below it they go on.
func TestOutboundMemoryStallsAllSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		r.Close()
		r.open(Config{OutboundMemoryBytes: 1000})
		one := r.subscribe(nil)
		r.publish(strings.Repeat("x", 2000))
		synctest.Wait()
		two := r.subscribe(nil)
		r.publish("small")
		synctest.Wait()
		for _, s := range r.stats().Sessions {
			if s.Blocked&delivery.WriteStalled == 0 {
				t.Errorf("session %s is not stalled: %+v", s.Session, s)
			}
		}
		ended := make(chan error, 2) // capacity: one each
		for _, s := range []*reader{one, two} {
			go func() { ended <- s.end() }()
		}
		synctest.Wait()
		if got := r.stats().Outstanding.Messages; got != 2 {
			t.Errorf("%d outstanding afterwards", got)
		}
		r.Close()
		for range 2 {
			if err := <-ended; !errors.Is(err, ErrDraining) {
				t.Errorf("ended with %v", err)
			}
		}
	})
}

// A receive loop waits while the loop cannot take letters; when it can, nothing is
// lost and nobody's lease has ended.
func TestFullMailboxLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(func(p *SubscribeParams) { p.Window.Messages = 1 << 20; p.Lease = 10 * time.Second })
		const n = 4 * mailboxLetters
		for i := range n {
			r.publish(strconv.Itoa(i))
		}
		s.receive(n)
		r.store.hold()
		done := make(chan struct{})
		go func() {
			defer close(done)
			for i := range uint64(n) {
				s.settle(i+1, i+1, Ack)
			}
		}()
		synctest.Wait()
		time.Sleep(8 * time.Second) //nolint:forbidigo // in a bubble
		r.store.release()
		<-done
		s.confirm()
		if len(s.result.Failures) != 0 || len(s.revoked) != 0 {
			t.Errorf("%d failures, revoked %+v", len(s.result.Failures), s.revoked)
		}
	})
}

// A thousand idle sessions cost their heartbeats, and publishing to others nothing.
func TestIdleSessionsAreCheap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		var sessions []*reader
		for range 1000 {
			sessions = append(sessions, r.subscribe(nil))
		}
		outputs := make(chan int, len(sessions)) // capacity: one answer each
		for _, s := range sessions {
			go func() {
				n := 0
				for s.step() == nil {
					n++
					if err := s.Heartbeat(); err != nil {
						break
					}
				}
				outputs <- n
			}()
		}
		time.Sleep(5 * time.Minute) //nolint:forbidigo // in a bubble
		r.Close()
		for range sessions {
			if n := <-outputs; n < 29 || n > 32 {
				t.Errorf("a session heard %d frames in 5 minutes of heartbeats each 10 s", n)
			}
		}
	})
}

// Without sessions a subscription watches nothing: publishing does not wake it.
func TestSubscriptionWithoutSessionsWatchesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 4, nil)
		if n := r.store.watching.Load(); n != 0 {
			t.Errorf("%d watches before any session", n)
		}
		s := r.subscribe(nil)
		if n := r.store.watching.Load(); n != 4 {
			t.Errorf("%d watches for 4 partitions", n)
		}
		s.Close(CloseClean)
		if err := s.end(); err == nil {
			t.Error("a closed session goes on")
		}
		if n := r.store.watching.Load(); n != 0 {
			t.Errorf("%d watches after the last session", n)
		}
		r.publishMany(3)
		if got := r.stats().Backlog.Messages; got != 3 {
			t.Errorf("backlog %d", got)
		}
	})
}
