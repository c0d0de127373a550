package delivery_test

import (
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

func TestFailoverServesOneSessionAndThenTheNext(t *testing.T) {
	w := newWorld(t, delivery.Config{Mode: delivery.Failover}, 1)
	for id := delivery.SessionID(1); id <= 3; id++ {
		w.attach(id, 2, 1<<20)
	}
	w.publish(0, 10, 10)
	want(t, "of the first", w.count(1), 2)
	want(t, "of the others", w.count(2)+w.count(3), 0)
	want(t, "blocked", w.blocked(2)&delivery.Standby, delivery.Standby)
	w.do(&delivery.Detach{Stamp: w.stamp(1), How: delivery.Clean})
	wantOffsets(t, "of the second, at once", w.got(2), 0, 1)
	w.do(&delivery.Drain{Stamp: w.stamp(2), Grace: time.Minute})
	want(t, "of the third, when the second drains", w.count(3), 2)
	w.attach(4, 2, 1<<20)
	want(t, "of a late one", w.count(4), 0)
	w.do(&delivery.Detach{Stamp: w.stamp(3), How: delivery.Broken})
	want(t, "of it when it is alone", w.count(4), 2)
}

func TestFailoverTakeoverIsAtOnceAndUncharged(t *testing.T) {
	w := newWorld(t, delivery.Config{Mode: delivery.Failover}, 1)
	w.publish(0, 3, 10)
	w.attach(1, 10, 1<<20)
	w.attach(2, 10, 1<<20)
	want(t, "of the first", w.count(1), 3)
	takeover := w.session(3, 10, 1<<20)
	takeover.Takeover = true
	w.do(takeover)
	want(t, "ended", w.ended[0], delivery.EndSession{Session: 1, Reason: delivery.EndTakenOver, Served: true})
	want(t, "of the one that took over", w.count(3), 3)
	want(t, "of the one that stands by", w.count(2), 0)
	want(t, "charged", w.stats().Expired, 0)
}

func TestFailoverKeepsTheOrderOfPartitionsThroughATakeover(t *testing.T) {
	w := newWorld(t, delivery.Config{Mode: delivery.Failover, Order: delivery.OrderPartition}, 1)
	w.publish(0, 4, 10)
	for id := delivery.SessionID(1); id <= 2; id++ {
		w.join(id, delivery.KeyBatches)
	}
	wantOffsets(t, "of the first", w.got(1), 0, 1, 2, 3)
	w.settle(1, 1, delivery.Ack, 1, 1)
	w.detach(delivery.Broken)
	w.hear(time.Second, 2)
	wantOffsets(t, "the head of the second", w.got(2), 1)
	w.settle(2, 1, delivery.Ack, 1, 1)
	w.settle(2, 2, delivery.Ack, 2, 2)
	wantOffsets(t, "then", w.got(2), 2, 3)
}

func TestPausedDeliversNothing(t *testing.T) {
	config := delivery.Config{Paused: true}
	w := newWorld(t, config, 1)
	w.publish(0, 3, 10)
	w.attach(1, 10, 1<<20)
	want(t, "delivered", w.count(1), 0)
	want(t, "blocked", w.lastFlow().Blocked, delivery.Paused)
	config.Paused = false
	w.do(&delivery.Configure{Config: config})
	want(t, "delivered when it goes on", w.count(1), 3)
	config.Paused = true
	w.do(&delivery.Configure{Config: config})
	w.settle(1, 1, delivery.Ack, 1, 1)
	want(t, "acked while it is paused", w.stats().Acked, 1)
}

// A pause is told when it begins and when it ends, though it was told of something
// within the last second.
func TestPauseIsToldAtOnce(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 2, 10)
	w.attach(1, 1, 1<<20)
	want(t, "blocked", w.lastFlow().Blocked, delivery.NoCreditMessages)
	w.do(&delivery.Configure{Config: delivery.Config{Paused: true}})
	want(t, "paused", w.lastFlow().Blocked, delivery.Paused|delivery.NoCreditMessages)
	w.do(&delivery.Configure{Config: delivery.Config{}})
	want(t, "goes on", w.lastFlow().Blocked, delivery.NoCreditMessages)
}
