package broker

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestStallIsMeasuredByWhoeverLooksFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClock(time.Now)
		c.watched.Store(true)
		for range 10 {
			time.Sleep(stallTick) //nolint:forbidigo // in a bubble
			c.look()
		}
		if got := c.stalls(); got != 0 {
			t.Errorf("looking in time counts %v", got)
		}
		time.Sleep(time.Minute) //nolint:forbidigo // in a bubble
		if got := c.look(); got != time.Minute {
			t.Errorf("a stall of a minute counts %v", got)
		}
		if got := c.look(); got != time.Minute {
			t.Errorf("looked at again it counts %v", got)
		}
	})
}

func TestWatchedClockDoesNotStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClock(time.Now)
		stop := make(chan struct{})
		go c.watch(stop)
		time.Sleep(24 * time.Hour) //nolint:forbidigo // in a bubble
		if got := c.look(); got != 0 {
			t.Errorf("a day without a stall counts %v", got)
		}
		close(stop)
		synctest.Wait()
		time.Sleep(time.Minute) //nolint:forbidigo // in a bubble
		if got := c.look(); got != 0 {
			t.Errorf("when nobody watches a minute counts %v", got)
		}
	})
}
