package delivery_test

import (
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

func TestPlainAcksWriteOnlyTheFloor(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10_000, 10)
	w.attach(1, 10_000, 1<<30)
	for n := uint64(1); n <= 100; n++ {
		w.settle(1, n, delivery.Ack, 100*n-99, 100*n)
	}
	for _, set := range w.sets {
		want(t, "set", set, setSize{})
	}
	want(t, "floor", w.store.partitions[0].floor, 10_000)
}

func TestAcksAboveTheFloorAreWrittenAsChunks(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10_000, 10)
	w.attach(1, 10_000, 1<<30)
	w.settle(1, 1, delivery.Ack, 2, 10_000)
	p := w.store.partitions[0]
	want(t, "floor", p.floor, 0)
	want(t, "chunks", len(p.chunks), 3)
	want(t, "acked in the second chunk", chunkLen(p, 1), delivery.ChunkOffsets)
	w.settle(1, 2, delivery.Ack, 1, 1)
	want(t, "floor in the end", p.floor, 10_000)
	w.do()
	want(t, "chunks in the end", len(p.chunks), 1)
}

// chunkLen is how many offsets are acked in a stored chunk.
func chunkLen(p *simPartition, index uint64) int {
	chunk := p.chunks[index]
	return chunk.Acked.Len()
}

func TestChunksBelowTheFloorOfRecoveryAreDropped(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	p := w.store.partitions[0]
	p.publish(make([]uint64, 20_000), 0)
	for index := range uint64(4) {
		p.chunks[index] = delivery.Chunk{Index: index}
	}
	p.floor = 3 * delivery.ChunkOffsets
	w.restart()
	w.do()
	want(t, "chunks", len(p.chunks), 1)
	want(t, "dropped", w.sets[0].dropped, 3)
}

func TestOneForgottenMessageCostsLittle(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 1, 10)
	attach := w.session(1, 1, 1<<20)
	attach.Lease = delivery.MaxLease
	w.do(attach)
	w.attach(2, 5000, 1<<30)
	number := uint64(0)
	for range 100 {
		w.publish(0, 5000, 10)
		number++
		w.settle(2, number, delivery.Ack, 5000*(number-1)+1, 5000*number)
	}
	want(t, "backlog", w.stats().Backlog, 1)
	w.settle(1, 1, delivery.Ack, 1, 1)
	p := w.store.partitions[0]
	want(t, "floor", p.floor, 500_001)
	w.do()
	want(t, "chunks", len(p.chunks) <= 1, true)
}

func TestABrokenSessionWithManyHolesIsSpreadOverChangeSets(t *testing.T) {
	const n = 100_000
	w := newWorld(t, delivery.Config{}, 1)
	w.holdCommits = true
	for range n / 1000 {
		w.publish(0, 1000, 10)
	}
	w.attach(1, n, 1<<30)
	want(t, "delivered", w.count(1), n)
	w.detach(delivery.Broken)
	w.attach(2, n, 1<<30)
	for commits := 1; w.store.open != nil; commits++ {
		set := w.sets[len(w.sets)-1]
		if bytes := set.chunks*600 + set.counts*40; bytes > delivery.MaxChangeSetBytes {
			t.Fatalf("a change set of about %d bytes", bytes)
		}
		before := w.count(2)
		w.do(w.commit())
		want(t, "delivered before their commit", before, 0)
		if commits < 3 && w.count(2) == 0 {
			t.Fatal("nothing comes back until all is committed")
		}
		if commits > 30 {
			t.Fatal("no end of change sets")
		}
		w.delivers = nil
	}
	want(t, "redelivered", w.stats().Redelivered, n)
}

func TestSaturatedWhileTooMuchWaitsForACommit(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.holdCommits = true
	w.store.partitions[0].floor = 0
	for range 500 {
		w.publish(0, delivery.ChunkOffsets, 1)
	}
	w.attach(1, 1<<22, 1<<30)
	w.do(&delivery.Configure{Config: delivery.Config{Subscription: delivery.Ceiling{Messages: 1 << 22}}})
	w.settle(1, 1, delivery.Ack, 2, 2)
	want(t, "saturated", w.state.Saturated(), false)
	e := &delivery.Settle{Stamp: w.stamp(1), Number: 2, Verdict: delivery.Ack}
	for i := uint64(1); i < 500; i++ {
		e.Ranges = append(e.Ranges, delivery.SequenceRange{First: i * delivery.ChunkOffsets, Last: i * delivery.ChunkOffsets})
	}
	w.do(e)
	want(t, "saturated by changed chunks", w.state.Saturated(), true)
	for w.store.open != nil {
		w.do(w.commit())
	}
	want(t, "saturated in the end", w.state.Saturated(), false)
	want(t, "confirmed", w.results[len(w.results)-1].ConfirmedThrough, 2)
}

func TestHolesCountAsSettled(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10, 10)
	w.attach(1, 3, 1<<20)
	w.do(&delivery.Hole{Partition: 0, First: 4, Last: 8})
	w.settle(1, 1, delivery.Ack, 1, 3)
	wantOffsets(t, "delivered", w.got(1), 0, 1, 2, 3, 9)
	want(t, "backlog", w.stats().Backlog, 2)
	w.settle(1, 2, delivery.Ack, 4, 5)
	want(t, "floor", w.store.partitions[0].floor, 10)
}

func TestAHugeSkipCostsNothing(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.attach(1, 10, 1<<20)
	w.publish(0, 2, 10)
	w.do(&delivery.Hole{Partition: 0, First: 2, Last: 1 << 60})
	p := w.store.partitions[0]
	p.head = 1<<60 + 1
	w.publish(0, 2, 10)
	wantOffsets(t, "delivered", w.got(1), 0, 1, 1<<60+1, 1<<60+2)
	w.settle(1, 1, delivery.Ack, 1, 4)
	want(t, "floor", p.floor, 1<<60+3)
}

func TestAHoleEndsWhatWaitsInIt(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10, 10)
	w.attach(1, 10, 1<<20)
	w.got(1)
	w.settle(1, 1, delivery.Retry, 1, 10)
	w.do(&delivery.Hole{Partition: 0, First: 2, Last: 6})
	w.wait(2 * time.Second)
	want(t, "delivered", w.count(1), 5)
	want(t, "backlog", w.stats().Backlog, 5)
	want(t, "waiting", w.stats().Waiting, 0)
}

func TestWithoutSessionsNothingIsLoaded(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10, 10)
	want(t, "loads", len(w.loads), 0)
	w.attach(1, 5, 1<<20)
	want(t, "loads for a session", len(w.loads), 1)
	w.detach(delivery.Gone)
	want(t, "segments at hand", len(w.store.partitions[0].resident), 0)
}

func TestLoadsAreBounded(t *testing.T) {
	w := newWorld(t, delivery.Config{LoadBytes: 10_000}, 1)
	for range 1000 {
		w.publish(0, 10, 100)
	}
	w.attach(1, 1, 1<<20)
	if n := len(w.store.partitions[0].resident); n > 12 {
		t.Fatalf("%d segments of 1,000 bytes at hand", n)
	}
}

func TestSegmentsThatAreNotWantedAreUnloaded(t *testing.T) {
	w := newWorld(t, delivery.Config{LoadBytes: 2000}, 1)
	w.attach(1, 1, 1<<20)
	p := w.store.partitions[0]
	for range 100 {
		g := p.publish(make([]uint64, 10), 0)
		p.resident[g.Base] = true
		w.do(&delivery.Head{Partition: 0, Next: p.head}, &delivery.Loaded{Partition: 0, Segments: []delivery.Segment{g}})
	}
	w.window(1, 1000, 1<<20)
	want(t, "delivered", w.count(1), 1000)
	w.settle(1, 1, delivery.Ack, 1, 1000)
	want(t, "segments at hand", len(p.resident), 0)
}

func TestEventsForUnknownPartitionsAndSessionsAreIgnored(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.do(
		&delivery.Head{Partition: 9, Next: 10}, &delivery.Hole{Partition: 9, Last: 5}, &delivery.Loaded{Partition: 9},
		&delivery.Committed{Number: 7}, w.settling(5, 1, delivery.Ack, 1, 1), &delivery.Drain{Stamp: w.stamp(5)},
		&delivery.Detach{Stamp: w.stamp(5), How: delivery.Broken}, &delivery.Window{Stamp: w.stamp(5)},
		&delivery.Grant{Stamp: w.stamp(5)}, &delivery.Extend{Stamp: w.stamp(5), Number: 1},
		&delivery.Writable{Stamp: w.stamp(5)}, &delivery.Heard{Stamp: w.stamp(5)},
	)
	want(t, "ended", len(w.ended), 0)
	want(t, "backlog", w.stats().Backlog, 0)
}

func TestAttachedTwiceEndsTheSession(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.attach(1, 1, 1)
	w.attach(1, 1, 1)
	want(t, "reason", w.ended[0].Reason, delivery.EndAttachedTwice)
}

func TestStatsOfSessions(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 2)
	w.publish(0, 10, 10)
	w.publish(1, 10, 10)
	attach := w.session(1, 15, 1000)
	attach.ClientID = "worker"
	w.do(attach)
	w.settle(1, 1, delivery.Ack, 1, 3)
	s := w.stats()
	x := s.Sessions[0]
	want(t, "client", x.ClientID, "worker")
	want(t, "credit", x.Credit, delivery.Credit{Messages: 0, Bytes: 850})
	want(t, "outstanding", x.Outstanding, delivery.Credit{Messages: 15, Bytes: 150})
	want(t, "delivered", x.Delivered, 18)
	want(t, "acked", x.Acked, 3)
	want(t, "since", x.Since, w.now)
	want(t, "backlog", s.Backlog, 17)
	want(t, "fresh", s.Fresh, 2)
	want(t, "partitions", len(s.Partitions), 2)
}

func TestStatsTellSinceWhenASessionHasNoCredit(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10, 10)
	w.wait(time.Minute)
	w.attach(1, 20, 1<<20)
	w.attach(2, 10, 1<<20)
	w.hear(2*time.Second, 1, 2)
	want(t, "without credit at first", w.stats().Sessions[0].DrySince, 0)
	dry := w.now
	w.window(1, 0, 0)
	w.hear(time.Second, 1, 2)
	w.publish(0, 100, 10)
	w.hear(10*time.Second, 1, 2)
	want(t, "without credit since", w.stats().Sessions[0].DrySince, dry)
	w.window(1, 1000, 1<<20)
	want(t, "with credit again", w.stats().Sessions[0].DrySince, 0)
}

func TestConfigIsValidated(t *testing.T) {
	for name, c := range map[string]delivery.Config{
		"mode":          {Mode: 9},
		"short lease":   {Lease: time.Millisecond},
		"long lease":    {Lease: 13 * time.Hour},
		"lease cap":     {LeaseCap: 13 * time.Hour},
		"backoff":       {BackoffMin: -1},
		"long backoff":  {BackoffMax: 13 * time.Hour},
		"backoff order": {BackoffMin: time.Minute, BackoffMax: time.Second},
	} {
		if err := c.Validate(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := (delivery.Config{}).Validate(); err != nil {
		t.Fatal(err)
	}
}
