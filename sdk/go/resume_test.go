package headrace_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	headrace "github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/sdk/go/internal/scripted"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"
)

// resumable is how a server opens a session that can be taken up again for 30 s.
func resumable(id string) *headracev1.SubscribeResponse_Opened {
	return &headracev1.SubscribeResponse_Opened{
		SessionId: id,
		Features: []headracev1.Feature{
			headracev1.Feature_FEATURE_STARTED, headracev1.Feature_FEATURE_RECALL, headracev1.Feature_FEATURE_RESUME,
		},
		Limits: &headracev1.SessionLimits{Lease: durationpb.New(30 * time.Second), ResumeWindow: durationpb.New(30 * time.Second)},
	}
}

// openedResumable takes the next subscribe stream and opens a session on it that can be
// taken up again.
func openedResumable(t *testing.T, s *scripted.Server, id string) *scripted.SubscribeStream {
	t.Helper()
	stream := <-s.Subscribes
	if open := scripted.AnswerOpen(t, stream, resumable(id)); open.GetResume() != nil && id == "one" {
		t.Errorf("the first stream resumes: %v", open)
	}
	return stream
}

// resumed takes the next subscribe stream, which must take up the session "one", and
// answers its Open.
func resumed(t *testing.T, s *scripted.Server, next uint64, kept ...uint64) (*scripted.SubscribeStream, *headracev1.SubscribeRequest_Resume) {
	t.Helper()
	stream := <-s.Subscribes
	opened := resumable("one")
	opened.Resumed = &headracev1.SubscribeResponse_Resumed{NextSequence: next, Kept: scripted.Ranges(kept...)}
	open := scripted.AnswerOpen(t, stream, opened)
	if open.GetResume().GetSessionId() != "one" || open.GetWindow().GetMessages() == 0 || open.GetTakeover() {
		t.Errorf("opened with %v", open)
	}
	return stream, open.GetResume()
}

// gated is a handler that begins and ends as the test wants.
type gated struct {
	begun  chan *headrace.Delivery
	finish chan error
}

func newGated() *gated {
	return &gated{begun: make(chan *headrace.Delivery, 100), finish: make(chan error)}
}

func (g *gated) handle(ctx context.Context, d *headrace.Delivery) error {
	g.begun <- d
	select {
	case err := <-g.finish:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// A server that keeps what was received, as it does for a subscription that delivers
// exactly once, takes nothing back when the time for its stop is over.
func TestAShutdownThatTakesNothingBackDoesNotDisturbHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		g := newGated()
		receive(t, c, g.handle)
		stream := openedResumable(t, s, "one")
		stream.Send(t, scripted.Batch(1, 0, texts(2)...))
		<-g.begun
		stream.Send(t, scripted.GoAway(headracev1.GoAwayReason_GO_AWAY_REASON_SHUTDOWN))
		pass(5 * time.Second)
		stream.End(nil) // The time is over.
		stream, resume := resumed(t, s, 3, 1, 2)
		wantRanges(t, "holding", resume.GetHolding(), 1, 2)
		g.finish <- nil
		<-g.begun
		g.finish <- nil
		for acked := uint64(0); acked < 2; { // Together or one by one, and leases are extended between.
			if settle := scripted.Next(t, stream).GetSettle(); settle != nil {
				acked = settle.GetRanges()[0].GetLast()
			}
		}
	})
}

func TestABrokenStreamDoesNotDisturbHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		g := newGated()
		receive(t, c, g.handle)
		stream := openedResumable(t, s, "one")
		stream.Send(t, scripted.Batch(1, 0, texts(4)...))
		<-g.begun
		g.finish <- nil
		wantSettle(t, settleOf(t, stream), 1, headracev1.Verdict_VERDICT_ACK, 1, 1)
		second := <-g.begun
		stream.End(errCut) // Before it is confirmed.
		stream, resume := resumed(t, s, 5, 2, 4)
		if resume.GetReceivedThrough() != 4 {
			t.Errorf("resume %v", resume)
		}
		wantRanges(t, "holding", resume.GetHolding(), 1, 4)
		wantSettle(t, scripted.NextSettle(t, stream), 1, headracev1.Verdict_VERDICT_ACK, 1, 1) // Unchanged.
		extend := scripted.NextExtend(t, stream)                                               // It was told before.
		if extend.GetNumber() != 2 {
			t.Errorf("extend %v", extend)
		}
		wantRanges(t, "extend", extend.GetRanges(), 2, 2)
		if second.Context().Err() != nil {
			t.Error("a handler was cancelled")
		}
		stream.Send(t, scripted.Confirm(2))
		stream.Send(t, scripted.Batch(5, 4, "e")) // It counts on.
		for range 4 {
			g.finish <- nil
		}
		wantSettle(t, scripted.NextSettle(t, stream), 3, headracev1.Verdict_VERDICT_ACK, 2, 5)
	})
}

// nextSettleAndStarted takes one of each, in either order.
func nextSettleAndStarted(
	t *testing.T, s *scripted.SubscribeStream,
) (settled *headracev1.SubscribeRequest_Settle, started *headracev1.SubscribeRequest_Started) {
	t.Helper()
	for settled == nil || started == nil {
		f := scripted.Next(t, s)
		switch {
		case f.GetSettle() != nil && settled == nil:
			settled = f.GetSettle()
		case f.GetStarted() != nil && started == nil:
			started = f.GetStarted()
		default:
			t.Fatalf("the next frame is %v", f)
		}
	}
	return settled, started
}

func TestNothingBeginsWhileTheStreamIsBroken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		g := newGated()
		receive(t, c, g.handle)
		stream := openedResumable(t, s, "one")
		stream.Send(t, scripted.Batch(1, 0, texts(3)...))
		<-g.begun
		stream.End(errCut)
		synctest.Wait()
		g.finish <- nil
		synctest.Wait()
		if len(g.begun) != 0 {
			t.Error("a handler began")
		}
		stream, resume := resumed(t, s, 4, 1, 2) // The third is gone.
		wantRanges(t, "holding", resume.GetHolding(), 1, 3)
		if d := <-g.begun; d.Sequence() != 2 {
			t.Errorf("delivery %d began", d.Sequence())
		}
		settled, started := nextSettleAndStarted(t, stream)
		wantSettle(t, settled, 1, headracev1.Verdict_VERDICT_ACK, 1, 1)
		wantRanges(t, "started", started.GetRanges(), 2, 2)
		g.finish <- nil
		wantSettle(t, scripted.NextSettle(t, stream), 2, headracev1.Verdict_VERDICT_ACK, 2, 2)
	})
}

func TestWhatTheBrokenStreamTookAlongIsSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		g := newGated()
		receive(t, c, g.handle)
		stream := openedResumable(t, s, "one")
		stream.Send(t, scripted.Batch(1, 0, texts(2)...))
		<-g.begun
		stream.End(errCut)
		stream, _ = resumed(t, s, 11, 1, 2) // 3 to 10 were sent and never came.
		stream.Send(t, scripted.Batch(11, 10, texts(2)...))
		for range 4 {
			g.finish <- nil
		}
		acked := []uint64{}
		for len(acked) < 4 {
			f := scripted.Next(t, stream)
			for _, r := range f.GetSettle().GetRanges() {
				for n := r.GetFirst(); n <= r.GetLast(); n++ {
					acked = append(acked, n)
				}
			}
		}
		if !slices.Equal(acked, []uint64{1, 2, 11, 12}) {
			t.Errorf("acked %v", acked)
		}
	})
}

func TestASessionThatIsNotTakenUpIsANewOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		h := newHolder()
		receive(t, c, h.handle)
		stream := openedResumable(t, s, "one")
		stream.Send(t, scripted.Batch(1, 0, texts(3)...))
		<-h.begun
		stream.End(errCut)
		synctest.Wait()
		if len(h.ended) != 0 {
			t.Error("the handler was cancelled before anybody knew")
		}
		stream = openedResumable(t, s, "two")
		if why := <-h.ended; !errors.Is(why, headrace.ErrDeliveryLost) {
			t.Errorf("the handler ended because of %v", why)
		}
		stream.Send(t, scripted.Batch(1, 0, texts(1)...))
		d := <-h.begun
		d.Ack()
		wantSettle(t, scripted.NextSettle(t, stream), 1, headracev1.Verdict_VERDICT_ACK, 1, 1)
		if len(h.begun) != 0 {
			t.Error("a delivery of the old session began")
		}
	})
}

func TestASessionIsOverWhenItsWindowIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		h := newHolder()
		receive(t, c, h.handle)
		stream := openedResumable(t, s, "one")
		stream.Send(t, scripted.Batch(1, 0, "a"))
		<-h.begun
		broken := time.Now()
		stream.End(errCut)
		silent := <-s.Subscribes // Takes the stream and says nothing.
		if why := <-h.ended; !errors.Is(why, headrace.ErrDeliveryLost) || time.Since(broken) != 30*time.Second {
			t.Errorf("after %v the handler ended because of %v", time.Since(broken), why)
		}
		<-silent.Broken()
		if open := scripted.AnswerOpen(t, <-s.Subscribes, resumable("two")); open.GetResume() != nil {
			t.Errorf("opened with %v", open)
		}
	})
}

func TestAnAckIsConfirmedOverABreak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		result := make(chan error, 1)
		receive(t, c, func(ctx context.Context, d *headrace.Delivery) error {
			result <- d.AckConfirm(ctx)
			return nil
		})
		stream := openedResumable(t, s, "one")
		stream.Send(t, scripted.Batch(1, 0, "a"))
		scripted.NextSettle(t, stream)
		stream.End(errCut)
		stream, _ = resumed(t, s, 2) // Applied already: the server keeps nothing.
		scripted.NextSettle(t, stream)
		stream.Send(t, scripted.Confirm(1))
		if err := <-result; err != nil {
			t.Errorf("the ack: %v", err)
		}
	})
}

func TestGoAwayHasASuccessorThatGoesOn(t *testing.T) {
	for _, reason := range []headracev1.GoAwayReason{
		headracev1.GoAwayReason_GO_AWAY_REASON_REBALANCE, headracev1.GoAwayReason_GO_AWAY_REASON_STREAM,
	} {
		t.Run(reason.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, c := start(t)
				g := newGated()
				receive(t, c, g.handle)
				old := openedResumable(t, s, "one")
				old.Send(t, scripted.Batch(1, 0, texts(2)...))
				<-g.begun
				began := time.Now()
				old.Send(t, scripted.GoAway(reason))
				stream := <-s.Subscribes
				old.Send(t, scripted.Batch(3, 2, "late")) // Nobody takes it.
				select {
				case <-old.Broken():
					t.Error("the old stream broke before its successor was open")
				default:
				}
				opened := resumable("one")
				opened.Resumed = &headracev1.SubscribeResponse_Resumed{NextSequence: 4, Kept: scripted.Ranges(1, 2)}
				if resume := scripted.AnswerOpen(t, stream, opened).GetResume(); resume.GetReceivedThrough() != 2 || time.Since(began) != 0 {
					t.Errorf("after %v: resume %v", time.Since(began), resume)
				}
				old.End(nil)
				g.finish <- nil
				g.finish <- nil
				wantSettle(t, settleOf(t, stream), 1, headracev1.Verdict_VERDICT_ACK, 1, 2)
			})
		})
	}
}

// settleOf returns the next settle, whatever comes before it.
func settleOf(t *testing.T, stream *scripted.SubscribeStream) *headracev1.SubscribeRequest_Settle {
	t.Helper()
	for {
		if s := scripted.Next(t, stream).GetSettle(); s != nil {
			return s
		}
	}
}

func TestATakenOverSessionIsNeverTakenUpAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		h := newHolder()
		r := receive(t, c, h.handle)
		stream := openedResumable(t, s, "one")
		stream.Send(t, scripted.Batch(1, 0, "a"))
		<-h.begun
		stream.End(scripted.Status(codes.FailedPrecondition, headracev1.ErrorReason_ERROR_REASON_TAKEN_OVER, nil))
		if err := <-r.result; !errors.Is(err, headrace.ErrTakenOver) {
			t.Errorf("Receive ended with %v", err)
		}
		if why := <-h.ended; !errors.Is(why, headrace.ErrDeliveryLost) || !errors.Is(why, headrace.ErrTakenOver) {
			t.Errorf("the handler ended because of %v", why)
		}
	})
}

func TestAStopWhileTheStreamIsBrokenEndsReceive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		h := newHolder()
		r := receive(t, c, h.handle)
		stream := openedResumable(t, s, "one")
		stream.Send(t, scripted.Batch(1, 0, texts(2)...))
		<-h.begun
		stream.End(errCut)
		<-s.Subscribes // Says nothing.
		r.stop()
		if waited := r.ended(t); waited != 0 {
			t.Errorf("Receive took %v to return", waited)
		}
		if why := <-h.ended; !errors.Is(why, headrace.ErrDeliveryLost) {
			t.Errorf("the handler ended because of %v", why)
		}
	})
}
