package delivery_test

import (
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

// leased attaches a session with a lease and delivers n messages to it.
func leased(t *testing.T, config delivery.Config, lease time.Duration, n int) *world {
	t.Helper()
	w := newWorld(t, config, 1)
	w.publish(0, n, 10)
	attach := w.session(1, uint64(n), 1<<20)
	attach.Lease = lease
	w.do(attach)
	want(t, "delivered", w.count(1), n)
	return w
}

// extend prolongs leases of session 1.
func (w *world) extend(number uint64, duration time.Duration, first, last uint64) {
	w.t.Helper()
	w.do(&delivery.Extend{
		Stamp: w.stamp(1), Number: number, Duration: duration, Ranges: []delivery.SequenceRange{{First: first, Last: last}},
	})
}

func TestRule8LeaseStartsAtDelivery(t *testing.T) {
	w := leased(t, delivery.Config{}, 5*time.Second, 3)
	w.wait(5*time.Second - 1)
	want(t, "expired before", w.stats().Expired, 0)
	w.wait(1)
	want(t, "expired after", w.stats().Expired, 3)
	want(t, "revoked", w.revoked[0].Ranges[0], delivery.SequenceRange{First: 1, Last: 3})
	want(t, "reason", w.revoked[0].Reason, delivery.LeaseExpired)
	want(t, "outstanding", w.stats().Outstanding, 0)
	w.settle(1, 1, delivery.Ack, 1, 3)
	want(t, "a settle after it", w.failures()[0].Reason, delivery.Stale)
}

func TestRule8AnUpdatedLeaseIsForTheDeliveriesToCome(t *testing.T) {
	w := newWorld(t, delivery.Config{Lease: 5 * time.Second}, 1)
	w.attach(1, 2, 1<<20)
	own := w.session(2, 2, 1<<20)
	own.Lease = 7 * time.Second
	w.do(own)
	w.publish(0, 2, 10)
	want(t, "delivered", w.count(1)+w.count(2), 2)
	w.wait(time.Second)
	w.do(&delivery.Configure{Config: delivery.Config{Lease: 3 * time.Second}})
	want(t, "lease told at once", w.flows[len(w.flows)-1].Lease, 3*time.Second)
	w.wait(4*time.Second - 1)
	want(t, "expired before the old end", w.stats().Expired, 0)
	w.wait(1)
	want(t, "expired at the old end", w.stats().Expired, 1)
	w.publish(0, 1, 10)
	want(t, "delivered", w.count(1)+w.count(2), 1)
	w.wait(2 * time.Second)
	want(t, "expired at the end of an own lease", w.stats().Expired, 2)
	w.wait(time.Second)
	want(t, "expired at the new end", w.stats().Expired, 3)
}

func TestRule8ExpiryBacksOffLikeARetry(t *testing.T) {
	w := leased(t, delivery.Config{}, 5*time.Second, 1)
	w.hear(5*time.Second, 1)
	w.hear(799*time.Millisecond, 1)
	want(t, "delivered during the backoff", w.count(1), 0)
	w.hear(401*time.Millisecond, 1)
	want(t, "attempt", attempts(w.delivers[0])[0], 2)
}

func TestRule8ExtendProlongs(t *testing.T) {
	w := leased(t, delivery.Config{}, 5*time.Second, 10)
	w.window(1, 0, 0)
	w.wait(4 * time.Second)
	w.extend(1, 5*time.Second, 3, 4)
	w.wait(4 * time.Second)
	want(t, "outstanding", w.stats().Outstanding, 2)
	want(t, "expired", w.stats().Expired, 8)
	w.settle(1, 2, delivery.Ack, 3, 3)
	w.wait(time.Second)
	want(t, "outstanding in the end", w.stats().Outstanding, 0)
	want(t, "expired in the end", w.stats().Expired, 9)
}

func TestRule8ExtendWithoutDurationIsTheLease(t *testing.T) {
	w := leased(t, delivery.Config{}, 5*time.Second, 1)
	w.wait(4 * time.Second)
	w.extend(1, 0, 1, 1)
	w.wait(5*time.Second - 1)
	want(t, "expired before", w.stats().Expired, 0)
	w.wait(1)
	want(t, "expired after", w.stats().Expired, 1)
}

func TestRule8ExtendNeverShortens(t *testing.T) {
	w := leased(t, delivery.Config{}, 20*time.Second, 1)
	w.extend(1, time.Second, 1, 1)
	w.wait(20*time.Second - 1)
	want(t, "expired", w.stats().Expired, 0)
}

func TestRule8CapOnExtensions(t *testing.T) {
	w := leased(t, delivery.Config{LeaseCap: 20 * time.Second}, 5*time.Second, 1)
	for n := uint64(1); n <= 5; n++ {
		w.wait(4 * time.Second)
		w.extend(n, 5*time.Second, 1, 1)
		if n < 4 {
			want(t, "failures below the cap", len(w.failures()), 0)
		}
	}
	want(t, "expired at the cap", w.stats().Expired, 1)
	want(t, "a failure at the cap", w.results[3].Failures[0].Reason, delivery.LeaseCapped)
}

func TestRule8DefaultCapIsAnHour(t *testing.T) {
	w := leased(t, delivery.Config{}, 5*time.Second, 1)
	w.extend(1, 2*time.Hour, 1, 1)
	w.hear(time.Hour-1, 1)
	want(t, "expired before", w.stats().Expired, 0)
	w.hear(1, 1)
	want(t, "expired after", w.stats().Expired, 1)
}

func TestRule8ALeaseLongerThanTheCapIsItsOwnCap(t *testing.T) {
	w := leased(t, delivery.Config{LeaseCap: 20 * time.Second}, 40*time.Second, 1)
	w.hear(40*time.Second-1, 1)
	want(t, "expired before", w.stats().Expired, 0)
	w.hear(1, 1)
	want(t, "expired after", w.stats().Expired, 1)
}

func TestRule8ASettleReadInTimeCountsThoughAppliedLater(t *testing.T) {
	w := leased(t, delivery.Config{}, 5*time.Second, 2)
	settle := w.settling(1, 1, delivery.Ack, 1, 1)
	settle.At = w.now + 5*time.Second - 1
	late := w.settling(1, 2, delivery.Ack, 2, 2)
	late.At = w.now + 5*time.Second
	w.now += 7 * time.Second
	w.do(settle, late)
	want(t, "acked", w.stats().Acked, 1)
	want(t, "expired", w.stats().Expired, 1)
	want(t, "failure", w.failures()[0].Reason, delivery.Stale)
}

func TestRule8TimersWaitForTheMailbox(t *testing.T) {
	w := leased(t, delivery.Config{}, 5*time.Second, 1)
	read := w.now + 5*time.Second - 1
	w.state.Apply(read, &delivery.Heard{Stamp: delivery.Stamp{Session: 1, At: read}})
	w.state.Next(w.now + 10*time.Second)
	want(t, "expired with letters in the mailbox", w.stats().Expired, 0)
	w.state.Apply(w.now + 10*time.Second)
	want(t, "expired with none", w.stats().Expired, 1)
}

func TestRule8AStallProlongsLeasesAndLiveness(t *testing.T) {
	w := leased(t, delivery.Config{}, 5*time.Second, 1)
	w.now += 40 * time.Second
	w.do(&delivery.Stalled{Duration: 40 * time.Second})
	want(t, "expired", w.stats().Expired, 0)
	want(t, "ended", len(w.ended), 0)
	w.wait(5 * time.Second)
	want(t, "expired after the lease", w.stats().Expired, 1)
	w.wait(25 * time.Second)
	want(t, "ended after the silence", len(w.ended), 1)
}

func TestRule8LeaseOutOfBoundsIsRefused(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	for _, lease := range []time.Duration{1, time.Second - 1, 12*time.Hour + 1, -1} {
		attach := w.session(1, 1, 1)
		attach.Lease = lease
		w.do(attach)
		want(t, "reason", w.ended[len(w.ended)-1], delivery.EndSession{Session: 1, Reason: delivery.EndBadAttach})
	}
}
