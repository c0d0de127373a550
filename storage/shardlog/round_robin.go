package shardlog

import "github.com/headrace/headrace/storage"

const (
	// quantumBytes is what each queue may put into a batch per round.
	quantumBytes = 64 << 10
	// publishCostBytes and messageCostBytes are added to what a publish costs, so
	// that tiny messages are not free.
	publishCostBytes = 64
	messageCostBytes = 16
)

// roundRobin serves the queues that have publishes waiting by deficit round robin
// in bytes: whoever sends large or many publishes gets no more than its share
// while others wait. Loop only.
type roundRobin struct {
	// queues are the waiting queues, the next one first.
	queues fifo[*publishQueue]
}

func (r *roundRobin) empty() bool { return r.queues.empty() }

func (r *roundRobin) add(q *publishQueue) { r.queues.push(q) }

// drain hands publishes to add, fairly, until nothing waits or add refuses one,
// which then stays the next.
func (r *roundRobin) drain(add func(q *publishQueue, p *storage.Publish) bool) {
	for !r.empty() {
		if !r.serve(r.queues.front(), add) {
			return
		}
	}
}

// serve lets one queue use up its share of the round; false when add refused.
func (r *roundRobin) serve(q *publishQueue, add func(q *publishQueue, p *storage.Publish) bool) bool {
	if !q.granted {
		q.deficit += quantumBytes
		q.granted = true
	}
	for {
		p := q.peek()
		if p == nil {
			r.remove(q)
			return true
		}
		cost := costOf(p)
		if cost > q.deficit && !r.alone() {
			r.rotate(q)
			return true
		}
		if !add(q, p) {
			return false
		}
		q.take()
		q.deficit = max(q.deficit-cost, 0)
	}
}

// alone says that no other queue waits: there is nobody to be fair to.
func (r *roundRobin) alone() bool { return r.queues.len() == 1 }

// remove takes the first queue out: nothing waits in it. What is left of its share
// is void, or a queue could save up.
func (r *roundRobin) remove(q *publishQueue) {
	q.deficit, q.granted = 0, false
	r.queues.pop()
}

// rotate puts the first queue behind all others.
func (r *roundRobin) rotate(q *publishQueue) {
	q.granted = false
	r.queues.push(r.queues.pop())
}

// costOf is what a publish takes from its queue's share, in bytes.
func costOf(p *storage.Publish) int {
	cost := publishCostBytes
	for i := range p.Appends {
		cost += len(p.Appends[i].Messages) + messageCostBytes*len(p.Appends[i].Ends)
	}
	return cost
}
