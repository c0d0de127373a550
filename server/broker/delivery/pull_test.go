package delivery_test

import (
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

// pull attaches a session that pulls up to so many messages and bytes.
func (w *world) pull(id delivery.SessionID, messages, bytes uint64) *delivery.Attach {
	return &delivery.Attach{
		Stamp: w.stamp(id), Pull: true, Replenish: delivery.Manual,
		Window: delivery.Credit{Messages: messages, Bytes: bytes},
	}
}

func TestPullTakesWhatIsAtHand(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 3, 10)
	w.do(w.pull(1, 10, 1<<20))
	wantOffsets(t, "pulled", w.got(1), 0, 1, 2)
	want(t, "left", len(w.drained), 1)
	w.publish(0, 3, 10)
	wantOffsets(t, "after it left", w.got(1))
	w.do(w.pull(2, 2, 1<<20))
	wantOffsets(t, "as many as asked for", w.got(2), 3, 4)
	want(t, "left, too", len(w.drained), 2)
}

func TestPullFillsSeveralFrames(t *testing.T) {
	w := newWorld(t, delivery.Config{TurnBytes: 100}, 1)
	w.publish(0, 50, 40)
	w.do(w.pull(1, 40, 1<<20))
	want(t, "pulled", w.count(1), 40)
	want(t, "left once", len(w.drained), 1)
}

func TestPullWaitsForSomething(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.do(w.pull(1, 10, 1<<20))
	w.wait(time.Minute)
	want(t, "left", len(w.drained), 0)
	want(t, "ended, though it is silent", len(w.ended), 0)
	want(t, "told of the flow", len(w.flows), 0)
	w.publish(0, 1, 10)
	wantOffsets(t, "pulled", w.got(1), 0)
	want(t, "left, with it", len(w.drained), 1)
}

func TestPullInVainSaysWhyNothingCame(t *testing.T) {
	w := newWorld(t, delivery.Config{Paused: true}, 1)
	w.publish(0, 1, 10)
	w.do(w.pull(1, 10, 1<<20))
	w.wait(time.Second)
	w.do(&delivery.Leave{Stamp: w.stamp(1)})
	want(t, "left", len(w.drained), 1)
	want(t, "blocked", w.flows[len(w.flows)-1].Blocked, delivery.Paused)
	want(t, "ended", w.ended[0].Reason, delivery.EndClosed)
}

// Who waits no more still gets what is being read: messages on the disk are there.
func TestPullThatWaitsForNothingWaitsForTheDisk(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 2, 10)
	w.holdLoads = true
	w.do(w.pull(1, 10, 1<<20), &delivery.Leave{Stamp: w.stamp(1)})
	want(t, "left", len(w.drained), 0)
	w.holdLoads = false
	for i := range w.loads {
		w.answer(&w.loads[i])
	}
	w.do()
	wantOffsets(t, "pulled", w.got(1), 0, 1)
	want(t, "left, with it", len(w.drained), 1)
}

// What was pulled is held until it is settled, or its leases end: then the attempt is
// charged, and the session is gone.
func TestWhatWasPulledIsHeldUntilItsLeaseEnds(t *testing.T) {
	w := newWorld(t, delivery.Config{Lease: 40 * time.Second}, 1)
	w.publish(0, 3, 10)
	w.do(w.pull(1, 10, 1<<20))
	w.settle(1, 1, delivery.Ack, 1, 1)
	want(t, "acked", w.stats().Acked, 1)
	want(t, "confirmed", w.results[len(w.results)-1].ConfirmedThrough, 1)
	w.do(&delivery.Extend{Stamp: w.stamp(1), Number: 2, Ranges: []delivery.SequenceRange{{First: 2, Last: 2}}, Duration: time.Minute})
	w.wait(50 * time.Second)
	want(t, "expired", w.stats().Expired, 1)
	want(t, "ended", len(w.ended), 0)
	w.wait(20 * time.Second)
	want(t, "expired, the other", w.stats().Expired, 2)
	want(t, "ended with the last", w.ended[0].Reason, delivery.EndClosed)
	want(t, "told of it", len(w.revoked), 0)
}

func TestAMessageLargerThanThePullComesAlone(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publishSizes(0, 500, 10)
	w.do(w.pull(1, 10, 100))
	wantOffsets(t, "pulled", w.got(1), 0)
}

// On an exclusive subscription the pulls of one client stand side by side, others are
// refused as long as something is held, and a pull takes nobody's place.
func TestPullsOnAnExclusiveSubscription(t *testing.T) {
	w := newWorld(t, delivery.Config{Mode: delivery.Exclusive}, 1)
	w.publish(0, 4, 10)
	pull := func(id delivery.SessionID, client string) {
		e := w.pull(id, 1, 1<<20)
		e.ClientID = client
		w.do(e)
	}
	pull(1, "a")
	pull(2, "a")
	wantOffsets(t, "the same client", w.got(2), 1)
	pull(3, "b")
	want(t, "another", w.ended[0].Reason, delivery.EndRefused)
	pull(4, "")
	want(t, "one without a name", w.ended[1].Reason, delivery.EndRefused)
	w.settle(1, 1, delivery.Ack, 1, 1)
	w.settle(2, 1, delivery.Ack, 1, 1)
	pull(5, "b")
	wantOffsets(t, "when all is settled", w.got(5), 2)
	w.settle(5, 1, delivery.Ack, 1, 1)
	stream := w.session(6, 10, 1000)
	stream.ClientID = "a"
	w.do(stream)
	ended := len(w.ended)
	pull(7, "a")
	want(t, "in a stream's place", w.ended[ended].Reason, delivery.EndRefused)
}
