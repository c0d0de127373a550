package delivery_test

import (
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

func TestRule7AckedNeverComesAgain(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10, 10)
	w.attach(1, 10, 1<<20)
	w.settle(1, 1, delivery.Ack, 1, 10)
	w.got(1)
	w.detach(delivery.Broken)
	w.attach(2, 10, 1<<20)
	w.wait(time.Second)
	want(t, "delivered again", w.count(2), 0)
	want(t, "backlog", w.stats().Backlog, 0)
}

// retryOnce lets a session fail its sequence, and returns after how long, and as
// which attempt, the message comes again.
func (w *world) retryOnce(number, sequence uint64) (time.Duration, uint32) {
	w.t.Helper()
	w.delivers = nil
	failed := w.now
	w.settle(1, number, delivery.Retry, sequence, sequence)
	for len(w.delivers) == 0 {
		w.do(&delivery.Heard{Stamp: w.stamp(1)})
		deadline, ok := w.state.Deadline()
		if !ok {
			w.t.Fatal("nothing to wait for")
		}
		w.wait(min(deadline-w.now, 5*time.Second))
	}
	return w.now - failed, attempts(w.delivers[0])[0]
}

func TestRule7BackoffDoublesWithJitter(t *testing.T) {
	w := newWorld(t, delivery.Config{Seed: 7}, 1)
	w.publish(0, 1, 10)
	w.attach(1, 10, 1<<20)
	nominal := []time.Duration{
		time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 32 * time.Second,
		64 * time.Second, 128 * time.Second, 256 * time.Second, 512 * time.Second, 600 * time.Second, 600 * time.Second,
	}
	jittered := false
	for i, base := range nominal {
		after, attempt := w.retryOnce(uint64(i+1), uint64(i+1))
		if after < base*8/10 || after > base*12/10 {
			t.Fatalf("retry %d came after %v, expected %v ± 20 %%", i+1, after, base)
		}
		jittered = jittered || after != base
		want(t, "attempt", attempt, uint32(i+2))
	}
	want(t, "jittered", jittered, true)
}

func TestRule7RetryCarriesItsOwnDelay(t *testing.T) {
	for _, c := range []struct{ delay, expected time.Duration }{
		{0, delivery.MinRetryDelay},
		{50 * time.Millisecond, delivery.MinRetryDelay},
		{3 * time.Second, 3 * time.Second},
		{100 * time.Hour, delivery.MaxRetryDelay},
	} {
		w := newWorld(t, delivery.Config{}, 1)
		w.publish(0, 1, 10)
		w.attach(1, 10, 1<<20)
		w.got(1)
		retry := w.settling(1, 1, delivery.Retry, 1, 1)
		retry.Delay = c.delay
		w.do(retry)
		w.hear(c.expected-time.Millisecond, 1)
		want(t, "delivered before", w.count(1), 0)
		w.hear(time.Millisecond, 1)
		want(t, "delivered after", w.count(1), 1)
	}
}

func TestRule7AfterAFailureAnotherSessionIsPreferred(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 1, 10)
	w.attach(1, 10, 1<<20)
	w.attach(2, 10, 1<<20)
	w.got(1)
	w.settle(1, 1, delivery.Retry, 1, 1)
	w.wait(2 * time.Second)
	want(t, "to the same session", w.count(1), 0)
	want(t, "to the other", w.count(2), 1)
}

func TestRule7AFailureComesBackToTheOnlySession(t *testing.T) {
	w := newWorld(t, delivery.Config{BackoffMin: time.Second, BackoffMax: time.Second}, 1)
	w.publish(0, 1, 10)
	w.attach(1, 10, 1<<20)
	after, _ := w.retryOnce(1, 1)
	if after > 1200*time.Millisecond {
		t.Fatalf("the only session waited for %v", after)
	}
}

func TestRule7APreferredSessionWithoutCreditIsNotWaitedForLong(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 1, 10)
	w.attach(1, 10, 1<<20)
	w.attach(2, 0, 0)
	after, _ := w.retryOnce(1, 1)
	if after > 1300*time.Millisecond {
		t.Fatalf("a session without credit was waited for: %v", after)
	}
}

func TestRule7ReleaseAvoidsTheSameSessionFor100ms(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 4, 10)
	w.attach(1, 10, 1<<20)
	w.got(1)
	w.settle(1, 1, delivery.Release, 2, 3)
	w.wait(99 * time.Millisecond)
	want(t, "to the same session at once", w.count(1), 0)
	want(t, "blocked", w.blocked(1), delivery.RetryBackoff)
	w.wait(time.Millisecond)
	w.delivers = w.delivers[len(w.delivers)-1:]
	want(t, "attempt", attempts(w.delivers[0])[0], 1)
	wantOffsets(t, "to the same session later", w.got(1), 1, 2)
	w.settle(1, 2, delivery.Release, 5, 5)
	w.attach(2, 10, 1<<20)
	wantOffsets(t, "to another session at once", w.got(2), 1)
}

func TestRule7RedeliveriesTakeAtMostHalfOfTheSlots(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 500, 10)
	w.attach(1, 500, 1<<20)
	w.got(1)
	w.detach(delivery.Broken)
	w.publish(0, 2000, 10)
	w.attach(2, 1000, 1<<20)
	again, fresh := 0, 0
	for _, offset := range w.got(2) {
		if offset < 500 {
			again++
		} else {
			fresh++
		}
		if again > fresh+64 {
			t.Fatalf("%d redeliveries after %d fresh messages", again, fresh)
		}
	}
	want(t, "delivered", again+fresh, 1000)
	if again < 100 {
		t.Fatalf("only %d redeliveries among %d", again, again+fresh)
	}
}

func TestRule7RedeliveriesGoFirstOnExclusive(t *testing.T) {
	w := newWorld(t, delivery.Config{Mode: delivery.Exclusive}, 1)
	w.publish(0, 100, 10)
	w.attach(1, 100, 1<<20)
	w.got(1)
	w.detach(delivery.Broken)
	w.publish(0, 100, 10)
	w.attach(2, 100, 1<<20)
	for i, offset := range w.got(2) {
		want(t, "offset", offset, uint64(i))
	}
}

func TestRule7RejectIsNotServed(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 4, 10)
	w.attach(1, 10, 1<<20)
	w.settle(1, 1, delivery.Reject, 1, 2)
	want(t, "failure", w.failures()[0].Reason, delivery.NotServed)
	want(t, "outstanding", w.stats().Outstanding, 4)
}

func TestRule7RetryCountsAndReleaseDoesNot(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 1, 10)
	w.attach(1, 10, 1<<20)
	w.attach(2, 10, 1<<20)
	w.settle(1, 1, delivery.Retry, 1, 1)
	w.wait(2 * time.Second)
	w.settle(2, 1, delivery.Release, 1, 1)
	last := w.delivers[len(w.delivers)-1]
	want(t, "session", last.Session, 1)
	want(t, "attempt", attempts(last)[0], 2)
	s := w.stats()
	want(t, "retried", s.Retried, 1)
	want(t, "released", s.Released, 1)
	want(t, "redelivered", s.Redelivered, 2)
}
