package broker

import (
	"context"
	"sync"
)

// maxIdleLines is how many lines are kept for unary publishes that come.
const maxIdleLines = 64

// unaryPublishers keeps the lines that unary publishes use, one call at a time each.
type unaryPublishers struct {
	mu     sync.Mutex
	idle   []*publishLine
	closed bool
}

// take takes an idle line, or nil.
func (u *unaryPublishers) take() *publishLine {
	u.mu.Lock()
	defer u.mu.Unlock()
	n := len(u.idle)
	if n == 0 {
		return nil
	}
	line := u.idle[n-1]
	u.idle = u.idle[:n-1]
	return line
}

// put gives a line back whose batches are all taken.
func (u *unaryPublishers) put(line *publishLine) {
	if !u.keep(line) {
		line.close()
	}
}

func (u *unaryPublishers) keep(line *publishLine) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed || len(u.idle) >= maxIdleLines {
		return false
	}
	u.idle = append(u.idle, line)
	return true
}

// close gives every idle line up.
func (u *unaryPublishers) close() {
	u.mu.Lock()
	idle := u.idle
	u.idle, u.closed = nil, true
	u.mu.Unlock()
	for _, line := range idle {
		line.close()
	}
}

// Publish stores one batch and returns when it is durable, or with ctx: the outcome
// is in batch.Err and batch.Runs. When it returns an error the batch must not be
// released or used again. Errors: ErrDraining, ErrStoreUnavailable,
// ErrUnknownOutcome, ErrFenced, ctx's.
func (b *Broker) Publish(ctx context.Context, batch *PublishBatch) error {
	if b.life.drains() {
		return ErrDraining
	}
	line := b.unary.take()
	if line == nil {
		line = newPublishLine(b.store, b.clock)
	}
	b.publishing.used.Add(int64(len(batch.Messages)))
	defer b.publishing.used.Add(-int64(len(batch.Messages)))
	err := line.submit(ctx, batch)
	if err == nil {
		err = b.await(ctx, line)
	}
	if err != nil {
		line.close()
		return err
	}
	b.unary.put(line)
	return nil
}

// await waits until the one batch of a line is completed.
func (b *Broker) await(ctx context.Context, line *publishLine) error {
	for {
		completed, err := line.take()
		if err != nil || len(completed) > 0 {
			return err
		}
		select {
		case <-line.queue.Ready():
		case <-line.wake:
		case <-b.store.Failed():
			return line.abandoned(storeFailure(b.store))
		case <-b.life.closed:
			return line.abandoned(ErrDraining)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
