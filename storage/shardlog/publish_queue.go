package shardlog

import (
	"sync"

	"github.com/headrace/headrace/storage"
)

const (
	// maxQueuedPublishes bounds the publishes of one queue that are not yet taken
	// off it, done or not.
	maxQueuedPublishes = 4096
	// maxQueuedBytes bounds their messages; one larger publish is taken alone.
	maxQueuedBytes = 8 << 20
	// firstQueueSlots is how many publishes a queue has room for before it grows.
	firstQueueSlots = 16
)

// publishQueue is one stream's way into the committer: a ring of publishes with
// three marks.
//
//	head ─ completed ─ done ─ in a batch ─ taken ─ waiting ─ tail
type publishQueue struct {
	in *inbox

	mu    sync.Mutex
	slots []*storage.Publish // a power of two
	// The marks count publishes from the queue's beginning.
	head, done, taken, tail uint64
	// open counts the publishes in batches.
	open  uint64
	bytes int
	// listed: the committer knows that something waits.
	listed bool
	closed bool

	// room has capacity 1: publishes were taken off a full queue.
	room chan struct{}
	// ready has capacity 1: the head may be completed.
	ready chan struct{}

	// deficit and granted belong to the committer's round robin; openIn and openAt
	// say where the open batch counts the queue. Loop only.
	// accepted: the publish that is taken next is done by that.
	deficit  int
	granted  bool
	accepted bool
	openIn   *batch
	openAt   int
}

var _ storage.PublishQueue = (*publishQueue)(nil)

func newPublishQueue(in *inbox) *publishQueue {
	return &publishQueue{
		in:    in,
		slots: make([]*storage.Publish, firstQueueSlots),
		room:  make(chan struct{}, 1),
		ready: make(chan struct{}, 1),
	}
}

// Put implements storage.PublishQueue.
func (q *publishQueue) Put(p *storage.Publish, stop <-chan struct{}) bool {
	bytes := p.Bytes()
	for {
		if q.in.isClosed() {
			return false
		}
		queued, tell := q.push(p, bytes)
		if tell && !q.in.addQueue(q) {
			q.failWaiting()
		}
		if queued {
			return true
		}
		select {
		case <-q.room:
		case <-stop:
			return false
		case <-q.in.down:
			return false
		}
	}
}

// Ready implements storage.PublishQueue.
func (q *publishQueue) Ready() <-chan struct{} { return q.ready }

// Done implements storage.PublishQueue.
func (q *publishQueue) Done() *storage.Publish {
	p := q.takeOff()
	if p != nil {
		signal(q.room)
	}
	return p
}

// Close implements storage.PublishQueue.
func (q *publishQueue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.discard()
}

func (q *publishQueue) takeOff() *storage.Publish {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.head == q.done {
		return nil
	}
	return q.pop()
}

// push queues p if there is room; tell says that the committer must be told.
func (q *publishQueue) push(p *storage.Publish, bytes int) (queued, tell bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := q.tail - q.head
	if n == maxQueuedPublishes || (n > 0 && q.bytes+bytes > maxQueuedBytes) {
		return false, false
	}
	if n == uint64(len(q.slots)) {
		q.grow()
	}
	q.slots[q.index(q.tail)] = p
	q.tail++
	q.bytes += bytes
	tell, q.listed = !q.listed, true
	return true, tell
}

func (q *publishQueue) grow() {
	slots := make([]*storage.Publish, 2*len(q.slots))
	for i := q.head; i < q.tail; i++ {
		slots[i&uint64(len(slots)-1)] = q.slots[q.index(i)]
	}
	q.slots = slots
}

func (q *publishQueue) pop() *storage.Publish {
	i := q.index(q.head)
	p := q.slots[i]
	q.slots[i] = nil
	q.head++
	q.bytes -= p.Bytes()
	return p
}

// peek gives the oldest waiting publish. When there is none it takes the queue
// off the committer's list. Loop only.
func (q *publishQueue) peek() *storage.Publish {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.taken == q.tail {
		q.listed = false
		return nil
	}
	return q.slots[q.index(q.taken)]
}

// take moves the publish that peek gave into a batch. Loop only.
func (q *publishQueue) take() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.taken++
	if q.accepted {
		q.accepted = false
		q.settleRest()
		signal(q.ready)
		return
	}
	q.open++
}

// complete says that the oldest n publishes in a batch are done, their errors
// set. Loop only.
func (q *publishQueue) complete(n int) {
	q.completeOpen(uint64(n))
	signal(q.ready)
}

func (q *publishQueue) completeOpen(n uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.open -= n
	q.done += n
	q.settleRest()
}

// failWaiting completes every publish that is not in a batch: the store takes no
// more work.
func (q *publishQueue) failWaiting() {
	q.setWaitingFailed()
	signal(q.ready)
}

func (q *publishQueue) setWaitingFailed() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for ; q.taken < q.tail; q.taken++ {
		q.slots[q.index(q.taken)].Err = storage.ErrUnavailable
	}
	q.listed = false
	q.settleRest()
}

// settleRest completes what stands behind the last publish in a batch, which failed or
// was accepted: results keep their order.
func (q *publishQueue) settleRest() {
	if q.open == 0 {
		q.done = q.taken
	}
	if q.closed {
		q.discard()
	}
}

// discard takes off what is completed: nobody will.
func (q *publishQueue) discard() {
	for q.head < q.done {
		q.pop()
	}
}

func (q *publishQueue) index(i uint64) int { return int(i & uint64(len(q.slots)-1)) }

// signal puts a token into a channel of capacity 1 unless one is there.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
