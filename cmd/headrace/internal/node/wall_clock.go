package node

import (
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/headrace/headrace/storage"
)

// wallClock is the system's clock, or one that is off by what a file says at the
// moment, so that a test can set the clock of a server that runs. What is not a
// duration counts as none.
func wallClock(offsetFile string) storage.Clock {
	if offsetFile == "" {
		return time.Now
	}
	return func() time.Time {
		text, _ := os.ReadFile(offsetFile)
		offset, _ := time.ParseDuration(strings.TrimSpace(string(text)))
		return time.Now().Add(offset)
	}
}

// nodeClock is a wall clock that a test may move forward.
type nodeClock struct {
	wall storage.Clock
	// ahead is by how much it was moved, in nanoseconds.
	ahead atomic.Int64
}

// now is the time, ahead of the wall clock's by what it was moved.
func (c *nodeClock) now() time.Time { return c.wall().Add(time.Duration(c.ahead.Load())) }

// advance moves the clock forward.
func (c *nodeClock) advance(by time.Duration) { c.ahead.Add(int64(by)) }
