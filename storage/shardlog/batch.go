package shardlog

import (
	"slices"
	"time"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

const (
	// maxBatchBytes bounds the messages of a batch; one larger publish is taken
	// alone.
	maxBatchBytes = 4 << 20
	// maxPublishBytes bounds the messages of one publish: a largest message of
	// 32 MiB with its envelope.
	maxPublishBytes = 33 << 20
	// sealKeys and sealInlineBytes are kept free for what sealing adds: the header
	// and renewed checkpoints.
	sealKeys        = 1000
	sealInlineBytes = 160 << 10
	// maxKeptMemBytes bounds the memory that a batch keeps for its next use; large dead
	// letters need more now and then.
	maxKeptMemBytes = 4 << 20
	// maxOpenKeys and maxOpenInlineBytes are left for what the batch is filled with.
	maxOpenKeys        = record.MaxBatchKeys - sealKeys
	maxOpenInlineBytes = record.MaxBatchInlineBytes - sealInlineBytes
)

// batch is a group commit: it is open while it is filled, then sealed, committed,
// and settled, after which it is reused. It belongs to the committer, but for the
// time of its commit.
type batch struct {
	storage.Batch

	// mem holds the keys and the inline values.
	mem []byte
	// runs are the messages gathered, by partition, in order of first touch.
	runs   []run
	chunks []*chunk
	// What follows has its records written when the batch is sealed: no key may
	// occur twice.
	partitions    []*partition
	cursors       []*cursor
	topics        []*topic
	subscriptions []*subscription
	// sessions are subscriptions whose pages of sessions changed.
	sessions  []*subscription
	producers []*producer
	// producerTopics are how far producers have come.
	producerTopics []*producerTopic
	// shard: so has the shard's own record.
	shard bool

	// outcomes are what became of producers' batches, outcomeBytes as they are stored.
	outcomes     []outcome
	outcomeBytes []byte

	// What is told when the batch is settled.
	publishes []*storage.Publish
	queues    []queueShare
	slots     []*stateSlot
	changes   []*change

	// copies are of what was accepted and is its sender's again.
	copies copies

	used need
	// slotsUsed is the part of used that change sets took.
	slotsUsed need
	messages  int
	// refusing: the disk was below the high mark when the batch was begun.
	refusing   bool
	spaceAsked bool

	err  error
	took time.Duration
}

// need is what something takes of a batch's limits.
type need struct {
	bodies, inline, keys int
}

func (n need) plus(m need) need {
	return need{n.bodies + m.bodies, n.inline + m.inline, n.keys + m.keys}
}

// within says whether n stays within a limit of inline bytes and keys.
func (n need) within(inline, keys int) bool { return n.inline <= inline && n.keys <= keys }

// run is what a batch adds to one partition.
type run struct {
	partition *partition
	appends   []*storage.Append
	bytes     int
	messages  int
	// ids are the dedupe ids that the messages bring.
	ids []record.DedupeEntry
	// before is what the partition held before the run; it moves on as pointers are
	// written. end is the head after it.
	before record.Totals
	end    record.Mark
}

// queueShare is how many of a queue's publishes are in a batch.
type queueShare struct {
	queue *publishQueue
	n     int
}

// reset empties the batch for its next use.
func (b *batch) reset() {
	for i := range b.runs {
		clear(b.runs[i].appends)
		b.runs[i].partition = nil
	}
	for _, share := range b.queues {
		if share.queue.openIn == b {
			share.queue.openIn = nil // The batch is used again, without this queue.
		}
	}
	if cap(b.mem) > maxKeptMemBytes {
		b.mem = nil
	}
	clear(b.Ops)
	clear(b.chunks)
	clear(b.partitions)
	clear(b.cursors)
	clear(b.topics)
	clear(b.subscriptions)
	clear(b.sessions)
	clear(b.producers)
	clear(b.producerTopics)
	clear(b.outcomes)
	clear(b.publishes)
	clear(b.queues)
	clear(b.slots)
	clear(b.changes)
	b.copies.reset()
	*b = batch{
		copies: b.copies,
		Batch:  storage.Batch{Ops: b.Ops[:0]},
		mem:    b.mem[:0], runs: b.runs[:0], chunks: b.chunks[:0],
		partitions: b.partitions[:0], cursors: b.cursors[:0],
		topics: b.topics[:0], subscriptions: b.subscriptions[:0], sessions: b.sessions[:0],
		producers: b.producers[:0], producerTopics: b.producerTopics[:0],
		outcomes: b.outcomes[:0], outcomeBytes: b.outcomeBytes[:0],
		publishes: b.publishes[:0], queues: b.queues[:0],
		slots: b.slots[:0], changes: b.changes[:0],
	}
}

// empty says that nobody waits for the batch and that it changes nothing.
func (b *batch) empty() bool {
	return b.changesNothing() && len(b.publishes) == 0 && len(b.slots) == 0 && len(b.changes) == 0
}

// changesNothing says that those who wait need no commit.
func (b *batch) changesNothing() bool {
	return len(b.Ops) == 0 && len(b.runs) == 0 && len(b.partitions) == 0 && len(b.cursors) == 0 &&
		len(b.topics) == 0 && len(b.subscriptions) == 0 && len(b.sessions) == 0 && len(b.producers) == 0 && !b.shard
}

// room says whether the batch can take n more. Anything fits an empty batch, whose
// limits the sender checked; a publish of more than a batch's bytes fits alone.
func (b *batch) room(n need) bool {
	all := b.used.plus(n)
	if !all.within(maxOpenInlineBytes, maxOpenKeys) {
		return false
	}
	return all.bodies <= maxBatchBytes || b.used.bodies == 0
}

// extend gives the run of a partition, a new one on its first touch.
func (b *batch) extend(p *partition) *run {
	if p.openIn == b.Number {
		return &b.runs[p.open]
	}
	p.openIn, p.open = b.Number, len(b.runs)
	if len(b.runs) < cap(b.runs) {
		b.runs = b.runs[:len(b.runs)+1]
	} else {
		b.runs = append(b.runs, run{})
	}
	r := &b.runs[p.open]
	*r = run{partition: p, appends: r.appends[:0], ids: r.ids[:0], before: p.next.Before}
	return r
}

// complete notes a publish for settling.
func (b *batch) complete(q *publishQueue, p *storage.Publish) {
	b.publishes = append(b.publishes, p)
	if q.openIn != b {
		q.openIn, q.openAt = b, len(b.queues)
		b.queues = append(b.queues, queueShare{queue: q})
	}
	b.queues[q.openAt].n++
}

// rewrite makes sealing write the record of a partition.
func (b *batch) rewrite(p *partition) {
	if p.dirtyIn == b.Number {
		return
	}
	p.dirtyIn = b.Number
	b.partitions = append(b.partitions, p)
	b.used = b.used.plus(partitionNeed)
}

// rewriteCursor makes sealing write the record of a cursor.
func (b *batch) rewriteCursor(c *cursor) {
	if c.dirtyIn == b.Number {
		return
	}
	c.dirtyIn = b.Number
	b.cursors = append(b.cursors, c)
	b.used = b.used.plus(cursorNeed)
}

// rewriteTopic makes sealing write the record of a topic.
func (b *batch) rewriteTopic(t *topic) {
	if !slices.Contains(b.topics, t) {
		b.topics = append(b.topics, t)
		b.used = b.used.plus(catalogNeed)
	}
}

// rewriteSubscription makes sealing write the record of a subscription.
func (b *batch) rewriteSubscription(s *subscription) {
	if !slices.Contains(b.subscriptions, s) {
		b.subscriptions = append(b.subscriptions, s)
		b.used = b.used.plus(catalogNeed)
	}
}
