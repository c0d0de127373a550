package shardlog

import (
	"context"

	"github.com/headrace/headrace/storage"
)

// change is work for the committer that is neither a publish nor a change set:
// the catalog's, and the janitor's steps. Its sender waits for it.
type change struct {
	// need bounds what apply adds to the batch.
	need need
	// apply puts the change into the open batch, or fails and has added nothing.
	// Loop only.
	apply func(b *batch) error
	// settled, when not nil, shows the change to readers once it is durable. Loop
	// only.
	settled func()

	err  error
	done chan struct{} // closed when err is set
}

func (c *change) finish(err error) {
	if err == nil && c.settled != nil {
		c.settled()
	}
	c.err = err
	close(c.done)
}

// change has the committer make a change and waits until it is durable. When ctx
// ends first the change may still be made.
func (s *Store) change(ctx context.Context, c *change) error {
	c.done = make(chan struct{})
	if !s.in.addChange(c) {
		return storage.ErrUnavailable
	}
	select {
	case <-c.done:
		return c.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// ask runs a question on the committer's goroutine, behind everything that was
// handed to it before.
func (s *Store) ask(ctx context.Context, question func()) error {
	return s.change(ctx, &change{apply: func(*batch) error {
		question()
		return nil
	}})
}
