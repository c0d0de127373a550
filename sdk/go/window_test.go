package headrace_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	headrace "github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/sdk/go/internal/scripted"
)

// wantWindow wants a window of a size.
func wantWindow(t *testing.T, got *headracev1.SubscribeRequest_Window, messages, bytes uint64) {
	t.Helper()
	if got.GetMessages() != messages || got.GetBytes() != bytes {
		t.Errorf("window %v, want %d messages, %d bytes", got, messages, bytes)
	}
}

func TestAWindowIsAtLeastOneMessageAndOneByte(t *testing.T) {
	w := headrace.NewWindow(0, -1)
	if messages, bytes := w.Size(); messages != 1 || bytes != 1 {
		t.Errorf("%d messages, %d bytes", messages, bytes)
	}
	w.Resize(7, 100)
	if messages, bytes := w.Size(); messages != 7 || bytes != 100 {
		t.Errorf("then %d messages, %d bytes", messages, bytes)
	}
	w.Resize(-1, 0)
	if messages, bytes := w.Size(); messages != 1 || bytes != 1 {
		t.Errorf("then %d messages, %d bytes", messages, bytes)
	}
}

func TestAWindowIsResizedWhileASessionLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		w := headrace.NewWindow(50, 1<<20)
		receive(t, c, ack, headrace.WithWindow(1, 1), headrace.WithResizableWindow(w), headrace.WithResizableWindow(nil))
		stream := <-s.Subscribes
		wantWindow(t, scripted.OpenSubscribe(t, stream, nil).GetWindow(), 50, 1<<20)
		w.Resize(100, 2<<20)
		wantWindow(t, scripted.Next(t, stream).GetWindow(), 100, 2<<20)
		w.Resize(5, 1000)
		wantWindow(t, scripted.Next(t, stream).GetWindow(), 5, 1000)
		w.Resize(5, 1000)
		wantSilence(t, stream)
	})
}

func TestAHandlerResizesTheWindowOfSeveralSubscribers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		w := headrace.NewWindow(50, 1<<20)
		handler := func(context.Context, *headrace.Delivery) error {
			w.Resize(10, 1<<20)
			return nil
		}
		receive(t, c, handler, headrace.WithResizableWindow(w))
		receive(t, c, handler, headrace.WithResizableWindow(w))
		one, two := openedSubscribe(t, s), openedSubscribe(t, s)
		one.Send(t, scripted.Batch(1, 0, "a"))
		wantWindow(t, scripted.Next(t, one).GetWindow(), 10, 1<<20)
		wantWindow(t, scripted.Next(t, two).GetWindow(), 10, 1<<20)
	})
}

func TestSettlesGoAtHalfOfTheNewWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		w := headrace.NewWindow(1_000, 1<<20)
		receive(t, c, ack, headrace.WithResizableWindow(w))
		stream := openedSubscribe(t, s)
		w.Resize(4, 1<<20)
		wantWindow(t, scripted.Next(t, stream).GetWindow(), 4, 1<<20)
		began := time.Now()
		stream.Send(t, scripted.Batch(1, 0, "a", "b"))
		wantSettle(t, scripted.NextSettle(t, stream), 1, headracev1.Verdict_VERDICT_ACK, 1, 2)
		if waited := time.Since(began); waited != 0 {
			t.Errorf("settled after %v", waited)
		}
	})
}

func TestAWindowThatIsResizedWhileItDrainsIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		w := headrace.NewWindow(50, 1<<20)
		g := newGated()
		r := receive(t, c, g.handle, headrace.WithResizableWindow(w))
		stream := openedSubscribe(t, s)
		stream.Send(t, scripted.Batch(1, 0, "a"))
		<-g.begun
		r.stop()
		scripted.NextDrain(t, stream)
		w.Resize(5, 1000)
		synctest.Wait()
		g.finish <- nil
		wantSettle(t, scripted.NextSettle(t, stream), 1, headracev1.Verdict_VERDICT_ACK, 1, 1)
		stream.Send(t, scripted.Confirm(1))
		stream.Send(t, scripted.Drained())
		scripted.WaitHalfClose(t, stream)
		stream.End(nil)
		r.ended(t)
	})
}

func TestASessionThatIsTakenUpHasTheNewestWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		w := headrace.NewWindow(50, 1<<20)
		receive(t, c, ack, headrace.WithResizableWindow(w))
		openedResumable(t, s, "one").End(errCut)
		synctest.Wait()
		w.Resize(100, 1<<20)
		w.Resize(5, 1000)
		stream := <-s.Subscribes
		opened := resumable("one")
		opened.Resumed = &headracev1.SubscribeResponse_Resumed{NextSequence: 1}
		wantWindow(t, scripted.AnswerOpen(t, stream, opened).GetWindow(), 5, 1000)
		wantSilence(t, stream)
		w.Resize(6, 1000)
		wantWindow(t, scripted.Next(t, stream).GetWindow(), 6, 1000)
	})
}

func TestCreditByHandStaysWithinAWindowThatIsResized(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		w := headrace.NewWindow(4, 1000)
		g := newGated()
		defer close(g.finish)
		receive(t, c, g.handle, headrace.WithManualCredit(8), headrace.WithResizableWindow(w))
		stream := openedManual(t, s)
		wantGrant(t, stream, 4, 1000) // Not one that waits, and 8.
		stream.Send(t, scripted.Batch(1, 0, texts(4)...))
		<-g.begun
		w.Resize(2, 1000)
		wantGrant(t, stream, 3, 1000+5) // What is begun counts no more.
		w.Resize(3, 2000)
		wantGrant(t, stream, 4, 2000+5)
		w.Resize(9, 2000)
		wantGrant(t, stream, 9, 2000+5) // One is begun; 8 is what was asked for.
		w.Resize(9, 500)
		wantGrant(t, stream, 9, 500+5-1)
		for range 3 {
			g.finish <- nil
			<-g.begun
		}
		wantGrant(t, stream, 12, 0)
	})
}

func TestCreditByHandGoesOnWhereNothingBoundsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		g := newGated()
		defer close(g.finish)
		receive(t, c, g.handle, headrace.WithManualCredit(2), headrace.WithWindow(math.MaxInt, math.MaxInt))
		stream := openedManual(t, s)
		wantGrant(t, stream, 3, math.MaxInt64)
		stream.Send(t, scripted.Batch(1, 0, "a"))
		<-g.begun
		g.finish <- nil
		wantGrant(t, stream, 4, math.MaxInt64)
	})
}

func TestAsManyAsThereAreMayBeAskedForAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		g := newGated()
		defer close(g.finish)
		receive(t, c, g.handle, headrace.WithManualCredit(math.MaxInt))
		stream := openedManual(t, s)
		wantGrant(t, stream, math.MaxInt64, headrace.DefaultWindowBytes)
	})
}

// A message larger than the window comes alone when a grant raised the bytes after the
// last charge: one that lowers them is followed by one that does.
func TestALargeMessageComesByHandAfterAShrink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		w := headrace.NewWindow(4, 1000)
		g := newGated()
		defer close(g.finish)
		receive(t, c, g.handle, headrace.WithManualCredit(0), headrace.WithResizableWindow(w))
		stream := openedManual(t, s)
		wantGrant(t, stream, 1, 1000)
		stream.Send(t, scripted.Batch(1, 0, "a"))
		<-g.begun
		g.finish <- nil
		wantGrant(t, stream, 2, 1000+5)
		w.Resize(4, 100)
		wantGrant(t, stream, 2, 100+5-1)
		wantGrant(t, stream, 2, 100+5)
		wantSilence(t, stream)
	})
}

// The same when the shrink leaves the bytes where they are, for as many were charged.
func TestALargeMessageComesByHandAfterAShrinkByWhatWasCharged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		w := headrace.NewWindow(4, 1000)
		g := newGated()
		defer close(g.finish)
		receive(t, c, g.handle, headrace.WithManualCredit(0), headrace.WithResizableWindow(w))
		stream := openedManual(t, s)
		wantGrant(t, stream, 1, 1000)
		stream.Send(t, scripted.Batch(1, 0, "a"))
		<-g.begun
		w.Resize(4, 1000-5)
		wantGrant(t, stream, 1, 1000-1)
		g.finish <- nil
		wantGrant(t, stream, 2, 1000)
		wantSilence(t, stream)
	})
}
