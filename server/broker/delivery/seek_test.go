package delivery_test

import (
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

// seek moves partition 0 to a floor, with nothing acked past it.
func (w *world) seek(floor uint64) {
	w.t.Helper()
	w.do(&delivery.Hold{})
	if !w.state.StandsStill() {
		w.t.Fatal("something is to be committed yet")
	}
	w.moveTo(floor)
}

// moveTo ends a hold by a seek.
func (w *world) moveTo(floor uint64) {
	w.t.Helper()
	p := w.store.partitions[0]
	p.generation++
	p.floor, p.chunks = floor, make(map[uint64]delivery.Chunk)
	w.do(&delivery.Seek{At: w.now, Cursors: []delivery.Cursor{p.cursor()}})
}

func TestASeekRevokesWhatIsOutAndCountsOn(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 2)
	w.attach(1, 100, 1<<20)
	w.publish(0, 5, 10)
	w.publish(1, 2, 10)
	wantOffsets(t, "delivered", w.got(1), 0, 1, 2, 3, 4, 0, 1)
	w.settle(1, 1, delivery.Ack, 1, 3)
	w.seek(1)
	want(t, "messages that were revoked", len(w.revoked), 1)
	want(t, "reason", w.revoked[0].Reason, delivery.Sought)
	want(t, "revoked", w.revoked[0].Ranges[0], delivery.SequenceRange{First: 4, Last: 5})
	first := w.delivers[0]
	want(t, "first sequence after the seek", first.FirstSequence, 8)
	want(t, "attempts", attempts(first)[0], 1)
	wantOffsets(t, "delivered after the seek", w.got(1), 1, 2, 3, 4)

	// What was out in the other partition still is; what was out in this one is stale.
	w.settle(1, 2, delivery.Ack, 4, 7)
	stale := w.results[len(w.results)-1]
	want(t, "confirmed", stale.ConfirmedThrough, 2)
	want(t, "failures", stale.Failures[0], delivery.Failure{Number: 2, Range: delivery.SequenceRange{First: 4, Last: 5}, Reason: delivery.Stale})
	want(t, "floor of the other partition", w.store.partitions[1].floor, 2)
	want(t, "floor of this one", w.store.partitions[0].floor, 1)
	w.settle(1, 3, delivery.Ack, 8, 11)
	want(t, "floor when all is acked", w.store.partitions[0].floor, 5)
	want(t, "acked", w.stats().Acked, 9)
}

func TestASeekForgetsAttemptsAndWhatWaits(t *testing.T) {
	w := newWorld(t, delivery.Config{BackoffMin: time.Minute, BackoffMax: time.Minute}, 1)
	w.attach(1, 100, 1<<20)
	w.publish(0, 3, 10)
	w.settle(1, 1, delivery.Retry, 1, 2)
	w.got(1)
	w.seek(0)
	want(t, "attempt", attempts(w.delivers[0])[0], 1)
	wantOffsets(t, "delivered", w.got(1), 0, 1, 2)
	w.seek(3)
	w.hear(2*time.Minute, 1)
	wantOffsets(t, "delivered from behind the floor", w.got(1))
	want(t, "backlog", w.stats().Backlog, 0)
}

func TestNothingIsWrittenWhileASeekIsUnderWay(t *testing.T) {
	w := newWorld(t, delivery.Config{Lease: time.Second}, 1)
	w.attach(1, 100, 1<<20)
	w.publish(0, 1, 10)
	w.do(&delivery.Hold{})
	sets := len(w.sets)
	w.hear(5*time.Second, 1) // The lease ends: charged.
	want(t, "change sets", len(w.sets), sets)
	w.do(&delivery.Hold{End: true})
	want(t, "change sets afterwards", len(w.sets), sets+1)
	w.do(&delivery.Hold{})
	w.hear(5*time.Second, 1)
	w.got(1)
	w.moveTo(0)
	want(t, "attempt in the new generation", attempts(w.delivers[0])[0], 1)
}

// A seek lets parked keys go on, also one that only a dead letter of the generation before
// would have parked.
func TestASeekReleasesParkedKeys(t *testing.T) {
	config := delivery.Config{
		Order: delivery.OrderKey, KeyPolicy: delivery.ParkKey, DeadLetters: true, MaxAttempts: 1, Lease: time.Second,
	}
	w := newWorld(t, config, 1)
	p := w.store.partitions[0]
	p.publishKeys([]uint64{10, 10, 10, 10}, []int{1, 1, 2, 2}, 0, 0)
	w.do(&delivery.Head{Partition: 0, Next: p.head})
	w.attach(1, 100, 1<<20)
	w.settle(1, 1, delivery.Reject, 1, 1)
	want(t, "parked keys", len(w.state.ParkedKeys(nil)), 1)
	w.do(&delivery.Hold{})
	w.hear(2*time.Second, 1) // The lease of the other key's head ends, for good.
	want(t, "parked keys while a seek is under way", len(w.state.ParkedKeys(nil)), 2)
	w.got(1)
	w.moveTo(0)
	want(t, "parked keys after it", len(w.state.ParkedKeys(nil)), 0)
	wantOffsets(t, "delivered after it", w.got(1), 0, 2)
	want(t, "dead letters", len(w.dead), 1)
}

func TestASeekReachesASessionThatWaitsToBeResumed(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	attach := w.session(1, 100, 1<<20)
	attach.Features = delivery.Resumes
	w.do(attach)
	w.publish(0, 3, 10)
	w.detach(delivery.Broken)
	w.seek(2)
	want(t, "revocations", len(w.revoked), 0)
	again := w.session(1, 100, 1<<20)
	again.Incarnation, again.Features = 1, delivery.Resumes
	again.Resume = &delivery.Resume{ReceivedThrough: 3, Holding: []delivery.SequenceRange{{First: 1, Last: 3}}}
	w.got(1)
	w.do(again)
	resumed := w.attached[len(w.attached)-1].Resumed
	want(t, "kept", len(resumed.Kept), 0)
	want(t, "next sequence", resumed.NextSequence, 4)
	wantOffsets(t, "delivered", w.got(1), 2)
}
