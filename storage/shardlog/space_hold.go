package shardlog

import (
	"errors"
	"time"

	"github.com/headrace/headrace/storage"
)

// spaceInterval is how often the disk is asked again while everything waits for
// room on it.
const spaceInterval = 250 * time.Millisecond

// spaceHold holds everything back while the disk is below the low mark. Loop only.
type spaceHold struct {
	timer *time.Timer
	// fire is the timer's channel while the committer waits, else nil.
	fire <-chan time.Time
}

func (h *spaceHold) waits() bool { return h.fire != nil }

// begin waits until the next look at the disk.
func (h *spaceHold) begin() {
	if h.timer == nil {
		h.timer = time.NewTimer(spaceInterval)
	} else {
		h.timer.Reset(spaceInterval)
	}
	h.fire = h.timer.C
}

// end is for when the timer has fired.
func (h *spaceHold) end() { h.fire = nil }

// lacksSpace says whether the disk has no room for a batch. Then the next look is
// at the timer.
func (c *committer) lacksSpace() bool {
	if c.hold.waits() {
		return true
	}
	lacks := !c.engine.Space().AcceptsBatches()
	if lacks {
		c.hold.begin()
	}
	c.noteSpace(lacks)
	return lacks
}

// noteSpace tells the operator when waiting begins and ends.
func (c *committer) noteSpace(lacks bool) {
	switch before := c.metrics.waitsForSpace.Swap(lacks); {
	case lacks && !before:
		c.logger.Error("The disk is full: nothing is stored until there is room again.", "free_bytes", c.engine.Space().FreeBytes)
	case before && !lacks:
		c.logger.Info("The disk has room again.", "free_bytes", c.engine.Space().FreeBytes)
	}
}

// refusedForSpace says that the engine surely stored nothing, for want of room, and
// takes the same batch later.
func refusedForSpace(err error) bool {
	return errors.Is(err, storage.ErrNoSpace) && !errors.Is(err, storage.ErrUnknown)
}

// holdBatch keeps the batch in flight, which found the disk full after it was
// sealed: what it changed in memory stands, so the same batch must come next.
func (c *committer) holdBatch() {
	c.held = true
	c.hold.begin()
	c.noteSpace(true)
}

// retryHeld has the batch that waits for room committed, once there may be some.
// Until then the publishes behind it are refused, unless that would overtake results
// in it.
func (c *committer) retryHeld() {
	switch {
	case !c.held:
	case !c.lacksSpace():
		c.held = false
		c.toCommit <- c.inFlight
	case len(c.inFlight.publishes) == 0:
		c.open.completeRefused()
	}
}

// completeRefused completes the publishes of a batch that waits for room, when all
// of them were refused: there is nothing that their results could overtake.
func (b *batch) completeRefused() {
	if len(b.runs) > 0 || len(b.outcomes) > 0 {
		return
	}
	b.completePublishes()
	for _, share := range b.queues {
		share.queue.openIn = nil
	}
	clear(b.publishes)
	clear(b.queues)
	b.publishes, b.queues = b.publishes[:0], b.queues[:0]
	b.spaceAsked = false
}
