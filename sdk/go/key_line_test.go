package headrace_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	headrace "github.com/headrace/headrace/sdk/go"
	"github.com/headrace/headrace/sdk/go/internal/scripted"
)

// openedOrdered takes the next subscribe stream and opens a session on it whose order the
// client keeps.
func openedOrdered(t *testing.T, s *scripted.Server, by headracev1.OrderedBy) *scripted.SubscribeStream {
	t.Helper()
	stream := <-s.Subscribes
	opened := resumable("one")
	opened.Features = []headracev1.Feature{headracev1.Feature_FEATURE_KEY_BATCHES}
	opened.OrderedBy = by
	if open := scripted.AnswerOpen(t, stream, opened); !slices.Contains(open.GetFeatures(), headracev1.Feature_FEATURE_KEY_BATCHES) {
		t.Errorf("opened with %v", open)
	}
	return stream
}

// works has the sequences of the handlers that work, ascending.
func (g *gated) works() []uint64 {
	synctest.Wait()
	var all []uint64
	for len(g.begun) > 0 {
		all = append(all, (<-g.begun).Sequence())
	}
	slices.Sort(all)
	return all
}

func (g *gated) wantWorks(t *testing.T, sequences ...uint64) {
	t.Helper()
	if got := g.works(); !slices.Equal(got, sequences) {
		t.Errorf("%v began, want %v", got, sequences)
	}
}

func TestDeliveriesOfAKeyAreWorkedOnOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		g := newGated()
		receive(t, c, g.handle, headrace.WithConcurrency(4))
		stream := openedOrdered(t, s, headracev1.OrderedBy_ORDERED_BY_KEY)
		stream.Send(t, scripted.Keyed(1, 0, "a", "a", "", "", "a"))
		g.wantWorks(t, 1, 3, 4)
		g.finish <- nil // One of three: unknown which.
		g.finish <- nil
		g.finish <- nil
		g.wantWorks(t, 2) // And nothing of it beside it.
		g.finish <- nil
		g.wantWorks(t, 5)
		g.finish <- nil
		wantSettle(t, scripted.NextSettle(t, stream), 1, headracev1.Verdict_VERDICT_ACK, 1, 5)
	})
}

func TestWithoutAnOrderKeysAreOfNoInterest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		g := newGated()
		receive(t, c, g.handle, headrace.WithConcurrency(4))
		stream := openedOrdered(t, s, headracev1.OrderedBy_ORDERED_BY_UNSPECIFIED)
		stream.Send(t, scripted.Keyed(1, 0, "a", "a", "a"))
		g.wantWorks(t, 1, 2, 3)
	})
}

func TestAPartitionIsAKeyWhereItCountsAsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		g := newGated()
		receive(t, c, g.handle, headrace.WithConcurrency(4))
		stream := openedOrdered(t, s, headracev1.OrderedBy_ORDERED_BY_PARTITION)
		stream.Send(t, scripted.BatchFrame(&headracev1.SubscribeResponse_Batch{
			FirstSequence: 1,
			Runs:          []*headracev1.PositionRun{{Count: 2}, {Partition: 1, Count: 2}},
			Messages:      []*headracev1.Message{{OrderingKey: "a"}, {OrderingKey: "b"}, {}, {}},
		}))
		g.wantWorks(t, 1, 3)
	})
}

// The server takes back what comes behind a failure, and has said so when it confirms.
func TestAKeyWhoseHandlerFailsStopsUntilThatIsConfirmed(t *testing.T) {
	for _, workers := range []int{1, 4} {
		synctest.Test(t, func(t *testing.T) {
			s, c := start(t)
			g := newGated()
			receive(t, c, g.handle, headrace.WithConcurrency(workers))
			stream := openedOrdered(t, s, headracev1.OrderedBy_ORDERED_BY_KEY)
			stream.Send(t, scripted.Keyed(1, 0, "a", "a", "a"))
			g.wantWorks(t, 1)
			g.finish <- errors.New("failed")
			g.wantWorks(t)
			retry := scripted.NextSettle(t, stream)
			if retry.GetVerdict() != headracev1.Verdict_VERDICT_RETRY {
				t.Errorf("settle %v", retry)
			}
			stream.Send(t, scripted.Keyed(4, 3, "a", "b")) // Crosses the retry.
			g.wantWorks(t, 5)
			stream.Send(t, scripted.Revoked(2, 4, headracev1.RevokeReason_REVOKE_REASON_KEY_ORDER))
			stream.Send(t, scripted.Confirm(1))
			g.wantWorks(t)
			g.finish <- nil
			stream.Send(t, scripted.Keyed(6, 5, "a", "a"))
			g.wantWorks(t, 6)
			g.finish <- nil
			g.wantWorks(t, 7)
		})
	}
}

func TestARecallOrARevokeLetsTheKeyGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		g := newGated()
		receive(t, c, g.handle, headrace.WithConcurrency(4))
		stream := openedOrdered(t, s, headracev1.OrderedBy_ORDERED_BY_KEY)
		stream.Send(t, scripted.Keyed(1, 0, "a", "a", "a", "a"))
		g.wantWorks(t, 1)
		stream.Send(t, scripted.Revoked(1, 2, headracev1.RevokeReason_REVOKE_REASON_SEEK))
		g.wantWorks(t, 3) // The first one's handler has returned, cancelled.
		stream.Send(t, scripted.Revoked(4, 4, headracev1.RevokeReason_REVOKE_REASON_SEEK))
		synctest.Wait()
		g.finish <- nil
		g.wantWorks(t)
		stream.Send(t, scripted.Keyed(5, 4, "a"))
		g.wantWorks(t, 5)
	})
}

// A loop gathers as many of a key as it likes; what comes behind one that it retries
// waits.
func TestALoopGetsSeveralOfAKeyUntilOneFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, c := start(t)
		got := make(chan *headrace.Delivery)
		go func() {
			for d, err := range c.Subscription("billing").Deliveries(t.Context()) {
				if err != nil {
					return
				}
				got <- d
			}
		}()
		stream := openedOrdered(t, s, headracev1.OrderedBy_ORDERED_BY_KEY)
		stream.Send(t, scripted.Keyed(1, 0, "a", "a", "a", "b"))
		first := <-got
		<-got
		synctest.Wait() // The loop has the third in its hands.
		first.Retry()
		if d := <-got; d.Sequence() != 3 {
			t.Errorf("got %d", d.Sequence())
		}
		stream.Send(t, scripted.Keyed(5, 4, "a", "c"))
		scripted.NextSettle(t, stream)
		if d := <-got; d.Sequence() != 4 {
			t.Errorf("got %d", d.Sequence())
		}
		if d := <-got; d.Sequence() != 6 {
			t.Errorf("got %d", d.Sequence())
		}
		stream.Send(t, scripted.Confirm(1)) // Of the fifth nothing was said: it is the session's.
		if d := <-got; d.Sequence() != 5 {
			t.Errorf("got %d", d.Sequence())
		}
	})
}
