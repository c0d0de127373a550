package shardlog

import (
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
	"github.com/headrace/headrace/storage/tailring"
)

// committer is the one owner of the shard. Its loop fills the open batch, seals it
// when the batch before it is committed, and settles what is. A second goroutine
// does nothing but commit.
type committer struct {
	engine    storage.Engine
	clock     storage.Clock
	logger    *slog.Logger
	in        *inbox
	shard     *shard
	attention *attention
	holes     holeRules
	metrics   *metrics
	failure   *failure

	// Loop only.
	work    work
	queues  roundRobin
	slots   fifo[*stateSlot]
	changes fifo[*change]
	open    *batch
	linger  linger
	hold    spaceHold
	// spare are batches for reuse.
	spare    []*batch
	inFlight *batch
	// held: the batch in flight is sealed and waits for room on the disk.
	held   bool
	chunks chunkPool
	// ackParts is memory for splitting ack chunks.
	ackParts []record.AckPart
	tails    *tailring.Tails
	// remembers: there are producers or dedupe ids. The janitor asks.
	remembers atomic.Bool
	// outcome is memory for what became of a producer's batch.
	outcome record.PageOutcome
	// shownPages are what readers see of the producers.
	shownPages shownPages

	// toCommit and committed have capacity 1: one batch at a time is committed.
	toCommit, committed chan *batch
	// closing is closed when the store is about to stop: nothing waits for room on
	// the disk any more. stop is closed to end the loop, done by the loop when it
	// has.
	closing, stop, done chan struct{}
}

func newCommitter(engine storage.Engine, o Options, in *inbox, s *shard, f *failure) *committer {
	c := &committer{
		engine: engine, clock: o.Clock, logger: o.Logger,
		in: in, shard: s, attention: &attention{}, holes: holeRules{o.HoleAge, o.HoleInterval}, metrics: &metrics{}, failure: f,
		tails:      tailring.New(o.TailBytes, o.TailPartitionBytes),
		shownPages: shownPages{of: map[producerTopicID]*producerTopic{}},
		toCommit:   make(chan *batch, 1),
		committed:  make(chan *batch, 1),
		closing:    make(chan struct{}),
		stop:       make(chan struct{}),
		done:       make(chan struct{}),
	}
	c.begin()
	return c
}

// run is the committer's loop. It ends when the store is stopped and everything
// that was handed over before is done.
func (c *committer) run() {
	defer close(c.done)
	commits := make(chan struct{})
	go c.commit(commits)
	c.turn()
	close(c.toCommit)
	<-commits
	if c.failure.get() == nil {
		if err := c.retire(); err != nil {
			c.fail(err)
		}
	}
	c.end()
}

// turn takes turns until there is nothing left to do after a stop.
func (c *committer) turn() {
	closing, stop := c.closing, c.stop
	for {
		c.fill()
		c.handOver()
		if closing == nil && c.hold.waits() {
			c.fail(fmt.Errorf("%w: what waited for room on the disk is not stored", storage.ErrNoSpace))
			return
		}
		if stop == nil && c.idle() {
			return
		}
		select {
		case <-c.in.wake:
		case b := <-c.committed:
			c.onCommitted(b)
		case <-c.engine.Failed():
			c.fail(c.engine.Err())
			return
		case <-c.linger.fire:
			c.linger.end()
		case <-c.hold.fire:
			c.hold.end()
		case <-closing:
			closing = nil
		case <-stop:
			stop = nil
		}
		if c.failure.get() != nil {
			return
		}
	}
}

// commit commits batches, one at a time, until toCommit is closed.
func (c *committer) commit(done chan<- struct{}) {
	defer close(done)
	for b := range c.toCommit {
		start := time.Now()
		b.err = c.engine.Commit(&b.Batch)
		b.took = time.Since(start)
		c.committed <- b
	}
}

// fill moves what waits into the open batch, as far as it has room.
func (c *committer) fill() {
	c.receive()
	c.fillChanges()
	c.fillSlots()
	c.queues.drain(c.addPublish)
}

// receive empties the inbox.
func (c *committer) receive() {
	c.work.reset()
	c.in.takeInto(&c.work)
	for _, q := range c.work.queues {
		c.queues.add(q)
	}
	for _, s := range c.work.slots {
		c.slots.push(s)
	}
	for _, x := range c.work.changes {
		c.changes.push(x)
	}
}

func (c *committer) fillChanges() {
	for !c.changes.empty() && c.open.room(c.changes.front().need) {
		x := c.changes.pop()
		ops, mem := len(c.open.Ops), len(c.open.mem)
		if err := x.apply(c.open); err != nil {
			x.finish(err)
			continue
		}
		c.open.used = c.open.used.plus(need{inline: len(c.open.mem) - mem, keys: len(c.open.Ops) - ops})
		c.open.changes = append(c.open.changes, x)
	}
}

// handOver seals the open batch and gives it to be committed, when no other one is
// in the works.
func (c *committer) handOver() {
	c.retryHeld()
	if c.inFlight != nil || c.open.empty() || c.linger.holds(c.open, !c.queues.empty()) {
		return
	}
	b := c.open
	if b.changesNothing() {
		c.forgetChanged(b)
		c.settle(b)
		c.begin()
		return
	}
	if c.lacksSpace() {
		b.completeRefused()
		return
	}
	c.seal(b)
	c.inFlight = b
	c.toCommit <- b
	c.begin()
}

// onCommitted first keeps the disk busy, then tells the world.
func (c *committer) onCommitted(b *batch) {
	if refusedForSpace(b.err) {
		c.holdBatch()
		return
	}
	c.inFlight = nil
	c.metrics.committed(b)
	if b.err != nil {
		c.failBatch(b)
		return
	}
	if err := c.engine.Err(); err != nil {
		b.err = fmt.Errorf("%w: %w", storage.ErrUnknown, err)
		c.failBatch(b)
		return
	}
	c.fill()
	if !c.linger.begin(c.open, b) {
		c.handOver()
	}
	c.settle(b)
	b.reset()
	c.spare = append(c.spare, b)
	c.metrics.observe(c)
}

// begin opens the next batch.
func (c *committer) begin() {
	if n := len(c.spare); n > 0 {
		c.open, c.spare = c.spare[n-1], c.spare[:n-1]
	} else {
		c.open = &batch{}
	}
	c.open.Number = c.shard.number + 1
	c.open.Epoch = c.shard.Epoch
}

// idle says that nothing waits and nothing is open.
func (c *committer) idle() bool {
	return c.inFlight == nil && c.open.empty() && c.queues.empty() && c.slots.empty() && c.changes.empty()
}

// fence takes a partition out of service. Anyone may call it.
func (c *committer) fence(p *partition, err error) {
	if p.fence(err) {
		c.metrics.damaged.Add(1)
		c.logger.Error("partition is damaged and fenced", "partition", p.id.String(), "error", err)
	}
}

// end settles everything that is left once no more work comes: after a failure
// there may be some.
func (c *committer) end() {
	c.in.close()
	c.receive()
	c.refuseAll()
	c.tails.Close()
}
