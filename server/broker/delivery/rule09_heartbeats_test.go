package delivery_test

import (
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

func TestRule9AFlowAfterTenSecondsOfSilence(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.attach(1, 10, 1<<20)
	w.flows = nil
	w.hear(10*time.Second-1, 1)
	w.flows = nil // the first reasons
	w.hear(time.Second, 1)
	want(t, "flows", len(w.flows), 1)
	want(t, "blocked", w.flows[0].Blocked, delivery.NoMessages)
}

func TestRule9AnyFrameIsAHeartbeat(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	attach := w.session(1, 1000, 1<<20)
	attach.Lease = time.Hour
	w.do(attach)
	w.hear(3*time.Second, 1)
	w.flows = nil
	for range 10 {
		w.publish(0, 1, 10)
		w.hear(3*time.Second, 1)
	}
	want(t, "flows", len(w.flows), 0)
}

func TestRule9ThreeMissedAreDead(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10, 10)
	attach := w.session(1, 10, 1<<20)
	attach.Lease = time.Minute
	w.do(attach)
	w.wait(30*time.Second - 1)
	want(t, "ended before", len(w.ended), 0)
	w.wait(1)
	want(t, "reason", w.ended[0].Reason, delivery.EndSilent)
	want(t, "expired", w.stats().Expired, 10)
}

func TestRule9AClosedStreamIsNotDeadWhileItsSettlesCommit(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.holdCommits = true
	w.publish(0, 1, 10)
	w.attach(1, 1, 10)
	w.settle(1, 1, delivery.Ack, 1, 1)
	w.detach(delivery.Clean)
	w.wait(5 * time.Minute)
	want(t, "ended", len(w.ended), 0)
	w.do(w.commit())
	want(t, "reason", w.ended[0].Reason, delivery.EndClosed)
}

func TestRule9ChangesAreToldAtMostOnceASecond(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.attach(1, 1, 1<<20)
	w.wait(5 * time.Second)
	w.flows = nil
	for n := uint64(1); n <= 100; n++ {
		w.publish(0, 1, 10)
		w.settle(1, n, delivery.Ack, n, n)
		w.wait(30 * time.Millisecond)
	}
	if len(w.flows) > 4 {
		t.Fatalf("%d flows in 3 s", len(w.flows))
	}
}

func TestRule9WhatAFlowTells(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	published := w.now
	w.publish(0, 10, 10)
	w.attach(1, 4, 100)
	f := w.lastFlow()
	want(t, "credit", f.Credit, delivery.Credit{Messages: 0, Bytes: 60})
	want(t, "outstanding", f.Outstanding, delivery.Credit{Messages: 4, Bytes: 40})
	want(t, "backlog", f.Backlog, 10)
	want(t, "oldest", f.OldestTime, int64(published))
	want(t, "ceiling", f.Ceilings.Stream, delivery.Ceiling{Messages: 4, Bytes: 100})
}

// TestRule9BlockedBy has a case for each reason that is served.
func TestRule9BlockedBy(t *testing.T) {
	cases := map[string]struct {
		config   delivery.Config
		prepare  func(w *world)
		expected delivery.Blocked
	}{
		"NO_MESSAGES": {
			prepare:  func(w *world) { w.attach(1, 10, 1000) },
			expected: delivery.NoMessages,
		},
		"NO_CREDIT_MESSAGES": {
			prepare:  func(w *world) { w.publish(0, 10, 10); w.attach(1, 5, 1000) },
			expected: delivery.NoCreditMessages,
		},
		"NO_CREDIT_BYTES": {
			prepare:  func(w *world) { w.publish(0, 10, 10); w.attach(1, 50, 50) },
			expected: delivery.NoCreditBytes,
		},
		"SUBSCRIPTION_CAP": {
			config:   delivery.Config{Subscription: delivery.Ceiling{Messages: 5}},
			prepare:  func(w *world) { w.publish(0, 10, 10); w.attach(1, 50, 5000) },
			expected: delivery.SubscriptionCap,
		},
		"CLIENT_CAP": {
			config: delivery.Config{Client: delivery.Ceiling{Messages: 5}},
			prepare: func(w *world) {
				w.publish(0, 10, 10)
				attach := w.session(1, 50, 5000)
				attach.ClientID = "one"
				w.do(attach)
			},
			expected: delivery.ClientCap,
		},
		"CLIENT_CAP in bytes": {
			config: delivery.Config{Client: delivery.Ceiling{Bytes: 55}},
			prepare: func(w *world) {
				w.publish(0, 10, 10)
				attach := w.session(1, 50, 5000)
				attach.ClientID = "one"
				w.do(attach)
			},
			expected: delivery.ClientCap,
		},
		"RETRY_BACKOFF": {
			config: delivery.Config{BackoffMin: 10 * time.Second},
			prepare: func(w *world) {
				w.publish(0, 1, 10)
				w.attach(1, 50, 5000)
				w.settle(1, 1, delivery.Retry, 1, 1)
			},
			expected: delivery.RetryBackoff,
		},
		"MESSAGE_TOO_LARGE": {
			prepare: func(w *world) {
				w.publish(0, 1, 1000)
				attach := w.session(1, 50, 5000)
				attach.MaxFrameBytes = 1000
				w.do(attach)
			},
			expected: delivery.MessageTooLarge,
		},
		"WRITE_STALLED": {
			prepare: func(w *world) {
				w.attach(1, 50, 5000)
				w.do(&delivery.Writable{Stamp: w.stamp(1)})
				w.publish(0, 1, 10)
			},
			expected: delivery.WriteStalled,
		},
		"DRAINING": {
			prepare: func(w *world) {
				w.attach(1, 50, 5000)
				w.publish(0, 1, 10)
				w.do(&delivery.Drain{Stamp: w.stamp(1), Grace: time.Minute})
			},
			expected: delivery.Draining,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.config, 1)
			c.prepare(w)
			want(t, "blocked now", w.blocked(1), c.expected)
			want(t, "blocked as told", w.lastFlowOrNone(1), c.expected)
		})
	}
}

// lastFlowOrNone is what the latest Flow of a session told, once changes had time
// to be told.
func (w *world) lastFlowOrNone(id delivery.SessionID) (b delivery.Blocked) {
	w.wait(1100 * time.Millisecond)
	for _, f := range w.flows {
		if f.Session == id {
			b = f.Blocked
		}
	}
	return b
}
