package broker

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

func TestMessageIsDeliveredAndSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		s := r.subscribe(nil)
		r.publish("a", "b")
		r.publish("c")
		s.receive(3)
		want := []received{{1, 0, 1, "a"}, {2, 1, 1, "b"}, {3, 2, 1, "c"}}
		if diff := cmp.Diff(want, s.received, cmp.AllowUnexported(received{})); diff != "" {
			t.Error(diff)
		}
		s.settle(1, 3, Ack)
		s.confirm()
		stats := r.stats()
		if stats.Backlog.Messages != 0 || stats.Acked != 3 || stats.Partitions[0].Floor != 3 {
			t.Errorf("after acking all: %+v", stats)
		}
		if n := r.store.reads.Load(); n != 0 {
			t.Errorf("a subscriber at the tail caused %d reads", n)
		}
	})
}
