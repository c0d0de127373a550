package broker

import (
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// maxRecoveredWait bounds what a recovered message still waits: the longest delay
// with its jitter. A wall clock that went back while the server was down cannot
// keep a message for longer than it could have waited at all.
const maxRecoveredWait = delivery.MaxRetryDelay + delivery.MaxRetryDelay/5

// dueTimes turns the monotonic times at which messages are due again into wall
// times, which alone mean something after a restart, and back. It is made anew for
// each use, so that a clock that was set meanwhile does no more harm than once.
type dueTimes struct {
	now  delivery.Instant
	wall time.Time
}

// dueTimesNow takes both clocks at the same moment.
func (c *clock) dueTimesNow() dueTimes { return dueTimes{now: c.now(), wall: c.wall()} }

// stored is when a message is due, in Unix milliseconds, rounded up: never early.
// What is due already is 0.
func (d dueTimes) stored(due delivery.Instant) int64 {
	if due <= d.now {
		return 0
	}
	millis := d.wall.Add(due - d.now + time.Millisecond - 1).UnixMilli()
	return min(max(millis, 0), storage.MaxNotBefore)
}

// recovered is when a message is due that was stored to be due then.
func (d dueTimes) recovered(millis int64) delivery.Instant {
	if millis == 0 {
		return 0
	}
	wait := time.UnixMilli(millis).Sub(d.wall)
	return d.now + min(max(wait, 0), maxRecoveredWait)
}
