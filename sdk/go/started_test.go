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
	"google.golang.org/protobuf/types/known/durationpb"
)

// openedServing takes the next subscribe stream and answers its Open as a server that
// serves Started and Recall.
func openedServing(t *testing.T, s *scripted.Server) *scripted.SubscribeStream {
	t.Helper()
	stream := <-s.Subscribes
	scripted.OpenSubscribe(t, stream, &headracev1.SessionLimits{Lease: durationpb.New(30 * time.Second)},
		headracev1.Feature_FEATURE_STARTED, headracev1.Feature_FEATURE_RECALL)
	return stream
}

func wantRanges(t *testing.T, what string, got []*headracev1.SequenceRange, pairs ...uint64) {
	t.Helper()
	same := func(a, b *headracev1.SequenceRange) bool {
		return a.GetFirst() == b.GetFirst() && a.GetLast() == b.GetLast()
	}
	if !slices.EqualFunc(got, scripted.Ranges(pairs...), same) {
		t.Errorf("%s names %v, want %v", what, got, pairs)
	}
}

func TestTheClientSaysWhatItCanDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		receive(t, c, ack)
		open := scripted.OpenSubscribe(t, <-s.Subscribes, nil)
		for _, f := range []headracev1.Feature{headracev1.Feature_FEATURE_STARTED, headracev1.Feature_FEATURE_RECALL} {
			if !slices.Contains(open.GetFeatures(), f) {
				t.Errorf("%v is not among %v", f, open.GetFeatures())
			}
		}
	})
}

func TestWhatIsWorkedOnIsToldWithinFiveMillisecondsAndExtendedAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		h := newHolder()
		receive(t, c, h.handle, headrace.WithConcurrency(2))
		stream := openedServing(t, s)
		began := time.Now()
		stream.Send(t, scripted.Batch(1, 0, texts(5)...))
		wantRanges(t, "started", scripted.NextStarted(t, stream).GetRanges(), 1, 2)
		if waited := time.Since(began); waited != 5*time.Millisecond {
			t.Errorf("told after %v", waited)
		}
		told := time.Now()
		beating(stream)
		for i := range 3 {
			e := scripted.NextExtend(t, stream)
			wantRanges(t, "extend", e.GetRanges(), 1, 2)
			if at := time.Duration(i+1) * 10 * time.Second; time.Since(told) != at {
				t.Errorf("extended %v after it was told, want %v", time.Since(told), at)
			}
		}
		stream.Send(t, scripted.Revoked(1, 1, headracev1.RevokeReason_REVOKE_REASON_SEEK))
		wantRanges(t, "started", scripted.NextStarted(t, stream).GetRanges(), 3, 3) // The worker's next.
	})
}

func TestWhatIsSettledAtOnceIsNotTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		receive(t, c, ack)
		stream := openedServing(t, s)
		stream.Send(t, scripted.Batch(1, 0, texts(100)...))
		wantSettle(t, scripted.NextSettle(t, stream), 1, headracev1.Verdict_VERDICT_ACK, 1, 100)
	})
}

func TestWhatALoopHandsOverIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for d, err := range c.Subscription("billing").Deliveries(ctx, headrace.WithDrainTimeout(time.Second)) {
				if err != nil {
					t.Error(err)
				} else if d.Sequence()%2 == 0 {
					d.Ack()
				}
			}
		}()
		stream := openedServing(t, s)
		stream.Send(t, scripted.Batch(1, 0, texts(4)...))
		wantRanges(t, "started", scripted.NextStarted(t, stream).GetRanges(), 1, 1, 3, 3)
		wantSettle(t, scripted.NextSettle(t, stream), 1, headracev1.Verdict_VERDICT_ACK, 2, 2, 4, 4)
		stop()
		stream.End(nil)
		<-ended
	})
}

func TestWhatNobodyHasBegunLivesByHeartbeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		h := newHolder()
		receive(t, c, h.handle, headrace.WithMaxExtension(15*time.Second))
		stream := openedServing(t, s)
		stream.Send(t, scripted.Batch(1, 0, texts(2)...))
		beating(stream)
		wantRanges(t, "started", scripted.NextStarted(t, stream).GetRanges(), 1, 1)
		// Extended at 10 s, and no more at 20 s: the first one's lease ends at 40 s.
		wantRanges(t, "extend", scripted.NextExtend(t, stream).GetRanges(), 1, 1)
		if why := <-h.ended; !errors.Is(why, headrace.ErrDeliveryLost) {
			t.Errorf("the first handler ended because of %v", why)
		}
		// The second one waited 40 s and has all its time still.
		wantRanges(t, "started", scripted.NextStarted(t, stream).GetRanges(), 2, 2)
		wantRanges(t, "extend", scripted.NextExtend(t, stream).GetRanges(), 2, 2)
	})
}

func TestARecallGetsWhatNobodyHasBegun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var recalled, lost int
		s, c := start(t, headrace.WithEvents(func(e headrace.Event) {
			if e.Kind == headrace.DeliveriesRecalled {
				recalled += e.Count
			}
			if e.Kind == headrace.DeliveriesLost || e.Kind == headrace.SettlesDropped {
				lost++
			}
		}))
		begun, finish := make(chan uint64, 6), make(chan struct{})
		receive(t, c, func(_ context.Context, d *headrace.Delivery) error {
			begun <- d.Sequence()
			<-finish
			return nil
		})
		stream := openedServing(t, s)
		stream.Send(t, scripted.Batch(1, 0, texts(6)...))
		<-begun
		began := time.Now()
		stream.Send(t, scripted.Recall(1, 4)) // The first is begun, and the server does not know.
		wantRanges(t, "started", scripted.NextStarted(t, stream).GetRanges(), 1, 1)
		wantSettle(t, scripted.NextSettle(t, stream), 1, headracev1.Verdict_VERDICT_RELEASE, 2, 4)
		if waited := time.Since(began); waited != 0 {
			t.Errorf("answered after %v", waited)
		}
		stream.Send(t, scripted.Recall(1, 1)) // It has crossed the Started.
		close(finish)
		wantSettle(t, scripted.NextSettle(t, stream), 2, headracev1.Verdict_VERDICT_ACK, 1, 1, 5, 6)
		if next := <-begun; next != 5 {
			t.Errorf("the next handler got delivery %d", next)
		}
		synctest.Wait()
		if recalled != 3 || lost != 0 {
			t.Errorf("%d recalled, %d lost", recalled, lost)
		}
	})
}
