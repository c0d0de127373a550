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
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// ended waits for Receive's result and returns how long that took.
func (r *running) ended(t *testing.T) time.Duration {
	t.Helper()
	began := time.Now()
	if err := <-r.result; err != nil {
		t.Errorf("Receive returned %v", err)
	}
	return time.Since(began)
}

func TestAStopReleasesWhatIsNotBegunAndLetsTheRestFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		begun, finish := make(chan context.Context, 1), make(chan struct{})
		r := receive(t, c, func(ctx context.Context, _ *headrace.Delivery) error {
			begun <- ctx
			<-finish
			return nil
		})
		stream := openedSubscribe(t, s)
		stream.Send(t, scripted.Batch(1, 0, texts(5)...))
		ctx := <-begun
		r.stop()
		if d := scripted.NextDrain(t, stream); d.GetGrace().AsDuration() != 31*time.Second {
			t.Errorf("drain %v", d)
		}
		wantSettle(t, scripted.NextSettle(t, stream), 1, headracev1.Verdict_VERDICT_RELEASE, 2, 5)
		stream.Send(t, scripted.Batch(6, 5, "crossed the drain"))
		wantSettle(t, scripted.NextSettle(t, stream), 2, headracev1.Verdict_VERDICT_RELEASE, 6, 6)
		synctest.Wait()
		if ctx.Err() != nil {
			t.Error("the stop cancelled the handler that runs")
		}
		close(finish)
		wantSettle(t, scripted.NextSettle(t, stream), 3, headracev1.Verdict_VERDICT_ACK, 1, 1)
		stream.Send(t, scripted.Confirm(3))
		stream.Send(t, scripted.Drained())
		scripted.WaitHalfClose(t, stream)
		stream.End(nil)
		if waited := r.ended(t); waited != 0 {
			t.Errorf("Receive took %v to return", waited)
		}
	})
}

func TestHandlersThatDoNotFinishInTimeAreCancelledAndReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		h := newHolder()
		r := receive(t, c, h.handle, headrace.WithDrainTimeout(5*time.Second))
		stream := openedSubscribe(t, s)
		stream.Send(t, scripted.Batch(1, 0, "a"))
		<-h.begun
		began := time.Now()
		r.stop()
		scripted.NextDrain(t, stream)
		wantSettle(t, scripted.NextSettle(t, stream), 1, headracev1.Verdict_VERDICT_RELEASE, 1, 1)
		if why := <-h.ended; !errors.Is(why, headrace.ErrStopped) || time.Since(began) != 5*time.Second {
			t.Errorf("the handler ended after %v: %v", time.Since(began), why)
		}
		stream.Send(t, scripted.Drained())
		scripted.WaitHalfClose(t, stream)
		stream.End(nil)
		r.ended(t)
	})
}

func TestReleaseOnStopCancelsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		h := newHolder()
		r := receive(t, c, h.handle, headrace.WithReleaseOnStop())
		stream := openedSubscribe(t, s)
		stream.Send(t, scripted.Batch(1, 0, texts(3)...))
		<-h.begun
		began := time.Now()
		r.stop()
		if why := <-h.ended; !errors.Is(why, headrace.ErrStopped) || time.Since(began) != 0 {
			t.Errorf("the handler ended after %v: %v", time.Since(began), why)
		}
		scripted.NextDrain(t, stream)
		wantSettle(t, scripted.NextSettle(t, stream), 1, headracev1.Verdict_VERDICT_RELEASE, 1, 3)
		stream.Send(t, scripted.Drained())
		scripted.WaitHalfClose(t, stream)
		stream.End(nil)
		r.ended(t)
	})
}

func TestAStopOfAnIdleReceiverReturnsWithinASecond(t *testing.T) {
	for name, answer := range map[string]func(*testing.T, *scripted.SubscribeStream){
		"when the server answers": func(t *testing.T, stream *scripted.SubscribeStream) {
			t.Helper()
			stream.Send(t, scripted.Drained())
			scripted.WaitHalfClose(t, stream)
			stream.End(nil)
		},
		"when the server half answers": func(t *testing.T, stream *scripted.SubscribeStream) {
			t.Helper()
			scripted.WaitHalfClose(t, stream)
			stream.End(nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, c := start(t)
				r := receive(t, c, ack)
				stream := openedSubscribe(t, s)
				synctest.Wait()
				r.stop()
				go func() {
					scripted.NextDrain(t, stream)
					answer(t, stream)
				}()
				if waited := r.ended(t); waited > time.Second {
					t.Errorf("Receive took %v to return", waited)
				}
			})
		})
	}
}

func TestAStopEndsEveryWait(t *testing.T) {
	for name, wait := range map[string]func(*testing.T, *scripted.Server){
		"for the connection": func(_ *testing.T, s *scripted.Server) { s.Stop() },
		"for Opened":         func(_ *testing.T, s *scripted.Server) { <-s.Subscribes },
		"for the next try": func(t *testing.T, s *scripted.Server) {
			t.Helper()
			openedSubscribe(t, s).End(scripted.RetryLater(headracev1.ErrorReason_ERROR_REASON_STARTING, time.Minute))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, c := start(t)
				r := receive(t, c, ack)
				wait(t, s)
				synctest.Wait()
				r.stop()
				if waited := r.ended(t); waited != 0 {
					t.Errorf("Receive took %v to return", waited)
				}
			})
		})
	}
}

func TestAStopWithASilentServerFlushesAndReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		finish := make(chan struct{})
		r := receive(t, c, func(context.Context, *headrace.Delivery) error { <-finish; return nil }, headrace.WithDrainTimeout(5*time.Second))
		stream := openedSubscribe(t, s)
		stream.Send(t, scripted.Batch(1, 0, "a"))
		synctest.Wait()
		r.stop()
		close(finish)
		scripted.NextDrain(t, stream)
		wantSettle(t, scripted.NextSettle(t, stream), 1, headracev1.Verdict_VERDICT_ACK, 1, 1)
		if waited := r.ended(t); waited > 7*time.Second { // The timeout, Drained, the end.
			t.Errorf("Receive took %v to return", waited)
		}
	})
}

func TestAStreamThatBreaksWhileItStopsEndsReceive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		h := newHolder()
		r := receive(t, c, h.handle)
		stream := openedSubscribe(t, s)
		stream.Send(t, scripted.Batch(1, 0, "a"))
		<-h.begun
		r.stop()
		scripted.NextDrain(t, stream)
		stream.End(status.Error(codes.Unavailable, "cut"))
		if why := <-h.ended; !errors.Is(why, headrace.ErrDeliveryLost) {
			t.Errorf("the handler ended because of %v", why)
		}
		r.ended(t)
	})
}

func TestCloseStopsReceivers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		r := receive(t, c, ack)
		stream := openedSubscribe(t, s)
		synctest.Wait()
		closed := make(chan error, 1)
		go func() { closed <- c.Close() }()
		scripted.NextDrain(t, stream)
		stream.Send(t, scripted.Drained())
		scripted.WaitHalfClose(t, stream)
		stream.End(nil)
		r.ended(t)
		if err := <-closed; err != nil {
			t.Errorf("close: %v", err)
		}
		if err := c.Subscription("billing").Receive(t.Context(), ack); !errors.Is(err, headrace.ErrClosed) {
			t.Errorf("receive after close: %v", err)
		}
		for d, err := range c.Subscription("billing").Deliveries(t.Context()) {
			if d != nil || !errors.Is(err, headrace.ErrClosed) {
				t.Errorf("deliveries after close: %v, %v", d, err)
			}
		}
	})
}

func TestAStopReturnsThoughTheServerDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		const batches, each = 8, 10_000 // Every second one is settled: about 400 KB of ranges.
		var stopped time.Time
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for d, err := range c.Subscription("billing").Deliveries(ctx, headrace.WithWindow(batches*each, 64<<20)) {
				if err != nil {
					t.Error(err)
					break
				}
				if d.Sequence()%2 == 0 {
					d.Ack()
				}
				if d.Sequence() == batches*each {
					stopped = time.Now()
					stop()
				}
			}
		}()
		stream := openedSubscribe(t, s) // Reads nothing more.
		for i := range uint64(batches) {
			stream.Send(t, scripted.Batch(i*each+1, i*each, make([]string, each)...))
			synctest.Wait()
		}
		<-ended
		if waited := time.Since(stopped); waited > time.Second {
			t.Errorf("the loop took %v to end", waited)
		}
	})
}
