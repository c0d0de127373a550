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

// confirming runs a subscriber that holds n deliveries, and settles the test's
// way.
func confirming(t *testing.T, s *scripted.Server, c *headrace.Client, n int) (*scripted.SubscribeStream, []*headrace.Delivery) {
	t.Helper()
	h := newHolder()
	receive(t, c, h.handle, headrace.WithConcurrency(n))
	stream := openedSubscribe(t, s)
	stream.Send(t, scripted.Batch(1, 0, texts(n)...))
	held := make([]*headrace.Delivery, n)
	for range n {
		d := <-h.begun
		held[d.Sequence()-1] = d
	}
	return stream, held
}

// outcome starts a settle that is confirmed, and returns where its error comes.
// Capacity 1: there is one.
func outcome(settle func(context.Context) error) chan error {
	result := make(chan error, 1)
	go func() { result <- settle(context.Background()) }()
	return result
}

func TestAckConfirmIsSentAtOnceAndWaitsForTheConfirmation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		stream, held := confirming(t, s, c, 1)
		began := time.Now()
		acked := outcome(held[0].AckConfirm)
		wantSettle(t, scripted.NextSettle(t, stream), 1, headracev1.Verdict_VERDICT_ACK, 1, 1)
		if time.Since(began) != 0 {
			t.Errorf("sent after %v", time.Since(began))
		}
		synctest.Wait()
		select {
		case err := <-acked:
			t.Fatalf("returned before the confirmation: %v", err)
		default:
		}
		stream.Send(t, scripted.Confirm(1))
		if err := <-acked; err != nil {
			t.Error(err)
		}
		if err := held[0].AckConfirm(t.Context()); !errors.Is(err, headrace.ErrStaleDelivery) {
			t.Errorf("a second ack: %v", err)
		}
	})
}

func TestConfirmedVerdictsReachTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		stream, held := confirming(t, s, c, 2)
		retried := outcome(func(ctx context.Context) error { return held[0].RetryConfirm(ctx, headrace.RetryAfter(time.Second)) })
		settle := scripted.NextSettle(t, stream)
		if settle.GetVerdict() != headracev1.Verdict_VERDICT_RETRY || settle.GetDelay().AsDuration() != time.Second {
			t.Errorf("settle %v", settle)
		}
		released := outcome(held[1].ReleaseConfirm)
		wantSettle(t, scripted.NextSettle(t, stream), 2, headracev1.Verdict_VERDICT_RELEASE, 2, 2)
		stream.Send(t, scripted.Confirm(2))
		if err := errors.Join(<-retried, <-released); err != nil {
			t.Error(err)
		}
	})
}

func TestAStaleSettleFailsByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		stream, held := confirming(t, s, c, 3)
		var results []chan error
		for _, d := range held {
			results = append(results, outcome(d.AckConfirm))
			scripted.NextSettle(t, stream)
		}
		stream.Send(t, scripted.Confirm(3, scripted.Stale(2, 2, 2)))
		for i, result := range results {
			if err := <-result; errors.Is(err, headrace.ErrStaleDelivery) != (i == 1) || (err != nil) != (i == 1) {
				t.Errorf("delivery %d: %v", i+1, err)
			}
		}
	})
}

func TestAConfirmationThatTheSessionTookAlongIsUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		stream, held := confirming(t, s, c, 1)
		acked := outcome(held[0].AckConfirm)
		scripted.NextSettle(t, stream)
		stream.End(status.Error(codes.Unavailable, "cut"))
		if err := <-acked; !errors.Is(err, headrace.ErrUnknownOutcome) {
			t.Errorf("error %v", err)
		}
	})
}

func TestAContextEndsTheWaitForAConfirmation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		_, held := confirming(t, s, c, 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := held[0].AckConfirm(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, headrace.ErrUnknownOutcome) {
			t.Errorf("error %v", err)
		}
	})
}
