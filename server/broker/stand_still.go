package broker

import (
	"context"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// standstill is a wish that a subscription stands still: that what its clients said is
// committed, nothing more is read of them, and nothing more is written, so that its state
// in the store is whole and stays as it is until the wish is over.
//
//	caller                     owner loop
//	standStill ──────────────► reads no letters, has nothing more dispatched (Hold)
//	           ◄─── quiet ──── when all is committed: writes nothing more
//	moves it in the store
//	moveOn ──────────────────► Seek, or the end of the Hold; reads letters again
//	           ◄─── over ───── what was out is revoked
type standstill struct {
	// quiet is closed when it stands still, or will not: refused says why, set before.
	quiet   chan struct{}
	refused error
	// over is closed when the wish is over.
	over chan struct{}

	// held: it was told to, told: it does, and who waits was told. Loop only.
	held, told bool
}

// goOn is the order that a standstill ends, and the cursors that were moved meanwhile.
type goOn struct {
	still *standstill
	moved []storage.Cursor
}

// standStill waits until the subscription stands still; moveOn ends that, with the
// cursors that were moved meanwhile. One caller at a time. Errors: ErrDiskFull,
// ErrDraining, ErrSubscriptionNotFound, ErrDataLoss, ctx's.
func (s *subscription) standStill(ctx context.Context) (moveOn func(moved []storage.Cursor) error, err error) {
	select {
	case s.moving <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	still := &standstill{quiet: make(chan struct{}), over: make(chan struct{})}
	s.loop.orders.give(func(o *orderSlot) { o.still = still })
	end := func(moved []storage.Cursor) error {
		defer func() { <-s.moving }()
		s.loop.orders.give(func(o *orderSlot) { o.goOn = &goOn{still, moved} })
		select {
		case <-still.over:
			return nil
		case <-s.loop.done:
			return s.loop.ended()
		}
	}
	select {
	case <-still.quiet:
		if still.refused != nil {
			<-s.moving
			return nil, still.refused
		}
		return end, nil
	case <-s.loop.done:
		<-s.moving
		return nil, s.loop.ended()
	case <-ctx.Done():
		_ = end(nil) // Nothing was moved.
		return nil, ctx.Err()
	}
}

// ended is why a loop that has ended serves no call. Only when done is closed.
func (l *loop) ended() error {
	if l.fate == nil {
		return ErrDraining
	}
	return l.fate
}

// collectStill has the subscription stand still, tells when it does, or has it go on.
func (l *loop) collectStill() {
	still := l.still
	switch {
	case l.taken.goOn != nil:
		l.goOn(l.taken.goOn)
	case still == nil || still.told:
	case l.resubmitAt > 0:
		still.refused = ErrDiskFull
		close(still.quiet)
		l.still = nil
		if still.held {
			l.events = append(l.events, &delivery.Hold{End: true})
		}
	case !still.held:
		l.events = append(l.events, &delivery.Hold{})
		still.held = true
	case l.state.StandsStill():
		close(still.quiet)
		still.told = true
	}
}

// goOn ends a standstill.
func (l *loop) goOn(order *goOn) {
	l.still, l.stoodStill = nil, order.still
	switch {
	case len(order.moved) > 0:
		for i := range order.moved {
			l.changes.histories.forget(uint32(order.moved[i].Partition))
		}
		l.events = append(l.events, &delivery.Seek{At: l.now, Cursors: l.recoverCursors(order.moved)})
	case order.still.held:
		l.events = append(l.events, &delivery.Hold{End: true})
	}
}

// forget forgets what the store had of a partition.
func (w *writtenHistories) forget(partition uint32) { delete(*w, partition) }

// stoppable says that who waits for a standstill is to be told something.
func (l *loop) stoppable() bool {
	return l.still != nil && !l.still.told && (!l.still.held || l.state.StandsStill())
}

// deaf says that no letters are read: the state machine has as much to commit as it may,
// or stands still.
func (l *loop) deaf() bool { return l.still != nil || l.state.Saturated() }
