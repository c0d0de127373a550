package shardlog

import (
	"errors"
	"fmt"

	"github.com/headrace/headrace/storage"
)

// settle shows a committed batch to the world: first segments and heads to
// readers, then results to those who wait.
func (c *committer) settle(b *batch) {
	for _, ch := range b.chunks {
		c.tails.Admit(ch.share())
	}
	for i := range b.runs {
		r := &b.runs[i]
		r.partition.marks.setNext(r.end)
		r.partition.watchers.wake()
		c.attention.add(r.partition)
	}
	for i := range b.outcomes {
		o := &b.outcomes[i]
		c.shownPages.show(o.topic, o.page)
	}
	for _, x := range b.changes {
		x.finish(nil)
	}
	for _, s := range b.slots {
		s.finish(nil)
	}
	b.completePublishes()
}

func (b *batch) completePublishes() {
	for _, share := range b.queues {
		share.queue.complete(share.n)
	}
}

// failBatch ends the shard's life: a batch could not be committed, or perhaps was.
func (c *committer) failBatch(b *batch) {
	c.fail(fmt.Errorf("commit batch %d: %w", b.Number, b.err))
	c.refuse(b, outcomeOf(b.err))
}

// fail takes no more work. The first reason stays.
func (c *committer) fail(err error) {
	c.failure.set(err)
	c.in.close()
	c.logger.Error("store failed", "error", err)
}

// outcomeOf is what those in a failed batch are told: only an engine that says so
// surely stored nothing.
func outcomeOf(err error) error {
	for _, sure := range []error{storage.ErrFenced, storage.ErrNoSpace, storage.ErrTooLarge, storage.ErrUnavailable} {
		if errors.Is(err, sure) && !errors.Is(err, storage.ErrUnknown) {
			return storage.ErrUnavailable
		}
	}
	return storage.ErrUnknown
}

// refuse completes everything in a batch with an error; what had failed already
// keeps its own.
func (c *committer) refuse(b *batch, err error) {
	for _, ch := range b.chunks {
		ch.discard()
	}
	for _, x := range b.changes {
		x.finish(err)
	}
	for _, s := range b.slots {
		s.finish(err)
	}
	for _, p := range b.publishes {
		if p.Err == nil {
			p.Err = err
		}
	}
	b.completePublishes()
}

// refuseAll completes everything that is left with ErrUnavailable, in order: after
// a stop in order there is nothing.
func (c *committer) refuseAll() {
	switch {
	case c.held:
		c.refuse(c.inFlight, storage.ErrUnavailable)
	case c.inFlight != nil:
		b := <-c.committed
		c.refuse(b, outcomeOf(b.err))
	}
	c.refuse(c.open, storage.ErrUnavailable)
	for !c.changes.empty() {
		c.changes.pop().finish(storage.ErrUnavailable)
	}
	for !c.slots.empty() {
		c.slots.pop().finish(storage.ErrUnavailable)
	}
	for !c.queues.empty() {
		c.queues.queues.pop().failWaiting()
	}
}
