package server_test

import (
	"testing"
	"time"

	"github.com/headrace/headrace/server/servertest"
)

// Invariant 8: opened and closed streams leave no goroutine, which the package's
// TestMain checks, and no phantom session.
func TestManyStreamsLeaveNothingBehind(t *testing.T) {
	const streams = 500
	s := servertest.Start(t, servertest.Options{})
	s.CreateTopic("orders")
	s.CreateSubscription("workers", "orders")
	for i := range streams {
		session := openSubscribe(t, s, open.GetOpen())
		publisher := openPublish(t, s)
		publisher.send(batch("orders", 1, numberedMessages(i, 1)...))
		if i%2 == 0 {
			publisher.await(1)
			publisher.finish()
			session.finish()
			continue
		}
		session.cancel()
		publisher.cancel()
	}
	last := openSubscribe(t, s, open.GetOpen())
	poll(t, func() bool { return len(subscriptionStats(t, s, "workers").GetSessions()) == 1 })
	last.finish()
	poll(t, func() bool {
		return gauge(t, s, "headrace_publish_streams")+gauge(t, s, "headrace_subscribe_streams") == 0
	})
}

// poll waits for something that no event tells.
func poll(t *testing.T, is func() bool) {
	t.Helper()
	ctx := bounded(t)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("it never came true")
		}
	}
}

func gauge(t *testing.T, s *servertest.Server, name string) float64 {
	t.Helper()
	families, err := s.Metrics().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetGauge().GetValue()
		}
	}
	t.Fatalf("no gauge %s", name)
	return 0
}
