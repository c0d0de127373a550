package headrace_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	headrace "github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/sdk/go/internal/scripted"
	"google.golang.org/protobuf/types/known/durationpb"
)

// holder is a handler that holds every delivery until its context ends, and says
// why it did.
type holder struct {
	begun chan *headrace.Delivery
	ended chan error
}

func newHolder() *holder {
	return &holder{begun: make(chan *headrace.Delivery, 100), ended: make(chan error, 100)}
}

func (h *holder) handle(ctx context.Context, d *headrace.Delivery) error {
	h.begun <- d
	<-ctx.Done()
	h.ended <- context.Cause(ctx)
	return ctx.Err()
}

// beating keeps a session alive: the server beats until the client is gone.
func beating(stream *scripted.SubscribeStream) {
	go stream.Beat(10*time.Second, scripted.Flow(headracev1.BlockedBy_BLOCKED_BY_NO_MESSAGES))
}

func TestLeasesAreExtendedAtAThird(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		h := newHolder()
		receive(t, c, h.handle)
		stream := openedSubscribe(t, s)                   // Lease 30 s.
		stream.Send(t, scripted.Batch(1, 0, texts(5)...)) // One is begun, the others wait: all are held.
		synctest.Wait()
		began := time.Now()
		beating(stream)
		for i := range 5 {
			e := scripted.NextExtend(t, stream)
			at := time.Duration(i+1) * 10 * time.Second
			if e.GetNumber() != uint64(i+1) || time.Since(began) != at || e.GetDuration() != nil ||
				len(e.GetRanges()) != 1 || e.GetRanges()[0].GetFirst() != 1 || e.GetRanges()[0].GetLast() != 5 {
				t.Errorf("after %v, want %v: %v", time.Since(began), at, e)
			}
		}
	})
}

// What is held gets the new lease at once, whether it is shorter or longer; so does
// what came under it before it was told.
func TestAnUpdatedLeaseIsObeyedAtOnce(t *testing.T) {
	for _, lease := range []time.Duration{3 * time.Second, 2 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			s, c := start(t)
			h := newHolder()
			receive(t, c, h.handle)
			stream := openedSubscribe(t, s)
			stream.Send(t, scripted.Batch(1, 0, "a", "b"))
			pass(time.Second)
			flow := scripted.Flow()
			flow.GetFlowState().Limits = &headracev1.SessionLimits{Lease: durationpb.New(lease)}
			told := time.Now()
			stream.Send(t, flow)
			e := scripted.NextExtend(t, stream)
			if time.Since(told) != 0 || len(e.GetRanges()) != 1 || e.GetRanges()[0].GetLast() != 2 {
				t.Errorf("after %v: %v", time.Since(told), e)
			}
			stream.Send(t, scripted.Confirm(1))
			beating(stream)
			scripted.NextExtend(t, stream)
			if got := time.Since(told); got != lease/3 {
				t.Errorf("extended again after %v of a lease of %v", got, lease)
			}
		})
	}
}

func TestExtensionsThatAreCloseGoTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		h := newHolder()
		receive(t, c, h.handle)
		stream := openedSubscribe(t, s)
		stream.Send(t, scripted.Batch(1, 0, "a"))
		pass(time.Second)
		stream.Send(t, scripted.Batch(2, 1, "b"))
		e := scripted.NextExtend(t, stream)
		if len(e.GetRanges()) != 1 || e.GetRanges()[0].GetLast() != 2 {
			t.Errorf("extend %v", e)
		}
	})
}

func TestSettlesAndExtendsShareTheirNumbers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		h := newHolder()
		receive(t, c, h.handle)
		stream := openedSubscribe(t, s)
		stream.Send(t, scripted.Batch(1, 0, "a", "b"))
		if e := scripted.NextExtend(t, stream); e.GetNumber() != 1 {
			t.Errorf("extend %v", e)
		}
		(<-h.begun).Ack()
		wantSettle(t, scripted.NextSettle(t, stream), 2, headracev1.Verdict_VERDICT_ACK, 1, 1)
		stream.Send(t, scripted.Confirm(2))
		if e := scripted.NextExtend(t, stream); e.GetNumber() != 3 || e.GetRanges()[0].GetFirst() != 2 {
			t.Errorf("extend %v", e)
		}
	})
}

func TestExtensionStopsAtItsCapAndTheLeaseEnds(t *testing.T) {
	for name, c := range map[string]struct {
		limits *headracev1.SessionLimits
		option headrace.ReceiveOption
	}{
		"of the client": {&headracev1.SessionLimits{}, headrace.WithMaxExtension(25 * time.Second)},
		"of the server": {&headracev1.SessionLimits{MaxLease: durationpb.New(25 * time.Second)}, headrace.WithConcurrency(1)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, client := start(t)
				h := newHolder()
				receive(t, client, h.handle, c.option)
				stream := <-s.Subscribes
				c.limits.Lease = durationpb.New(30 * time.Second)
				scripted.OpenSubscribe(t, stream, c.limits)
				stream.Send(t, scripted.Batch(1, 0, "a"))
				<-h.begun
				began := time.Now()
				beating(stream)
				frames := framesOf(stream)
				why := <-h.ended
				// Extended at 10 s and at 20 s, and not at 30 s: it ends at 50 s.
				if !errors.Is(why, headrace.ErrDeliveryLost) || time.Since(began) != 50*time.Second {
					t.Errorf("the handler ended after %v: %v", time.Since(began), why)
				}
				synctest.Wait()
				if n := len(frames); n != 2 {
					t.Errorf("%d frames, want two extends and no settle", n)
				}
			})
		})
	}
}

func TestRevokedCancelsTheHandlerAndDropsItsSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		h := newHolder()
		receive(t, c, h.handle)
		stream := openedSubscribe(t, s)
		stream.Send(t, scripted.Batch(1, 0, "a", "b", "c"))
		first := <-h.begun
		stream.Send(t, scripted.Revoked(1, 2, headracev1.RevokeReason_REVOKE_REASON_LEASE_EXPIRED))
		if why := <-h.ended; !errors.Is(why, headrace.ErrDeliveryLost) {
			t.Errorf("the handler ended because of %v", why)
		}
		if third := <-h.begun; third.Sequence() != 3 {
			t.Errorf("the next handler got delivery %d: the second was revoked before it began", third.Sequence())
		} else {
			third.Ack()
		}
		wantSettle(t, scripted.NextSettle(t, stream), 1, headracev1.Verdict_VERDICT_ACK, 3, 3)
		if err := first.AckConfirm(t.Context()); !errors.Is(err, headrace.ErrStaleDelivery) {
			t.Errorf("a late ack: %v", err)
		}
	})
}

func TestAnExtensionThatFailsCancelsTheHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		h := newHolder()
		receive(t, c, h.handle)
		stream := openedSubscribe(t, s)
		stream.Send(t, scripted.Batch(1, 0, "a"))
		e := scripted.NextExtend(t, stream)
		stream.Send(t, scripted.Confirm(e.GetNumber(), scripted.Stale(e.GetNumber(), 1, 1)))
		if why := <-h.ended; !errors.Is(why, headrace.ErrDeliveryLost) {
			t.Errorf("the handler ended because of %v", why)
		}
	})
}

func TestALeaseThatTheServerCapsIsNotExtendedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		h := newHolder()
		receive(t, c, h.handle)
		stream := openedSubscribe(t, s)
		stream.Send(t, scripted.Batch(1, 0, "a"))
		beating(stream)
		e := scripted.NextExtend(t, stream)
		capped := scripted.Stale(e.GetNumber(), 1, 1)
		capped.Reason = headracev1.ErrorReason_ERROR_REASON_LEASE_CAPPED
		stream.Send(t, scripted.Confirm(e.GetNumber(), capped))
		frames := framesOf(stream)
		pass(25 * time.Second)
		if len(frames) > 0 || len(h.ended) > 0 {
			t.Errorf("%d frames came and %d handlers ended before the lease did", len(frames), len(h.ended))
		}
		stream.Send(t, scripted.Revoked(1, 1, headracev1.RevokeReason_REVOKE_REASON_LEASE_EXPIRED))
		if why := <-h.ended; !errors.Is(why, headrace.ErrDeliveryLost) {
			t.Errorf("the handler ended because of %v", why)
		}
	})
}
