package shardlog

import (
	"fmt"

	"github.com/headrace/headrace/storage"
)

// recordsAtOnce bounds the pointers or checkpoints that one batch of a takeover or
// a stop writes.
const recordsAtOnce = 4000

// takeOver makes a new epoch durable, then what recovery repairs, then where the
// partitions end, and last which losses were accepted: until then the next opening
// finds everything as this one did. It runs before the committer's loop does.
func (c *committer) takeOver(repairs []repair, losses []BatchRange) error {
	c.shard.Epoch++
	c.shard.Clean = false
	c.begin()
	c.open.shard = true
	for {
		n := min(len(repairs), recordsAtOnce)
		for _, mend := range repairs[:n] {
			mend(c.open)
		}
		repairs = repairs[n:]
		if err := c.commitNow(); err != nil {
			return fmt.Errorf("take over: %w", err)
		}
		if len(repairs) == 0 {
			break
		}
	}
	if err := c.writeCheckpoints(); err != nil || len(losses) == 0 {
		return err
	}
	c.acceptLosses(losses)
	if err := c.commitNow(); err != nil {
		return fmt.Errorf("accept the loss: %w", err)
	}
	return nil
}

// retire ends a service in order: the heads of all partitions that moved are
// written down, and the last batch says that the stop was in order. It runs after
// the committer's loop.
func (c *committer) retire() error {
	if err := c.writeCheckpoints(); err != nil {
		return err
	}
	// With the mark the next opening trusts the checkpoints; what is fenced must be
	// looked at again.
	c.shard.Clean = !c.shard.anyFenced()
	c.open.shard = true
	if err := c.commitNow(); err != nil {
		return fmt.Errorf("mark the stop as clean: %w", err)
	}
	return nil
}

// writeCheckpoints writes down the heads of all partitions that moved past theirs.
func (c *committer) writeCheckpoints() error {
	for !c.shard.checkpoints.moved.empty() {
		for range recordsAtOnce {
			p := c.shard.checkpoints.oldest()
			if p == nil {
				break
			}
			c.open.rewrite(p)
		}
		if err := c.commitNow(); err != nil {
			return fmt.Errorf("write checkpoints: %w", err)
		}
	}
	return nil
}

// commitNow commits the open batch in the caller's goroutine, which must be the
// only one there is.
func (c *committer) commitNow() error {
	b := c.open
	b.TakesReserve = true
	c.seal(b)
	if err := c.engine.Commit(&b.Batch); err != nil {
		return fmt.Errorf("commit batch %d: %w", b.Number, err)
	}
	if err := c.engine.Err(); err != nil {
		return fmt.Errorf("%w: %w", storage.ErrUnknown, err)
	}
	b.reset()
	c.spare = append(c.spare, b)
	c.begin()
	return nil
}
