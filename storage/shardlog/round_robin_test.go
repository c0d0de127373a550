package shardlog

import (
	"testing"

	"github.com/headrace/headrace/storage"
)

// serveRounds puts publishes of the given sizes, many of each, into a queue for
// each size, and gives the bytes taken from each until limit bytes are.
func serveRounds(t *testing.T, limit int, sizes ...int) []int {
	t.Helper()
	in := newInbox()
	var rr roundRobin
	taken := make([]int, len(sizes))
	index := map[*publishQueue]int{}
	for i, size := range sizes {
		q := newPublishQueue(in)
		index[q] = i
		for range min(maxQueuedPublishes, maxQueuedBytes/size) {
			q.Put(publishOf(size), nil)
		}
		rr.add(q)
	}
	total := 0
	rr.drain(func(q *publishQueue, p *storage.Publish) bool {
		if total >= limit {
			return false
		}
		total += p.Bytes()
		taken[index[q]] += p.Bytes()
		return true
	})
	return taken
}

func TestLargePublishesGetNoMoreBytesThanSmallOnes(t *testing.T) {
	taken := serveRounds(t, 4<<20, 1<<10, 100<<10, 1<<20)
	for i, bytes := range taken {
		if bytes < 1<<20 || bytes > 2<<20 {
			t.Errorf("queue %d got %d of 4 MiB", i, bytes)
		}
	}
}

func TestALoneQueueIsNotHeldBack(t *testing.T) {
	if taken := serveRounds(t, 4<<20, 2<<20); taken[0] != 4<<20 {
		t.Errorf("got %d of 4 MiB", taken[0])
	}
}

func TestWhatWasRefusedIsTheNext(t *testing.T) {
	in := newInbox()
	a, b := newPublishQueue(in), newPublishQueue(in)
	a.Put(publishOf(10), nil)
	b.Put(publishOf(10), nil)
	var rr roundRobin
	rr.add(a)
	rr.add(b)
	rr.drain(func(*publishQueue, *storage.Publish) bool { return false })
	var order []*publishQueue
	rr.drain(func(q *publishQueue, _ *storage.Publish) bool {
		order = append(order, q)
		return true
	})
	if len(order) != 2 || order[0] != a || order[1] != b {
		t.Error("the order changed")
	}
	if !rr.empty() {
		t.Error("empty queues are still listed")
	}
}

func TestAQueueCannotSaveUpItsShare(t *testing.T) {
	in := newInbox()
	idle := newPublishQueue(in)
	var rr roundRobin
	for range 100 {
		idle.Put(publishOf(1), nil)
		rr.add(idle)
		rr.drain(func(*publishQueue, *storage.Publish) bool { return true })
	}
	if idle.deficit != 0 {
		t.Errorf("%d bytes are saved up", idle.deficit)
	}
}
