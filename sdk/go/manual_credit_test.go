package headrace_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	headrace "github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/sdk/go/internal/scripted"
	"google.golang.org/grpc/codes"
)

// openedManual takes the next subscribe stream, which must give credit by hand, and
// answers its Open.
func openedManual(t *testing.T, s *scripted.Server) *scripted.SubscribeStream {
	t.Helper()
	stream := <-s.Subscribes
	opened := resumable("one")
	opened.SettledWhenSent = true
	wantManual(t, scripted.AnswerOpen(t, stream, opened))
	return stream
}

func wantManual(t *testing.T, open *headracev1.SubscribeRequest_Open) {
	t.Helper()
	if open.GetReplenish() != headracev1.Replenish_REPLENISH_MANUAL || open.GetWindow() != nil {
		t.Errorf("opened with %v", open)
	}
}

// wantGrant takes the subscriber's next frame, which must be a Grant.
func wantGrant(t *testing.T, s *scripted.SubscribeStream, through, throughBytes uint64) {
	t.Helper()
	g := scripted.Next(t, s).GetGrant()
	for throughBytes == 0 && g.GetThroughSequence() > 0 && g.GetThroughSequence() < through {
		g = scripted.Next(t, s).GetGrant() // That was for bytes alone.
	}
	if g.GetThroughSequence() != through || throughBytes != 0 && g.GetThroughBytes() != throughBytes {
		t.Errorf("grant %v, want through %d, %d bytes", g, through, throughBytes)
	}
}

// wantSilence wants no frame but heartbeats for some time.
func wantSilence(t *testing.T, s *scripted.SubscribeStream) {
	t.Helper()
	quiet(t, s, func(f *headracev1.SubscribeRequest) bool { return f.GetHeartbeat() != nil })
}

// wantNoMore wants no frame for some time that asks for messages beyond a sequence. One
// who waits may ask for the bytes of what another one took.
func wantNoMore(t *testing.T, s *scripted.SubscribeStream, through uint64) {
	t.Helper()
	quiet(t, s, func(f *headracev1.SubscribeRequest) bool {
		return f.GetHeartbeat() != nil || f.GetGrant().GetThroughSequence() == through
	})
}

// quiet wants no frame for some time but those that are allowed.
func quiet(t *testing.T, s *scripted.SubscribeStream, allowed func(*headracev1.SubscribeRequest) bool) {
	t.Helper()
	for began := time.Now(); time.Since(began) < 15*time.Second; {
		if f := s.MustRecv(t); !allowed(f) {
			t.Errorf("the subscriber says %v", f)
		}
	}
}

// refuseReplenish refuses a stream as a subscription does that delivers at most once.
func refuseReplenish(t *testing.T, s *scripted.Server) {
	t.Helper()
	stream := <-s.Subscribes
	stream.MustRecv(t)
	stream.End(scripted.Status(codes.InvalidArgument, headracev1.ErrorReason_ERROR_REASON_INVALID_FIELD,
		map[string]string{"field": "replenish"}))
}

func TestALoopAsksForEachDelivery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		pull, got := make(chan struct{}), make(chan string)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for d, err := range c.Subscription("billing").Deliveries(ctx, headrace.WithManualCredit(0), headrace.WithWindow(1, 1000)) {
				if err != nil {
					t.Error(err)
					return
				}
				got <- string(d.Data)
				<-pull
			}
		}()
		stream := openedManual(t, s)
		wantGrant(t, stream, 1, 1000)
		stream.Send(t, scripted.Batch(1, 0, "a"))
		<-got
		wantSilence(t, stream)
		pull <- struct{}{}
		wantGrant(t, stream, 2, 1000+5) // Tag, length, field, length, "a".
		stream.Send(t, scripted.Batch(2, 1, "b"))
		<-got
		stop()
		scripted.NextDrain(t, stream)
		close(pull)
		drained(t, stream)
		<-ended
	})
}

func TestReceiveAsksForAsManyAsHandlersWaitAndSomeAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		g := newGated()
		r := receive(t, c, g.handle, headrace.WithManualCredit(8), headrace.WithConcurrency(2))
		stream := openedManual(t, s)
		synctest.Wait()
		wantGrant(t, stream, 10, 0)
		stream.Send(t, scripted.Batch(1, 0, texts(10)...))
		<-g.begun
		<-g.begun
		wantNoMore(t, stream, 10) // They wait for nothing, and little is used up.
		for range 3 {
			g.finish <- nil
			<-g.begun
		}
		wantGrant(t, stream, 13, 0) // More than a quarter of 8.
		for range 3 {
			g.finish <- nil
			<-g.begun
		}
		wantGrant(t, stream, 16, 0)
		r.stop()
		scripted.NextDrain(t, stream)
		stream.Send(t, scripted.Drained())
		for range 4 { // Two that work, and two that wait in the client.
			g.finish <- nil
		}
		scripted.WaitHalfClose(t, stream)
		stream.End(nil)
		if err := <-r.result; err != nil {
			t.Error(err)
		}
	})
}

func TestASubscriptionThatWantsCreditByHandGetsItAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		began := time.Now()
		receive(t, c, ack)
		refuseReplenish(t, s)
		stream := openedManual(t, s)
		wantGrant(t, stream, 1, headrace.DefaultWindowBytes)
		if waited := time.Since(began); waited != 0 {
			t.Errorf("it waited for %v", waited)
		}
	})
}

func TestCreditByHandCountsOnInASessionThatIsTakenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		g := newGated()
		receive(t, c, g.handle, headrace.WithManualCredit(3), headrace.WithWindow(4, 1000))
		stream := <-s.Subscribes
		wantManual(t, scripted.AnswerOpen(t, stream, resumable("one")))
		wantGrant(t, stream, 4, 1000)
		stream.Send(t, scripted.Batch(1, 0, texts(3)...))
		<-g.begun
		stream.End(errCut)
		stream = <-s.Subscribes
		opened := resumable("one") // Sequence 4 was lost on its way.
		opened.Resumed = &headracev1.SubscribeResponse_Resumed{NextSequence: 5, Kept: scripted.Ranges(1, 3), ChargedBytes: 20}
		wantManual(t, scripted.AnswerOpen(t, stream, opened))
		for {
			if grant := scripted.Next(t, stream).GetGrant(); grant != nil {
				// Two wait in the client: 2 of 4 are taken, and 10 of 20 bytes.
				if grant.GetThroughSequence() != 5 || grant.GetThroughBytes() != 1010 {
					t.Errorf("grant %v", grant)
				}
				break
			}
		}
	})
}

func TestWhatIsSettledWhenSentOutlivesItsSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		g := newGated()
		receive(t, c, g.handle, headrace.WithManualCredit(3))
		stream := openedManual(t, s)
		wantGrant(t, stream, 4, 0)
		stream.Send(t, scripted.Batch(1, 0, texts(3)...))
		first := <-g.begun
		stream.End(errCut)
		synctest.Wait()
		if first.Context().Err() != nil {
			t.Error("a handler was cancelled of whose message nobody else hears")
		}
		g.finish <- nil
		got := []string{string((<-g.begun).Data)} // It does not wait for a stream.
		stream = openedManual(t, s)               // Another session: nothing is resumed.
		wantGrant(t, stream, 2, 0)                // One of the session before it waits in the client.
		stream.Send(t, scripted.Batch(1, 9, "x"))
		for range 2 {
			g.finish <- nil
			got = append(got, string((<-g.begun).Data))
		}
		if text := strings.Join(got, " "); text != "1 2 x" {
			t.Errorf("then came %s", text)
		}
		g.finish <- nil
	})
}

func TestWhatIsSettledWhenSentIsWorkedOffAfterAStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lost := make(chan headrace.Event, 10)
		s, c := start(t, headrace.WithEvents(func(e headrace.Event) {
			if e.Kind == headrace.DeliveriesLost {
				lost <- e
			}
		}))
		g := newGated()
		r := receive(t, c, g.handle, headrace.WithManualCredit(10), headrace.WithDrainTimeout(time.Minute))
		stream := openedManual(t, s)
		wantGrant(t, stream, 11, 0)
		stream.Send(t, scripted.Batch(1, 0, texts(4)...))
		<-g.begun
		r.stop()
		scripted.NextDrain(t, stream)
		stream.Send(t, scripted.Batch(5, 4, "on its way"))
		stream.Send(t, scripted.Drained())
		for range 2 {
			pass(time.Second)
			g.finish <- nil
			<-g.begun
		}
		for err := error(nil); err == nil; { // The third one takes too long.
			_, err = stream.Recv()
		}
		stream.End(nil)
		if err := <-r.result; err != nil {
			t.Error(err)
		}
		if e := <-lost; e.Count != 2 || e.Detail != "STOPPED" || len(lost) != 0 {
			t.Errorf("lost: %+v", e)
		}
	})
}

func TestOnlyAnAckIsTrueOfWhatIsSettledWhenSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dropped := make(chan headrace.Event, 10)
		s, c := start(t, headrace.WithEvents(func(e headrace.Event) {
			if e.Kind == headrace.SettlesDropped {
				dropped <- e
			}
		}))
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for d, err := range c.Subscription("billing").Deliveries(ctx, headrace.WithManualCredit(1)) {
				if err != nil {
					t.Error(err)
					return
				}
				if d.Sequence() == 1 {
					if err := d.AckConfirm(t.Context()); err != nil {
						t.Error(err)
					}
					continue
				}
				if err := d.RetryConfirm(t.Context()); err == nil {
					t.Error("a retry is confirmed")
				}
				stop()
			}
		}()
		stream := openedManual(t, s)
		wantGrant(t, stream, 2, 0)
		stream.Send(t, scripted.Batch(1, 0, "a", "b"))
		for f := scripted.Next(t, stream); f.GetDrain() == nil; f = scripted.Next(t, stream) {
			if f.GetGrant() == nil {
				t.Errorf("the subscriber says %v", f)
			}
		}
		drained(t, stream)
		<-ended
		if len(dropped) != 1 {
			t.Errorf("%d settles dropped", len(dropped))
		}
	})
}
