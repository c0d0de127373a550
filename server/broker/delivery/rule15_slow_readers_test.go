package delivery_test

import (
	"testing"

	"github.com/headrace/headrace/server/broker/delivery"
)

func TestRule15AFullQueueMakesIneligible(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.attach(1, 100, 1<<20)
	w.attach(2, 100, 1<<20)
	w.do(&delivery.Writable{Stamp: w.stamp(1)})
	w.publish(0, 50, 10)
	want(t, "to the stalled one", w.count(1), 0)
	want(t, "to the other", w.count(2), 50)
	w.publish(0, 100, 10)
	w.do(&delivery.Writable{Stamp: w.stamp(1), Writable: true})
	want(t, "to the one that reads again", w.count(1), 50)
}

func TestRule16SettlesOfAStalledSessionAreTaken(t *testing.T) {
	w := newWorld(t, delivery.Config{}, 1)
	w.publish(0, 10, 10)
	w.attach(1, 100, 1<<20)
	w.do(&delivery.Writable{Stamp: w.stamp(1)})
	w.settle(1, 1, delivery.Ack, 1, 10)
	want(t, "acked", w.stats().Acked, 10)
	want(t, "confirmed", w.results[0].ConfirmedThrough, 1)
}
