package shardlog

import (
	"testing"
	"time"

	"github.com/headrace/headrace/storage"
)

func TestPartitionsComeWhenTheyAreDueOnceEach(t *testing.T) {
	x := newTopic(storage.Topic{Partitions: 3})
	a, b, c := x.partitions[0], x.partitions[1], x.partitions[2]
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	var q dueQueue
	q.add(a, at(30))
	q.add(b, at(10))
	q.add(b, at(20))
	q.add(c, at(40))
	q.add(c, at(15))
	if got := q.take(nil, at(15)); len(got) != 2 || got[0] != b || got[1] != c {
		t.Errorf("due at 15: %v", got)
	}
	if got := q.take(nil, at(50)); len(got) != 1 || got[0] != a {
		t.Errorf("due at 50: %v", got)
	}
}
