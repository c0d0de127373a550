package delivery_test

import (
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

func TestABrokenSessionChargesEachUnsettledDelivery(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 100, 10)
	w.attach(1, 100, 1<<20)
	w.settle(1, 1, delivery.Ack, 11, 20)
	w.got(1)
	w.detach(delivery.Broken)
	want(t, "expired", w.stats().Expired, 90)
	w.attach(2, 100, 1<<20)
	for _, d := range w.delivers {
		for _, attempt := range attempts(d) {
			want(t, "attempt", attempt, 2)
		}
	}
	offsets := w.got(2)
	want(t, "due at once", len(offsets), 90)
	for i := 1; i < len(offsets); i++ {
		if offsets[i] <= offsets[i-1] {
			t.Fatalf("offset %d after %d: the lowest goes first", offsets[i], offsets[i-1])
		}
	}
}

func TestACleanCloseChargesNothing(t *testing.T) {
	for _, how := range []delivery.DetachHow{delivery.Clean, delivery.Gone} {
		w := newWorld(t, delivery.Config{}, 1)
		w.publish(0, 10, 10)
		w.attach(1, 10, 1<<20)
		w.delivers = nil
		w.detach(how)
		w.attach(2, 10, 1<<20)
		want(t, "attempts above 1", len(w.delivers[0].Attempts), 0)
		want(t, "due at once", w.count(2), 10)
		want(t, "expired", w.stats().Expired, 0)
		want(t, "released", w.stats().Released, 10)
	}
}

func TestACleanCloseConfirmsBeforeItEnds(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.holdCommits = true
	w.publish(0, 10, 10)
	w.attach(1, 10, 1<<20)
	w.do(w.settling(1, 1, delivery.Ack, 1, 5), &delivery.Detach{Stamp: w.stamp(1), How: delivery.Clean})
	want(t, "ended before the commit", len(w.ended), 0)
	w.do(w.commit())
	want(t, "confirmed", w.results[0].ConfirmedThrough, 1)
	want(t, "ended", w.ended[0], delivery.EndSession{Session: 1, Reason: delivery.EndClosed, Served: true})
}

func TestNothingComesBackBeforeItsCountsAreCommitted(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.holdCommits = true
	w.publish(0, 10, 10)
	w.attach(1, 10, 1<<20)
	w.detach(delivery.Broken)
	w.attach(2, 10, 1<<20)
	want(t, "delivered before the commit", w.count(2), 0)
	w.do(w.commit())
	want(t, "delivered after it", w.count(2), 10)
}

func TestWhatIsReleasedNeedsNoCommit(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.holdCommits = true
	w.publish(0, 10, 10)
	w.attach(1, 10, 1<<20)
	w.detach(delivery.Gone)
	w.attach(2, 10, 1<<20)
	want(t, "delivered", w.count(2), 10)
	want(t, "change sets", len(w.sets), 0)
}

func TestAttemptsSurviveARestart(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10, 10)
	w.attach(1, 10, 1<<20)
	w.settle(1, 1, delivery.Retry, 1, 3)
	w.settle(1, 2, delivery.Ack, 4, 5)
	w.detach(delivery.Broken)
	w.restart()
	w.delivers = nil
	w.attach(2, 10, 1<<20)
	w.wait(2 * time.Second)
	got := make(map[uint64]uint32)
	for _, d := range w.delivers {
		all := attempts(d)
		for _, r := range d.Runs {
			for i := range uint64(r.Count) {
				got[r.First+i], all = all[0], all[1:]
			}
		}
	}
	want(t, "delivered", len(got), 8)
	for offset, attempt := range got {
		want(t, "attempt", attempt, 2)
		if offset == 3 || offset == 4 {
			t.Fatalf("offset %d was acked", offset)
		}
	}
	s := w.stats()
	want(t, "acked", s.Acked, 2)
	want(t, "retried", s.Retried, 3)
	want(t, "expired", s.Expired, 5)
}

func TestARestartKeepsTheTimeOfARetry(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 1, 10)
	w.attach(1, 10, 1<<20)
	retry := w.settling(1, 1, delivery.Retry, 1, 1)
	retry.Delay = time.Hour
	w.do(retry)
	w.restart()
	w.delivers = nil
	w.attach(2, 10, 1<<20)
	w.hear(time.Hour-time.Second, 2)
	want(t, "delivered before", w.count(2), 0)
	w.hear(time.Second, 2)
	want(t, "delivered after", w.count(2), 1)
}

func TestWhatWasNotCommittedIsDeliveredAgainAfterARestart(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10, 10)
	w.attach(1, 10, 1<<20)
	w.settle(1, 1, delivery.Ack, 1, 5)
	w.holdCommits = true
	w.settle(1, 2, delivery.Ack, 6, 10)
	w.restart()
	w.got(1)
	w.attach(2, 10, 1<<20)
	wantOffsets(t, "delivered", w.got(2), 5, 6, 7, 8, 9)
}

func TestOnlySoManyFailedOnesMayWait(t *testing.T) {
	w := newWorld(t, delivery.Config{MaxWaiting: 20, BackoffMin: 20 * time.Second}, 1)
	w.publish(0, 100, 10)
	w.attach(1, 10, 1<<20)
	for n := uint64(1); w.count(1) > 0; n++ {
		w.settle(1, n, delivery.Retry, 10*n-9, 10*n)
	}
	want(t, "waiting", w.stats().Waiting, 20)
	want(t, "blocked", w.blocked(1), delivery.RetryBackoff)
	w.hear(25*time.Second, 1)
	want(t, "redelivered", w.count(1), 10)
}
