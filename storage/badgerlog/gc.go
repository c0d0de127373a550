package badgerlog

import (
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// maxHeldBack is for how many intervals slow commits may hold a collection back: a
// disk that is always slow must not fill up.
const maxHeldBack = 5

// collector runs the value log's garbage collection.
type collector struct {
	// collect rewrites one value log file with enough dead bytes. It is Badger's,
	// and gives ErrNoRewrite when there is none.
	collect func() error
	// finish comes after the last file, while nothing is collected, unless the disk is
	// short.
	finish   func() error
	holdBack time.Duration
	// commitAverage is how long commits take.
	commitAverage func() time.Duration
	// enough dead bytes, that compactions found since the last collection, make the
	// next one come at once.
	enough uint64
	// short says that the disk is: then nothing is held back.
	short func() bool
	log   *slog.Logger
	stop  *failStop

	held int
	dead atomic.Uint64
	// kick has capacity 1: a collection is worth while.
	kick chan struct{}

	runs, rewrites, heldBack, errors atomic.Uint64
}

// discarded tells of dead bytes that a compaction found. Where the disk is short any are
// worth a look: nothing else may come that would find more.
func (c *collector) discarded(bytes uint64) {
	if dead := c.dead.Add(bytes); dead == 0 || dead < c.enough && !c.short() {
		return
	}
	select {
	case c.kick <- struct{}{}:
	default:
	}
}

// loop collects when there is enough, and at each tick, until quit is closed.
func (c *collector) loop(interval time.Duration, quit <-chan struct{}) {
	if interval == 0 {
		return
	}
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			c.run(quit)
		case <-c.kick:
			c.run(quit)
		case <-quit:
			return
		}
	}
}

// run collects file by file until there is nothing left to gain.
func (c *collector) run(quit <-chan struct{}) {
	if c.mustWait() {
		return
	}
	c.files(quit)
	if closed(quit) || closed(c.stop.failed) || c.short() {
		return
	}
	if err := c.finish(); err != nil {
		_ = c.stop.trip("delete what is marked as gone: %w", err)
	}
}

func (c *collector) files(quit <-chan struct{}) {
	c.runs.Add(1)
	c.dead.Store(0)
	for !closed(quit) && !closed(c.stop.failed) {
		if err := c.collect(); err != nil {
			c.ended(err)
			return
		}
		c.rewrites.Add(1)
		if c.commitAverage() > c.holdBack && !c.short() {
			return // The next interval goes on.
		}
	}
}

// mustWait says whether slow commits hold the collection back once more.
func (c *collector) mustWait() bool {
	if c.commitAverage() <= c.holdBack || c.held >= maxHeldBack || c.short() {
		c.held = 0
		return false
	}
	c.held++
	c.heldBack.Add(1)
	return true
}

// ended looks at why a collection ended. What Badger could not read or write it
// tells its logger as well; the rest is tried again at the next interval.
func (c *collector) ended(err error) {
	if errors.Is(err, badger.ErrNoRewrite) || errors.Is(err, badger.ErrRejected) {
		return
	}
	c.errors.Add(1)
	c.log.Warn("The value log could not be collected.", "error", err)
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
