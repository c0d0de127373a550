package delivery_test

import (
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

func TestRule6ConfirmedOnlyAfterTheCommit(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.holdCommits = true
	w.publish(0, 10, 10)
	w.attach(1, 10, 1<<20)
	w.settle(1, 1, delivery.Ack, 1, 5)
	w.settle(1, 2, delivery.Ack, 6, 7)
	want(t, "results before the commit", len(w.results), 0)
	w.do(w.commit())
	want(t, "confirmed with the first change set", w.results[0].ConfirmedThrough, 1)
	w.do(w.commit())
	want(t, "confirmed with the second", w.results[1].ConfirmedThrough, 2)
}

func TestRule6ChangesAreMergedWhileOneSetIsOnItsWay(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.holdCommits = true
	w.publish(0, 100, 10)
	w.attach(1, 100, 1<<20)
	for n := uint64(1); n <= 100; n++ {
		w.settle(1, n, delivery.Ack, n, n)
	}
	want(t, "change sets", len(w.sets), 1)
	w.do(w.commit())
	w.do(w.commit())
	want(t, "change sets in all", len(w.sets), 2)
	want(t, "confirmed", w.results[len(w.results)-1].ConfirmedThrough, 100)
}

func TestRule6GapEndsTheSession(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10, 10)
	w.attach(1, 10, 1<<20)
	w.settle(1, 2, delivery.Ack, 1, 5)
	want(t, "reason", w.ended[0].Reason, delivery.EndSettleGap)
	want(t, "acked", w.stats().Acked, 0)
	want(t, "expired", w.stats().Expired, 10)
}

func TestRule6RepeatedNumbersChangeNothingAndRepeatFailures(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10, 10)
	w.attach(1, 10, 1<<20)
	w.settle(1, 1, delivery.Ack, 1, 2)
	w.settle(1, 2, delivery.Ack, 2, 3)
	w.settle(1, 3, delivery.Ack, 4, 4)
	want(t, "acked", w.stats().Acked, 4)
	w.settle(1, 2, delivery.Ack, 5, 10)
	want(t, "acked after a repeat", w.stats().Acked, 4)
	want(t, "confirmed", w.results[len(w.results)-1].ConfirmedThrough, 3)
	want(t, "repeated failures", len(w.failures()), 1)
	want(t, "repeated failure", w.failures()[0], delivery.Failure{
		Number: 2, Range: delivery.SequenceRange{First: 2, Last: 2}, Reason: delivery.Stale,
	})
}

func TestRule6FailuresOfTheLast1024AreRepeated(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.attach(1, 10, 1<<20)
	for n := uint64(1); n <= 1025; n++ {
		w.settle(1, n, delivery.Ack, 1, 1)
	}
	w.settle(1, 1, delivery.Ack, 1, 1)
	want(t, "failures of the first number", len(w.failures()), 0)
	w.settle(1, 2, delivery.Ack, 1, 1)
	want(t, "failures of the second number", len(w.failures()), 1)
}

func TestRule6RepeatBeforeTheCommitIsConfirmedOnce(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.holdCommits = true
	w.publish(0, 10, 10)
	w.attach(1, 10, 1<<20)
	w.settle(1, 1, delivery.Ack, 1, 2)
	w.settle(1, 1, delivery.Ack, 1, 2)
	want(t, "results before the commit", len(w.results), 0)
	w.do(w.commit())
	want(t, "results", len(w.results), 1)
}

func TestRule6ExtendIsConfirmedInOrder(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.holdCommits = true
	w.publish(0, 10, 10)
	w.attach(1, 10, 1<<20)
	extend := func(number uint64) {
		w.do(&delivery.Extend{
			Stamp: w.stamp(1), Number: number, Duration: time.Minute, Ranges: []delivery.SequenceRange{{First: 1, Last: 10}},
		})
	}
	extend(1)
	want(t, "confirmed with nothing in front", w.results[0].ConfirmedThrough, 1)
	w.settle(1, 2, delivery.Ack, 1, 1)
	extend(3)
	want(t, "results behind a settle", len(w.results), 1)
	w.do(w.commit())
	want(t, "confirmed behind the settle", w.results[1].ConfirmedThrough, 3)
}

func TestRule6RetryIsConfirmedAfterItsCountsAre(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.holdCommits = true
	w.publish(0, 10, 10)
	w.attach(1, 10, 1<<20)
	w.settle(1, 1, delivery.Retry, 1, 10)
	want(t, "results before the commit", len(w.results), 0)
	want(t, "counts written", w.sets[0].counts, 10)
	w.do(w.commit())
	want(t, "confirmed", w.results[0].ConfirmedThrough, 1)
}

func TestRule6TooManyUntoldFailuresEndTheSession(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.holdCommits = true
	w.publish(0, 1, 10)
	w.attach(1, 10, 1<<20)
	w.settle(1, 1, delivery.Ack, 1, 1)
	for number := uint64(2); len(w.ended) == 0; number++ {
		e := &delivery.Settle{Stamp: w.stamp(1), Number: number, Verdict: delivery.Ack}
		for i := range uint64(3000) {
			e.Ranges = append(e.Ranges, delivery.SequenceRange{First: 10 + 2*i, Last: 10 + 2*i})
		}
		w.do(e)
		if number > 10 {
			t.Fatal("the session goes on")
		}
	}
	want(t, "reason", w.ended[0].Reason, delivery.EndFailuresUnread)
}
