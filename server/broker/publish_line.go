package broker

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/headrace/headrace/storage"
)

// completedPerTake is how many batches a take returns at most.
const completedPerTake = 256

// publishLine is one stream's line of batches to the store and back: what comes
// first goes first, also when it is refused before the store sees it. One goroutine
// submits, one takes; they may be two.
type publishLine struct {
	store Store
	// producer is whose batches they are; nil without a producer.
	producer *producer
	clock    *clock
	queue    storage.PublishQueue
	// wake has capacity 1: it only says that a refused batch may be taken.
	wake chan struct{}

	mu sync.Mutex
	// pending are the batches not yet taken, oldest first. The store's queue bounds
	// those that it has; refused ones are bounded by the publish window.
	pending fifo[*PublishBatch]
	closed  bool

	// completed is the memory of take's result; before is what it read of batches that
	// were sent again; failure is how the line ended.
	completed []*PublishBatch
	before    storedBefore
	failure   error
}

func newPublishLine(store Store, clock *clock) *publishLine {
	return &publishLine{
		store: store,
		clock: clock,
		queue: store.NewPublishQueue(),
		wake:  make(chan struct{}, 1),
	}
}

// submit puts a batch at the end of the line. It blocks while the store's queue is
// full. On an error the batch is the caller's: ErrStoreUnavailable, ErrSessionClosed,
// ctx's.
func (l *publishLine) submit(ctx context.Context, batch *PublishBatch) error {
	l.judge(batch)
	batch.load(+1)
	// Once pushed, a refused batch may be taken and used again at any moment.
	refused := batch.refused
	if !l.push(batch) {
		batch.load(-1)
		return ErrSessionClosed
	}
	if refused {
		signal(l.wake)
		return nil
	}
	if l.queue.Put(&batch.publish, ctx.Done()) {
		return nil
	}
	if l.withdraw(batch) {
		batch.load(-1)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return storeFailure(l.store)
}

// judge decides whether the store is to see a batch, and divides it.
func (l *publishLine) judge(batch *PublishBatch) {
	if batch.Err == nil {
		batch.Err = batch.Topic.topic.usable()
	}
	l.judgeBacklogs(batch)
	// What becomes of a producer's batch only the store can say: also of one that is
	// stored already, or of which nothing is to be stored.
	if batch.Err == nil && batch.Sequence == nil && !l.store.AcceptsPublishes() {
		batch.Err = ErrDiskFull
	}
	batch.refused = batch.Err != nil || batch.Len() == 0 && batch.Sequence == nil
	if batch.refused {
		return
	}
	batch.handedAt = l.clock.running()
	batch.assign(l.producer.partition())
	if batch.tracked() {
		batch.plan()
	}
	if batch.Sequence != nil {
		batch.number(l.producer.Producer)
	}
}

// judgeBacklogs refuses a batch while a backlog is full; of a producer's batch only the
// store can say whether it is a new one.
func (l *publishLine) judgeBacklogs(batch *PublishBatch) {
	if batch.Err != nil {
		return
	}
	full := batch.Topic.topic.full.err()
	if full != nil && batch.Sequence != nil {
		batch.full, batch.publish.Full = full, true
		return
	}
	batch.Err = full
}

// answer puts a batch at the end of the line that asks for something and has its
// answer already.
func (l *publishLine) answer(batch *PublishBatch) error {
	batch.refused = true
	if !l.push(batch) {
		return ErrSessionClosed
	}
	signal(l.wake)
	return nil
}

func (l *publishLine) push(batch *PublishBatch) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.pending.push(batch)
	return true
}

// withdraw takes the newest batch off again, which the store did not take; false
// when the line was closed meanwhile.
func (l *publishLine) withdraw(batch *PublishBatch) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending.len() == 0 || l.pending.back() != batch {
		return false
	}
	l.pending.popBack()
	return true
}

// take returns the oldest batches as far as they are completed; the slice is used
// again. The error, after which there is nothing more, is how the line ended:
// ErrUnknownOutcome, ErrStoreUnavailable, ErrFenced.
func (l *publishLine) take() ([]*PublishBatch, error) {
	l.completed = l.completed[:0]
	for l.failure == nil && len(l.completed) < completedPerTake {
		batch := l.oldest()
		if batch == nil || !batch.refused && l.queue.Done() == nil {
			break
		}
		if !batch.refused {
			l.failure = batch.settle(l.store, &l.before)
		}
		if l.failure == nil {
			l.pop()
			l.completed = append(l.completed, batch)
		}
	}
	if len(l.completed) > 0 {
		return l.completed, nil
	}
	return nil, l.failure
}

// settle fills in the outcome that the store gave. The error is one that ends the
// stream.
func (b *PublishBatch) settle(store Store, before *storedBefore) error {
	b.load(-1)
	b.Buffered = b.publish.Buffered
	err := b.publish.Err
	switch {
	case err == nil && b.Sequence != nil && b.produced.Again:
		b.Err = b.tellAgain(store, before)
		return nil
	case err == nil:
		b.tellRuns()
		return nil
	case errors.Is(err, storage.ErrNotFound):
		b.Err = ErrTopicDeleted
		return nil
	}
	b.Err = storeError(err)
	if errors.Is(err, storage.ErrBacklogFull) && b.full != nil {
		b.Err = b.full
	}
	for _, outcome := range []error{
		ErrDiskFull, ErrBacklogFull, ErrDataLoss, ErrMessageTooLarge, ErrSequenceGap, ErrBatchChanged, ErrOutcomeForgotten,
	} {
		if errors.Is(b.Err, outcome) {
			return nil
		}
	}
	for _, end := range []error{ErrUnknownOutcome, ErrStoreUnavailable, ErrFenced, ErrStaleProducer} {
		if errors.Is(b.Err, end) {
			return b.Err
		}
	}
	return fmt.Errorf("%w: %w", ErrUnknownOutcome, err)
}

func (l *publishLine) oldest() *PublishBatch {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending.len() == 0 {
		return nil
	}
	return l.pending.front()
}

func (l *publishLine) pop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pending.len() > 0 {
		l.pending.pop()
	}
}

// open says whether batches are not yet taken.
func (l *publishLine) open() bool { return l.oldest() != nil }

// abandoned is how the line ends when nobody waits for its batches: their outcome is
// unknown, if there are any.
func (l *publishLine) abandoned(err error) error {
	if l.open() {
		return fmt.Errorf("%w: %w", ErrUnknownOutcome, err)
	}
	return err
}

// close gives the line up. What the store has is still stored.
func (l *publishLine) close() {
	l.mu.Lock()
	pending, closed := l.pending, l.closed
	l.pending, l.closed = fifo[*PublishBatch]{}, true
	l.mu.Unlock()
	if closed {
		return
	}
	for pending.len() > 0 {
		pending.pop().load(-1)
	}
	l.queue.Close()
}
