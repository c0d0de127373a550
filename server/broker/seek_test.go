package broker

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/storagetest"
)

// newSeekRoom makes a room over the store itself, with three messages.
func newSeekRoom(t *testing.T) (*room, *storagetest.StoreHarness) {
	t.Helper()
	b, store := newRealRoom(t, 2)
	r := &room{Broker: b, t: t}
	r.publish("a", "b", "c")
	return r, store
}

// toStart and toEnd are targets.
var (
	toStart = storage.Target{Start: storage.Start{Kind: storage.StartEarliest}}
	toEnd   = storage.Target{}
)

func (r *room) seek(to storage.Target) storage.Seeked {
	r.t.Helper()
	done, err := r.Seek(r.t.Context(), billingSub, to)
	if err != nil {
		r.t.Fatal(err)
	}
	return done
}

// bodies are those of the deliveries from the n-th on.
func (r *reader) bodies(n int) (all []string) {
	for _, d := range r.received[n:] {
		all = append(all, d.body)
	}
	return all
}

func TestASeekBackDeliversAgainInTheSameSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := newSeekRoom(t)
		s := r.subscribe(nil)
		s.receive(3)
		s.settle(1, 2, Ack)
		s.confirm()
		if done := r.seek(toStart); done != (storage.Seeked{Generation: 2, Unsettled: 2}) {
			t.Errorf("%+v", done)
		}
		s.receive(6)
		want := []received{{4, 0, 1, "a"}, {5, 1, 1, "b"}, {6, 2, 1, "c"}}
		if !slices.Equal(s.received[3:], want) {
			t.Errorf("received %+v", s.received[3:])
		}
		s.settle(3, 3, Ack) // The delivery of the generation before.
		s.settle(4, 6, Ack)
		s.confirm()
		if len(s.result.Failures) != 1 || s.result.Failures[0].Reason != delivery.Stale {
			t.Errorf("failures %+v", s.result.Failures)
		}
		if len(s.revoked) != 1 || s.revoked[0].Reason != delivery.Sought || s.revoked[0].Ranges[0] != (SequenceRange{First: 3, Last: 3}) {
			t.Errorf("revoked %+v", s.revoked)
		}
		stats, view := r.stats(), r.view()
		if stats.Backlog.Messages != 0 || stats.Acked != 5 || stats.Expired+stats.Retried != 0 || view.Generation != 2 {
			t.Errorf("%+v, %+v", stats, view)
		}
	})
}

func (r *room) view() Subscription {
	r.t.Helper()
	s, err := r.Subscription(billingSub)
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

func TestASeekForwardSettlesWhatIsSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := newSeekRoom(t)
		s := r.subscribe(nil)
		s.receive(3)
		if done := r.seek(toEnd); done != (storage.Seeked{Generation: 2, Settled: 3}) {
			t.Errorf("%+v", done)
		}
		r.publish("d")
		s.receive(4)
		if got := s.bodies(3); !slices.Equal(got, []string{"d"}) {
			t.Errorf("received %v", got)
		}
		if stats := r.stats(); stats.Backlog.Messages != 1 || stats.Outstanding.Messages != 1 {
			t.Errorf("%+v", stats)
		}
	})
}

// A settle that was read before the seek is committed before it, and confirmed.
func TestASeekWaitsForTheSettlesInFrontOfIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, store := newSeekRoom(t)
		s := r.subscribe(nil)
		s.receive(3)
		_, release := store.Engine.(*storagetest.Memory).Block()
		s.settle(1, 2, Ack)
		synctest.Wait()
		s.settle(3, 3, Retry)
		done := make(chan storage.Seeked)
		go func() { done <- r.seek(toStart) }()
		synctest.Wait()
		release()
		if got := <-done; got.Unsettled != 2 {
			t.Errorf("%+v", got)
		}
		s.confirm()
		if len(s.result.Failures) != 0 {
			t.Errorf("failures %+v", s.result.Failures)
		}
		s.receive(6) // The retried one, too: at once, at its first attempt.
		if got := s.received[3:]; got[2].attempt != 1 {
			t.Errorf("received %+v", got)
		}
	})
}

// A settle that comes while a seek is under way is stale, and nothing of it applies.
func TestASettleThatMeetsASeekIsStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, store := newSeekRoom(t)
		s := r.subscribe(nil)
		s.receive(3)
		_, release := store.Engine.(*storagetest.Memory).Block()
		done := make(chan storage.Seeked)
		go func() { done <- r.seek(toStart) }()
		synctest.Wait() // The seek is in the committer.
		s.settle(1, 3, Ack)
		synctest.Wait()
		release()
		<-done
		s.confirm()
		if len(s.result.Failures) != 1 || s.result.Failures[0].Range != (SequenceRange{First: 1, Last: 3}) {
			t.Errorf("failures %+v", s.result.Failures)
		}
		s.receive(6)
		if stats := r.stats(); stats.Acked != 0 || stats.Backlog.Messages != 3 {
			t.Errorf("%+v", stats)
		}
	})
}

// A lease that ends while a seek is under way charges nobody.
func TestALeaseThatEndsDuringASeekIsOfTheGenerationBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, store := newSeekRoom(t)
		s := r.subscribe(func(p *SubscribeParams) { p.Lease = 2 * time.Second })
		s.receive(3)
		_, release := store.Engine.(*storagetest.Memory).Block()
		done := make(chan storage.Seeked)
		go func() { done <- r.seek(toStart) }()
		synctest.Wait()
		time.Sleep(3 * time.Second) //nolint:forbidigo // the bubble has its own clock
		synctest.Wait()
		release()
		<-done
		s.receive(6)
		for _, d := range s.received[3:] {
			if d.attempt != 1 {
				t.Errorf("%+v", d)
			}
		}
		s.settle(s.received[3].sequence, s.received[5].sequence, Ack)
		s.confirm()
	})
}

func TestASeekThatIsGivenUpLeavesEverythingAsItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, store := newSeekRoom(t)
		s := r.subscribe(nil)
		s.receive(3)
		_, release := store.Engine.(*storagetest.Memory).Block()
		s.settle(1, 1, Ack)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := r.Seek(ctx, billingSub, toStart); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		release()
		s.settle(2, 3, Ack)
		s.confirm()
		if view := r.view(); view.Generation != 1 || len(s.revoked) != 0 {
			t.Errorf("%+v, revoked %+v", view, s.revoked)
		}
		r.seek(toStart)
		s.receive(6)
	})
}

func TestSeeksThatAreRefusedMoveNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := newSeekRoom(t)
		s := r.subscribe(nil)
		s.receive(3)
		at := func(p uint16, offset storage.Offset) storage.Target {
			return storage.Target{Start: storage.Start{
				Kind: storage.StartAtOffsets, Offsets: map[uint16]storage.Offset{p: offset},
			}}
		}
		for _, c := range []struct {
			name Name
			to   storage.Target
			want error
		}{
			{"default/nobody", toStart, ErrSubscriptionNotFound},
			{billingSub, at(7, 0), ErrPositionOutOfRange},
			{billingSub, at(0, 99), ErrPositionOutOfRange},
		} {
			if _, err := r.Seek(t.Context(), c.name, c.to); !errors.Is(err, c.want) {
				t.Errorf("%s to %+v: %v, want %v", c.name, c.to, err, c.want)
			}
		}
		s.settle(1, 3, Ack)
		s.confirm()
		if _, err := r.UpdateTopic(t.Context(), ordersTopic, func(c *TopicConfig) error { c.MinAge = 0; return nil }); err != nil {
			t.Fatal(err)
		}
		partition := uint16(0)
		if s.received[0].offset != 0 {
			t.Fatalf("%+v", s.received)
		}
		for p := range uint16(2) {
			if stats, err := r.TopicStats(ordersTopic); err == nil && stats.Partitions[p].Next > 0 {
				partition = p
			}
		}
		if _, err := r.Seek(t.Context(), billingSub, at(partition, 0)); !errors.Is(err, ErrNothingKept) && !errors.Is(err, ErrPositionOutOfRange) {
			t.Errorf("%v", err)
		}
		r.publish("d")
		s.receive(4)
		if view := r.view(); view.Generation != 1 {
			t.Errorf("%+v", view)
		}
	})
}

// What was redriven stands in the subscription's own partition, which no seek moves.
func TestASeekLeavesTheReplayPartitionAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := newSeekRoom(t)
		s := r.subscribe(nil)
		s.receive(3)
		s.settle(1, 1, Reject)
		s.confirm()
		if _, err := r.RedriveDeadLetters(t.Context(), billingSub, []uint64{1}, func(d *storage.DeadLetter) []byte {
			return slices.Clone(d.Message)
		}); err != nil {
			t.Fatal(err)
		}
		s.receive(4)
		r.seek(toStart)
		s.receive(7)
		if got := s.bodies(3); !slices.Equal(got, []string{"a", "a", "b", "c"}) {
			t.Errorf("received %v", got)
		}
		s.settle(4, 7, Ack)
		s.confirm()
		if len(s.result.Failures) != 0 || r.stats().Backlog.Messages != 0 {
			t.Errorf("failures %+v, %+v", s.result.Failures, r.stats())
		}
	})
}

func TestASubscriptionThatWasMovedIsThereAfterARestart(t *testing.T) {
	r, store := newSeekRoom(t)
	s := r.subscribe(nil)
	s.receive(3)
	s.settle(1, 3, Ack)
	s.confirm()
	s.Close(CloseGone)
	r.seek(toStart)
	r.Close()
	store.Crash()
	store.Open()
	b, err := New(store, Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	r.Broker = b
	again := r.subscribe(nil)
	again.receive(3)
	if view := r.view(); view.Generation != 2 {
		t.Errorf("%+v", view)
	}
}

// Seeks to and fro, while messages come and are acked: in the end nothing of an earlier
// generation is left, and each message is delivered in the last one.
func TestSeeksWhileEverythingGoesOn(t *testing.T) {
	r, _ := newSeekRoom(t)
	const seeks, messages = 40, 400
	var publisher, clients sync.WaitGroup
	publisher.Go(func() {
		for range messages / 4 {
			r.publish("1", "2", "3", "4")
		}
	})
	stop, seen := make(chan struct{}), make(chan int, 1) // capacity 1: told once
	clients.Go(func() {
		s := r.subscribe(func(p *SubscribeParams) { p.Window = Amount{Messages: 50, Bytes: 1 << 20} })
		defer s.Close(CloseClean)
		done := 0
		for {
			select {
			case <-stop:
				seen <- done
				return
			default:
			}
			if s.step() != nil {
				seen <- done
				return
			}
			if n := len(s.received); n > done {
				s.settle(s.received[done].sequence, s.received[n-1].sequence, Ack)
				done = n
			}
		}
	})
	for i := range seeks {
		if r.seek([]storage.Target{toStart, toEnd}[i%2]).Generation != uint64(i+2) {
			t.Errorf("seek %d", i)
		}
	}
	publisher.Wait()
	r.seek(toStart)
	for deadline := time.Now().Add(waitLimit); r.stats().Backlog.Messages > 0; {
		if time.Now().After(deadline) {
			t.Fatalf("%+v", r.stats())
		}
	}
	close(stop)
	r.publish("the last one, so that the reader wakes")
	clients.Wait()
	if n := <-seen; n < messages+3 {
		t.Errorf("%d deliveries of %d messages", n, messages+3)
	}
}
