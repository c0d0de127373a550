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
	"google.golang.org/protobuf/types/known/durationpb"
)

func TestABrokenSessionIsOpenedAgainWithItsCredit(t *testing.T) {
	for name, end := range map[string]error{
		"a proxy's UNAVAILABLE": status.Error(codes.Unavailable, "no healthy upstream"),
		"a proxy's INTERNAL":    status.Error(codes.Internal, "RST_STREAM"),
		"a proxy's CANCELLED":   status.Error(codes.Canceled, "closed"),
		"UNKNOWN":               status.Error(codes.Unknown, "odd"),
		"no status at all":      nil,
		"SLOW_READER":           scripted.Status(codes.ResourceExhausted, headracev1.ErrorReason_ERROR_REASON_SLOW_READER, nil),
		"DRAINING":              scripted.Status(codes.Unavailable, headracev1.ErrorReason_ERROR_REASON_DRAINING, nil),
		"FENCED":                scripted.Status(codes.Aborted, headracev1.ErrorReason_ERROR_REASON_FENCED, nil),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, c := start(t)
				h := newHolder()
				receive(t, c, h.handle, headrace.WithWindow(7, 1<<20), headrace.WithTakeover(), headrace.WithConcurrency(2))
				first := <-s.Subscribes
				open := scripted.OpenSubscribe(t, first, nil)
				first.Send(t, scripted.Batch(1, 0, "a"))
				late := <-h.begun
				first.End(end)
				if why := <-h.ended; !errors.Is(why, headrace.ErrDeliveryLost) {
					t.Errorf("the handler ended because of %v", why)
				}
				second := <-s.Subscribes
				again := scripted.OpenSubscribe(t, second, nil)
				if again.GetWindow().GetMessages() != 7 || again.GetClientId() != open.GetClientId() {
					t.Errorf("the second session opens with %v", again)
				}
				if !open.GetTakeover() || again.GetTakeover() {
					t.Errorf("takeover %v, then %v", open.GetTakeover(), again.GetTakeover())
				}
				late.Ack() // Of the old session: dropped.
				second.Send(t, scripted.Batch(1, 0, "a"))
				(<-h.begun).Ack()
				wantSettle(t, scripted.NextSettle(t, second), 1, headracev1.Verdict_VERDICT_ACK, 1, 1)
			})
		})
	}
}

func TestSomeErrorsEndReceive(t *testing.T) {
	for name, c := range map[string]struct {
		end  error
		want error
	}{
		"INVALID_ARGUMENT":   {end: status.Error(codes.InvalidArgument, "x")},
		"NOT_FOUND":          {end: status.Error(codes.NotFound, "x")},
		"PERMISSION_DENIED":  {end: status.Error(codes.PermissionDenied, "x")},
		"UNAUTHENTICATED":    {end: status.Error(codes.Unauthenticated, "x")},
		"UNIMPLEMENTED":      {end: status.Error(codes.Unimplemented, "x")},
		"TAKEN_OVER":         {scripted.Status(codes.FailedPrecondition, headracev1.ErrorReason_ERROR_REASON_TAKEN_OVER, nil), headrace.ErrTakenOver},
		"exclusive":          {scripted.Status(codes.FailedPrecondition, headracev1.ErrorReason_ERROR_REASON_EXCLUSIVE_SESSION_EXISTS, nil), headrace.ErrExclusiveSessionExists},
		"deleted":            {scripted.Status(codes.FailedPrecondition, headracev1.ErrorReason_ERROR_REASON_SUBSCRIPTION_DELETED, nil), headrace.ErrSubscriptionDeleted},
		"no subscription":    {scripted.Status(codes.NotFound, headracev1.ErrorReason_ERROR_REASON_SUBSCRIPTION_NOT_FOUND, nil), headrace.ErrSubscriptionNotFound},
		"NOT_SERVED":         {scripted.Status(codes.InvalidArgument, headracev1.ErrorReason_ERROR_REASON_NOT_SERVED, nil), headrace.ErrNotServed},
		"DATA_LOSS":          {scripted.Status(codes.DataLoss, headracev1.ErrorReason_ERROR_REASON_DATA_LOSS, nil), headrace.ErrDataLoss},
		"a reason from v2":   {end: scripted.Status(codes.FailedPrecondition, headracev1.ErrorReason(999), nil)},
		"STALE_PRODUCER too": {scripted.Status(codes.FailedPrecondition, headracev1.ErrorReason_ERROR_REASON_STALE_PRODUCER, nil), headrace.ErrStaleProducer},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, client := start(t)
				r := receive(t, client, ack)
				openedSubscribe(t, s).End(c.end)
				err := <-r.result
				if status.Code(err) != status.Code(c.end) || c.want != nil && !errors.Is(err, c.want) {
					t.Errorf("error %v", err)
				}
			})
		})
	}
}

func TestASubscriberBeatsEveryTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		receive(t, c, ack)
		stream := openedSubscribe(t, s)
		began := time.Now()
		for i := range 2 {
			f := stream.MustRecv(t)
			if at := time.Duration(i+1) * 10 * time.Second; f.GetHeartbeat() == nil || time.Since(began) != at {
				t.Errorf("after %v: %v", time.Since(began), f)
			}
		}
	})
}

func TestTheServerSaysHowOftenToBeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		receive(t, c, ack)
		stream := <-s.Subscribes
		scripted.OpenSubscribe(t, stream, &headracev1.SessionLimits{HeartbeatInterval: durationpb.New(2 * time.Second)})
		began := time.Now()
		if f := stream.MustRecv(t); f.GetHeartbeat() == nil || time.Since(began) != 2*time.Second {
			t.Errorf("after %v: %v", time.Since(began), f)
		}
		<-stream.Broken()
		if time.Since(began) != 6*time.Second {
			t.Errorf("silence was noticed after %v", time.Since(began))
		}
	})
}

func TestSilenceOfThreeHeartbeatsOpensANewSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		receive(t, c, ack)
		stream := openedSubscribe(t, s)
		for range 5 {
			pass(10 * time.Second)
			stream.Send(t, scripted.Flow())
		}
		began := time.Now()
		<-stream.Broken()
		if time.Since(began) != 30*time.Second {
			t.Errorf("silence was noticed after %v", time.Since(began))
		}
		openedSubscribe(t, s)
	})
}

func TestReconnectingBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		receive(t, c, ack)
		var last time.Time
		for i, milliseconds := range []int{0, 100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000} {
			stream := openedSubscribe(t, s)
			bound := time.Duration(milliseconds) * time.Millisecond
			if waited := time.Since(last); i > 0 && (waited < bound/2 || waited > bound) {
				t.Errorf("wait %d took %v, want half to all of %v", i, waited, bound)
			}
			last = time.Now()
			stream.End(status.Error(codes.Unavailable, "cut"))
		}
		stream := openedSubscribe(t, s)
		pass(10 * time.Second) // Long enough to be healthy.
		last = time.Now()
		stream.End(status.Error(codes.Unavailable, "cut"))
		openedSubscribe(t, s)
		if waited := time.Since(last); waited > 100*time.Millisecond {
			t.Errorf("after a session that lived the wait took %v", waited)
		}
	})
}

func TestABrokenBatchOpensANewSession(t *testing.T) {
	for name, batch := range map[string]*headracev1.SubscribeResponse_Batch{
		"a gap in the sequence": {FirstSequence: 2, Runs: []*headracev1.PositionRun{{Count: 1}}, Messages: []*headracev1.Message{{}}},
		"too few positions":     {FirstSequence: 1, Messages: []*headracev1.Message{{}}},
		"too many positions":    {FirstSequence: 1, Runs: []*headracev1.PositionRun{{Count: 2}}, Messages: []*headracev1.Message{{}}},
		"attempts of others": {
			FirstSequence: 1, Runs: []*headracev1.PositionRun{{Count: 1}}, Messages: []*headracev1.Message{{}},
			Attempts: []*headracev1.SubscribeResponse_AttemptRun{{FirstSequence: 2, Count: 1, Attempt: 2}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, c := start(t)
				receive(t, c, ack)
				stream := openedSubscribe(t, s)
				began := time.Now()
				stream.Send(t, scripted.BatchFrame(batch))
				<-stream.Broken()
				if time.Since(began) != 0 { // Silence would break it too.
					t.Errorf("the batch was noticed after %v", time.Since(began))
				}
				openedSubscribe(t, s)
			})
		})
	}
}

func TestGoAwayIsWorkedOffAndThenReconnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		gate := make(chan struct{})
		receive(t, c, func(context.Context, *headrace.Delivery) error { <-gate; return nil })
		stream := openedSubscribe(t, s)
		stream.Send(t, scripted.Batch(1, 0, texts(3)...))
		stream.Send(t, scripted.GoAway(headracev1.GoAwayReason_GO_AWAY_REASON_SHUTDOWN))
		frames := framesOf(stream)
		synctest.Wait()
		close(gate)
		acked := uint64(0)
		for acked < 3 { // Settles go at once: each in its own frame, or together.
			settle := (<-frames).GetSettle()
			acked = settle.GetRanges()[0].GetLast()
			stream.Send(t, scripted.Confirm(settle.GetNumber()))
		}
		if f, open := <-frames; open {
			t.Errorf("after everything was settled: %v, want the client to half-close", f)
		}
		stream.End(nil)
		openedSubscribe(t, s)
	})
}

func TestGoAwayThatRunsOutCancelsHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		h := newHolder()
		receive(t, c, h.handle)
		stream := openedSubscribe(t, s)
		stream.Send(t, scripted.Batch(1, 0, "a"))
		<-h.begun
		stream.Send(t, scripted.GoAway(headracev1.GoAwayReason_GO_AWAY_REASON_SHUTDOWN))
		pass(5 * time.Second)
		stream.End(nil) // The grace is over.
		if why := <-h.ended; !errors.Is(why, headrace.ErrDeliveryLost) {
			t.Errorf("the handler ended because of %v", why)
		}
		openedSubscribe(t, s)
	})
}

func TestReceiveFailsWhenTheServerWasNeverReached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t, headrace.WithConnectTimeout(time.Second))
		s.Stop()
		began := time.Now()
		r := receive(t, c, ack)
		if err := <-r.result; !errors.Is(err, headrace.ErrUnreachable) || time.Since(began) != time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
	})
}
