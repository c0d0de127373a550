package broker

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/server/broker/delivery"
)

// A settle is confirmed when its change is durable, not before.
func TestSettleIsConfirmedAfterTheCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(nil)
		r.publish("a", "b")
		s.receive(2)
		r.store.hold()
		s.settle(1, 1, Ack)
		synctest.Wait()
		s.settle(2, 2, Ack)
		synctest.Wait()
		for s.pending() {
			if err := s.step(); err != nil {
				t.Fatal(err)
			}
		}
		if s.result.ConfirmedThrough != 0 {
			t.Errorf("confirmed through %d before the commit", s.result.ConfirmedThrough)
		}
		r.store.release()
		s.confirm()
		if floor := r.store.cursors[r.id(billingSub)][0].Floor; floor != 2 {
			t.Errorf("confirmed while the stored floor is %d", floor)
		}
	})
}

func TestFailedItemsOfASettleAreNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(nil)
		r.publish("a")
		s.receive(1)
		s.settle(1, 2, Ack)
		s.settle(1, 1, Ack)
		s.confirm()
		want := []SettleFailure{
			{Number: 1, Range: SequenceRange{First: 2, Last: 2}, Reason: delivery.Unknown},
			{Number: 2, Range: SequenceRange{First: 1, Last: 1}, Reason: delivery.Stale},
		}
		if diff := cmp.Diff(want, s.result.Failures); diff != "" {
			t.Error(diff)
		}
	})
}

func TestSettleNumberGapEndsTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(nil)
		s.settles = 1
		s.settle(1, 1, Ack)
		if err := s.end(); !errors.Is(err, ErrSettleNumberGap) {
			t.Errorf("ended with %v", err)
		}
	})
}

func TestWrongKindOfCreditEndsTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		manual := r.subscribe(func(p *SubscribeParams) { p.Replenish = Manual })
		onSettle := r.subscribe(nil)
		if err := errors.Join(manual.Window(Amount{}), onSettle.Grant(1, 1)); err != nil {
			t.Fatal(err)
		}
		for _, s := range []*reader{manual, onSettle} {
			if err := s.end(); !errors.Is(err, ErrFrameOrder) {
				t.Errorf("ended with %v", err)
			}
		}
	})
}

func TestRetriedMessageComesBackAfterItsBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(nil)
		r.publish("a")
		s.receive(1)
		begin := time.Now()
		s.settle(1, 1, Retry)
		s.receive(2)
		if got := time.Since(begin); got < 800*time.Millisecond || got > 1200*time.Millisecond {
			t.Errorf("came back after %v, want 1 s ± 20 %%", got)
		}
		if want := (received{2, 0, 2, "a"}); s.received[1] != want {
			t.Errorf("came back as %+v, want %+v", s.received[1], want)
		}
		s.settle(2, 2, Ack)
		s.confirm()
		if stats := r.stats(); stats.Retried != 1 || stats.Redelivered != 1 || stats.Backlog.Messages != 0 {
			t.Errorf("%+v", stats)
		}
	})
}

func TestReleasedMessageGoesToAnotherSessionUncharged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		one := r.subscribe(nil)
		r.publish("a")
		one.receive(1)
		two := r.subscribe(nil)
		one.settle(1, 1, Release)
		two.receive(1)
		if two.received[0].attempt != 1 {
			t.Errorf("attempt %d after a release", two.received[0].attempt)
		}
	})
}

func TestLeaseEndRevokesAndCharges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(func(p *SubscribeParams) { p.Lease = 5 * time.Second })
		if s.Limits().Lease != 5*time.Second || s.Limits().MaxLease != time.Hour {
			t.Errorf("limits %+v", s.Limits())
		}
		r.publish("a", "b")
		s.receive(2)
		begin := time.Now()
		if err := s.Extend(1, []SequenceRange{{First: 2, Last: 2}}, 20*time.Second); err != nil {
			t.Fatal(err)
		}
		s.settles++
		s.until("revocation", func() bool { return len(s.revoked) == 1 })
		if got := time.Since(begin); got != 5*time.Second {
			t.Errorf("revoked after %v", got)
		}
		want := []Revoked{{Ranges: []SequenceRange{{First: 1, Last: 1}}, Reason: delivery.LeaseExpired}}
		if diff := cmp.Diff(want, s.revoked); diff != "" {
			t.Error(diff)
		}
		s.receive(3)
		if s.received[2].attempt != 2 {
			t.Errorf("attempt %d after a lease ended", s.received[2].attempt)
		}
		s.settle(1, 1, Ack)
		s.confirm()
		if len(s.result.Failures) != 1 || s.result.Failures[0].Reason != delivery.Stale {
			t.Errorf("settling what was revoked: %+v", s.result)
		}
	})
}

// Time in which the server stood still burns nobody's lease.
func TestStallProlongsLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(func(p *SubscribeParams) { p.Lease = 5 * time.Second })
		r.publish("a")
		s.receive(1)
		begin := time.Now()
		r.clock.stalled.Add(int64(3 * time.Second))
		s.until("revocation", func() bool { return len(s.revoked) == 1 })
		if got := time.Since(begin); got != 8*time.Second {
			t.Errorf("revoked after %v, want a lease of 5 s and a stall of 3 s", got)
		}
	})
}

// How a session ends decides whether what it held is charged.
func TestEndOfASessionChargesOnlyWhenBroken(t *testing.T) {
	for name, c := range map[string]struct {
		how     CloseHow
		attempt uint32
		end     error
	}{
		"clean":  {CloseClean, 1, io.EOF},
		"gone":   {CloseGone, 1, ErrSessionClosed},
		"broken": {CloseBroken, 2, ErrSessionClosed},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRoom(t, 1, nil)
			one := r.subscribe(nil)
			r.publish("a")
			one.receive(1)
			one.Close(c.how)
			if err := one.end(); !errors.Is(err, c.end) {
				t.Errorf("%s: ended with %v", name, err)
			}
			begin := time.Now()
			two := r.subscribe(nil)
			two.receive(1)
			if got := two.received[0].attempt; got != c.attempt || time.Since(begin) != 0 {
				t.Errorf("%s: came again as attempt %d after %v", name, got, time.Since(begin))
			}
		})
	}
}

// Settles that were read before a clean close are confirmed before the end.
func TestCleanCloseConfirmsSettlesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(nil)
		r.publish("a")
		s.receive(1)
		s.settle(1, 1, Ack)
		s.Close(CloseClean)
		if err := s.end(); !errors.Is(err, io.EOF) || s.result.ConfirmedThrough != 1 {
			t.Errorf("ended with %v, confirmed through %d", err, s.result.ConfirmedThrough)
		}
		if err := s.Heartbeat(); !errors.Is(err, io.EOF) {
			t.Errorf("a late frame: %v", err)
		}
	})
}
