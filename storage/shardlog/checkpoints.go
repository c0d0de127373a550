package shardlog

const (
	// maxCheckpointBatches is within how many batches the head of every partition
	// that moved is written down; recovery reads that many back.
	maxCheckpointBatches = 4096
	// checkpointBatches is when renewing begins, so that it can be spread.
	checkpointBatches = maxCheckpointBatches / 2
	// maxCheckpointPointers bounds, beside the batches, the pointers that recovery
	// compares.
	maxCheckpointPointers = 128 << 10
	// renewAtOnce is how many checkpoints a batch renews at least, when they are due.
	renewAtOnce = 32
	// renewAtMost keeps renewing within what sealing may add.
	renewAtMost = 900
)

// checkpoints knows which partitions moved past the checkpoint of their head, in
// order of the batch that first did. Loop only.
type checkpoints struct {
	moved fifo[moved]
	// pointers counts all pointers ever written.
	pointers uint64
}

// moved is a partition whose head passed its checkpoint.
type moved struct {
	partition *partition
	batch     uint64
	pointers  uint64
}

// note says that a batch moves the partition's head.
func (c *checkpoints) note(p *partition, batch uint64) {
	c.pointers++
	if p.movedIn == 0 {
		p.movedIn = batch
		c.moved.push(moved{p, batch, c.pointers})
	}
}

// renew makes a batch write the checkpoints that are due.
func (c *checkpoints) renew(b *batch) {
	n := min(max(renewAtOnce, c.moved.len()/(checkpointBatches/4)), renewAtMost)
	for ; n > 0; n-- {
		p := c.next(func(m *moved) bool { return c.due(m, b.Number) })
		if p == nil {
			return
		}
		b.rewrite(p)
	}
}

func (c *checkpoints) due(m *moved, number uint64) bool {
	return number-m.batch >= checkpointBatches || c.pointers-m.pointers >= maxCheckpointPointers
}

// oldest takes the partition off that moved first; nil when none did.
func (c *checkpoints) oldest() *partition {
	return c.next(func(*moved) bool { return true })
}

// next takes the partition off that moved first, if it is wanted. What is fenced
// keeps its last checkpoint: the next opening must find the damage again.
func (c *checkpoints) next(wanted func(*moved) bool) *partition {
	for !c.moved.empty() {
		m := c.moved.front()
		void := m.partition.movedIn != m.batch || m.partition.err() != nil
		if !void && !wanted(&m) {
			return nil
		}
		c.moved.pop()
		if !void {
			m.partition.movedIn = 0
			return m.partition
		}
	}
	return nil
}
