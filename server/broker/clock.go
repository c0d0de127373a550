package broker

import (
	"sync/atomic"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

const (
	// stallTick is how often the broker looks whether it was stopped.
	stallTick = 500 * time.Millisecond
	// stallSlack is how late a look may come before it counts as a stall.
	stallSlack = 250 * time.Millisecond
)

// clock gives monotonic time since the broker's start and measures the time in
// which the process did not run: a suspended machine, a starved scheduler. Such
// time must not count against clients, whose frames lay unread meanwhile.
type clock struct {
	origin time.Time
	// wall is what time it is, for ages and for what must mean something after a
	// restart. It may be set at any moment: nothing that runs is judged by it.
	wall storage.Clock
	// last is the latest look, stalled all measured stalls, both in nanoseconds.
	last    atomic.Int64
	stalled atomic.Int64
	// ahead is by how much now was moved forward for a test, in nanoseconds. The time
	// in which peers are heard and the process runs is never moved.
	ahead atomic.Int64
	// watched says that somebody looks regularly; without that no gap means anything.
	watched atomic.Bool
}

func newClock(wall storage.Clock) *clock { return &clock{origin: time.Now(), wall: wall} }

// now is the monotonic time since the origin, and what it was moved forward.
func (c *clock) now() delivery.Instant { return c.running() + time.Duration(c.ahead.Load()) }

// running is the monotonic time since the origin that nobody moves.
func (c *clock) running() time.Duration { return time.Since(c.origin) }

// look notes that the process runs, and returns the sum of all stalls so far. A
// gap since the last look that is too long counts whole, so that a stall is
// rather over- than underestimated. Whoever looks first after a stall measures it.
func (c *clock) look() time.Duration {
	last, now := c.last.Load(), int64(c.running())
	gap := time.Duration(now - last)
	if gap >= stallTick && c.last.CompareAndSwap(last, now) && gap > stallTick+stallSlack && c.watched.Load() {
		c.stalled.Add(int64(gap))
	}
	return time.Duration(c.stalled.Load())
}

// watch looks every stallTick until stop is closed.
func (c *clock) watch(stop <-chan struct{}) {
	c.last.Store(int64(c.running()))
	c.watched.Store(true)
	defer c.watched.Store(false)
	ticker := time.NewTicker(stallTick)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			c.look()
		case <-stop:
			return
		}
	}
}

// stalls is the sum of all stalls measured so far.
func (c *clock) stalls() time.Duration { return time.Duration(c.stalled.Load()) }
