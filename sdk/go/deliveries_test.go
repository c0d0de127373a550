package headrace_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	headrace "github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/sdk/go/internal/scripted"
	"google.golang.org/grpc/codes"
)

// drained answers a stop in order, after the given settles.
func drained(t *testing.T, stream *scripted.SubscribeStream) {
	t.Helper()
	stream.Send(t, scripted.Drained())
	scripted.WaitHalfClose(t, stream)
	stream.End(nil)
}

func TestDeliveriesAreSettledByTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan []string, 1)
		go func() {
			var got []string
			for d, err := range c.Subscription("billing").Deliveries(ctx) {
				if err != nil {
					t.Error(err)
					break
				}
				got = append(got, string(d.Data))
				switch len(got) {
				case 1, 2:
					d.Ack()
				case 3:
					d.Retry(headrace.RetryAfter(time.Second))
				case 4:
					d.Retry()
				case 5:
					d.Release()
					stop()
				}
			}
			done <- got
		}()
		stream := openedSubscribe(t, s)
		stream.Send(t, scripted.Batch(1, 0, texts(5)...))
		scripted.NextDrain(t, stream)
		wantSettle(t, scripted.NextSettle(t, stream), 1, headracev1.Verdict_VERDICT_ACK, 1, 2)
		if delayed := scripted.NextSettle(t, stream); delayed.GetDelay().AsDuration() != time.Second {
			t.Errorf("settle %v", delayed)
		}
		wantSettle(t, scripted.NextSettle(t, stream), 3, headracev1.Verdict_VERDICT_RETRY, 4, 4)
		wantSettle(t, scripted.NextSettle(t, stream), 4, headracev1.Verdict_VERDICT_RELEASE, 5, 5)
		drained(t, stream)
		if got := <-done; len(got) != 5 {
			t.Errorf("got %v", got)
		}
	})
}

func TestLeavingTheLoopGivesBackWhatIsNotSettled(t *testing.T) {
	for name, leave := range map[string]func(c *headrace.Client){
		"by break": func(c *headrace.Client) {
			for _, err := range c.Subscription("billing").Deliveries(context.Background()) {
				if err == nil {
					break
				}
			}
		},
		"by panic": func(c *headrace.Client) {
			defer func() { _ = recover() }()
			for d, err := range c.Subscription("billing").Deliveries(context.Background()) {
				panic(fmt.Sprint("in the loop with ", d, err))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, c := start(t)
				done := make(chan struct{})
				go func() {
					defer close(done)
					leave(c)
				}()
				stream := openedSubscribe(t, s)
				began := time.Now()
				stream.Send(t, scripted.Batch(1, 0, texts(3)...))
				scripted.NextDrain(t, stream)
				wantSettle(t, scripted.NextSettle(t, stream), 1, headracev1.Verdict_VERDICT_RELEASE, 1, 3)
				drained(t, stream)
				<-done
				if time.Since(began) != 0 {
					t.Errorf("leaving took %v", time.Since(began))
				}
			})
		})
	}
}

func TestLeavingTheLoopWaitsForWhatOthersHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		held := make(chan *headrace.Delivery, 1)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for d, err := range c.Subscription("billing").Deliveries(context.Background()) {
				if err != nil || d.Sequence() == 2 {
					d.Ack()
					break
				}
				held <- d
			}
		}()
		stream := openedSubscribe(t, s)
		stream.Send(t, scripted.Batch(1, 0, texts(2)...))
		scripted.NextDrain(t, stream)
		wantSettle(t, scripted.NextSettle(t, stream), 1, headracev1.Verdict_VERDICT_ACK, 2, 2)
		pass(5 * time.Second)
		(<-held).Ack()
		wantSettle(t, scripted.NextSettle(t, stream), 2, headracev1.Verdict_VERDICT_ACK, 1, 1)
		drained(t, stream)
		<-done
	})
}

func TestAnErrorIsTheLastElement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		failed := make(chan error, 1)
		go func() {
			var last error
			for d, err := range c.Subscription("billing").Deliveries(context.Background()) {
				if (d == nil) != (err != nil) || last != nil {
					t.Errorf("element %v, %v after %v", d, err, last)
				}
				if d != nil {
					d.Ack()
				}
				last = err
			}
			failed <- last
		}()
		stream := openedSubscribe(t, s)
		stream.Send(t, scripted.Batch(1, 0, texts(2)...))
		scripted.NextSettle(t, stream)
		stream.End(scripted.Status(codes.FailedPrecondition, headracev1.ErrorReason_ERROR_REASON_TAKEN_OVER, nil))
		if err := <-failed; !errors.Is(err, headrace.ErrTakenOver) {
			t.Errorf("the last error: %v", err)
		}
	})
}

func TestTheContextOfADeliveryEndsWithItsHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		held := make(chan *headrace.Delivery, 3)
		done := make(chan struct{})
		ctx, stop := context.WithCancel(t.Context())
		go func() {
			defer close(done)
			for d, err := range c.Subscription("billing").Deliveries(ctx) {
				if err != nil {
					t.Error(err)
				}
				held <- d
			}
		}()
		stream := openedSubscribe(t, s)
		stream.Send(t, scripted.Batch(1, 0, texts(3)...))
		settled, revoked, late := <-held, <-held, <-held
		for _, d := range []*headrace.Delivery{settled, revoked} {
			if d.Context().Err() != nil {
				t.Errorf("delivery %d: its context has ended before its hold", d.Sequence())
			}
		}
		settled.Ack()
		late.Ack()
		stream.Send(t, scripted.Revoked(2, 2, headracev1.RevokeReason_REVOKE_REASON_LEASE_EXPIRED))
		synctest.Wait()
		if settled.Context().Err() == nil || late.Context().Err() == nil {
			t.Error("settled, and the context goes on")
		}
		if why := context.Cause(revoked.Context()); !errors.Is(why, headrace.ErrDeliveryLost) {
			t.Errorf("revoked: %v", why)
		}
		stop()
		for f := scripted.Next(t, stream); f.GetDrain() == nil; f = scripted.Next(t, stream) {
			continue
		}
		stream.Send(t, scripted.Drained())
		stream.End(nil)
		<-done
	})
}

func TestAFailureCarriesItsCodeAndReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			done <- c.Subscription("billing").Receive(ctx, func(_ context.Context, d *headrace.Delivery) error {
				switch d.Sequence() {
				case 1:
					return errors.New("no connection")
				case 2:
					return headrace.RetryIn(time.Second, errors.New("later"))
				case 3:
					return headrace.Reject("BAD", errors.New(strings.Repeat("é", 600)))
				}
				d.Retry(headrace.RetryBecause("DB", "by hand"))
				return nil
			}, headrace.WithConcurrency(1))
		}()
		stream := openedSubscribe(t, s)
		stream.Send(t, scripted.Batch(1, 0, texts(4)...))
		for i, want := range []struct {
			verdict      headracev1.Verdict
			code, reason string
		}{
			{headracev1.Verdict_VERDICT_RETRY, "", "no connection"},
			{headracev1.Verdict_VERDICT_RETRY, "", "later"},
			{headracev1.Verdict_VERDICT_REJECT, "BAD", strings.Repeat("é", 512)},
			{headracev1.Verdict_VERDICT_RETRY, "DB", "by hand"},
		} {
			got := scripted.NextSettle(t, stream)
			if got.GetVerdict() != want.verdict || got.GetCode() != want.code || got.GetReason() != want.reason {
				t.Errorf("settle %d: %v", i+1, got)
			}
		}
		stop()
		scripted.NextDrain(t, stream)
		drained(t, stream)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
