package delivery_test

import (
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

// capped makes a subscription with a backlog, a dispatch cap, and a session with credit
// for everything.
func capped(t *testing.T, messages int, size uint64, c delivery.DispatchCap) *world {
	t.Helper()
	w := newWorld(t, delivery.Config{Cap: c}, 1)
	w.publish(0, messages, size)
	w.attach(1, 1_000_000, 1<<40)
	return w
}

func TestMessageRateIsKept(t *testing.T) {
	w := capped(t, 1000, 10, delivery.DispatchCap{MessagesPerSecond: 50})
	want(t, "the burst", w.count(1), 5)
	want(t, "blocked", w.blocked(1), delivery.RateLimited)
	deadline, _ := w.state.Deadline()
	want(t, "goes on", deadline, w.now+20*time.Millisecond)
	for range 5 {
		w.hear(time.Second, 1)
		want(t, "a second's", w.count(1), 50)
	}
	w.do(&delivery.Configure{Config: delivery.Config{}})
	want(t, "without a cap", w.count(1), 1000-5-5*50)
	want(t, "blocked, without it", w.blocked(1)&delivery.RateLimited, 0)
}

// Bytes are charged as they went: the large message goes when something is left, and
// what follows waits until it is paid for.
func TestByteRateIsKept(t *testing.T) {
	w := capped(t, 100, 1000, delivery.DispatchCap{BytesPerSecond: 5000})
	want(t, "what the burst begins", w.count(1), 1)
	for range 4 {
		w.hear(time.Second, 1)
		want(t, "a second's", w.count(1), 5)
	}
}

func TestALowRateSpreadsMessages(t *testing.T) {
	w := capped(t, 10, 10, delivery.DispatchCap{MessagesPerSecond: 0.1})
	want(t, "at once", w.count(1), 1)
	w.hear(9999*time.Millisecond, 1)
	want(t, "just before the next", w.count(1), 0)
	w.hear(2*time.Millisecond, 1)
	want(t, "the next", w.count(1), 1)
}

// A subscription that is idle, and one whose sessions have no credit, is not called
// rate-limited.
func TestRateLimitedIsSaidOfMessagesOnly(t *testing.T) {
	w := capped(t, 1, 10, delivery.DispatchCap{MessagesPerSecond: 1})
	want(t, "idle", w.blocked(1), delivery.NoMessages)
	w = capped(t, 5, 10, delivery.DispatchCap{MessagesPerSecond: 1})
	w.window(1, 0, 0)
	want(t, "without credit", w.blocked(1)&delivery.RateLimited, 0)
}

func TestConcurrencyBoundsWhatIsOutstanding(t *testing.T) {
	w := capped(t, 10, 10, delivery.DispatchCap{Concurrency: 3})
	want(t, "at once", w.count(1), 3)
	want(t, "blocked", w.blocked(1), delivery.RateLimited)
	w.settle(1, 1, delivery.Ack, 1, 2)
	want(t, "after two acks", w.count(1), 2)
	w.do(&delivery.Configure{Config: delivery.Config{Cap: delivery.DispatchCap{Concurrency: 30}, Subscription: delivery.Ceiling{Messages: 4}}})
	want(t, "above the ceiling", w.count(1), 1)
	want(t, "blocked by that", w.blocked(1), delivery.SubscriptionCap)
}

func TestRatesOutOfBoundsAreRefused(t *testing.T) {
	for _, c := range []delivery.DispatchCap{
		{MessagesPerSecond: -1}, {MessagesPerSecond: 0.0001}, {MessagesPerSecond: 2e9}, {BytesPerSecond: 2e12},
	} {
		if (delivery.Config{Cap: c}).Validate() == nil {
			t.Errorf("%+v is valid", c)
		}
	}
}
