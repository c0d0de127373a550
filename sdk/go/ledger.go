package headrace

import (
	"context"
	"sync"
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// deliveryState is where a delivery is in its life.
type deliveryState uint8

const (
	// waiting: nobody has begun it.
	waiting deliveryState = iota
	// begun: a handler works on it, or a loop holds it.
	begun
	// settled: it has its verdict, sent or about to be.
	settled
	// lost: it is no longer this session's.
	lost
	// dropped: lost, and somebody settled it all the same.
	dropped
)

// ledger is what one session holds: its deliveries, the settles that are about
// to be sent and those that are not confirmed. Handlers and the session's send
// and receive sides meet in it.
//
// Its mutex is held for a few operations on a delivery or a frame, never for
// I/O, and no code of the user runs under it.
type ledger struct {
	// wake tells the send loop to look again. Capacity 1: it looks at everything,
	// so one signal stands for any number.
	wake chan struct{}
	// parent is what the contexts of deliveries derive from; cancelAll ends it.
	parent    context.Context //nolint:containedctx // it outlives every call, as the session does
	cancelAll context.CancelCauseFunc
	// late is called, without the lock, when a delivery is settled that was lost.
	late func()
	// endsAtSettle: the context of a delivery ends when it is settled; else when
	// its handler has returned.
	endsAtSettle bool

	mu       sync.Mutex
	received uint64 // the last sequence.
	held     heldDeliveries
	leases   leases
	starts   startQueue
	keys     keyLines
	settles  settleQueue
	confirms confirmations
	unheld   unheld
	// unconfirmed and ranges are the server's limits.
	unconfirmed int
	ranges      int
	// stopping: what arrives is released, and what is settled is sent at once.
	stopping bool
	// leaving: what is settled is sent at once.
	leaving bool
}

func newLedger(base context.Context, config receiveConfig, late func()) *ledger {
	parent, cancel := context.WithCancelCause(base)
	return &ledger{
		wake:         make(chan struct{}, 1),
		parent:       parent,
		cancelAll:    cancel,
		late:         late,
		endsAtSettle: config.iterated,
		keys:         keyLines{alone: !config.iterated},
		settles:      newSettleQueue(),
		unconfirmed:  maxUnconfirmedSettles,
		ranges:       maxRanges,
		leases:       newLeases(config.maxExtension),
	}
}

// start begins a delivery; false means that it is no longer waiting, or was set aside
// because another one of its key comes first.
func (l *ledger) start(d *Delivery) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if d.state != waiting || d.line != nil && !l.keys.mayBegin(d) {
		return false
	}
	if l.unheld.served {
		l.beginUnheld(d)
		return true
	}
	d.state = begun
	if d.line != nil {
		d.line.works++
	}
	if l.starts.add(d.sequence) {
		l.signal()
	}
	return true
}

// contextOf returns the context of a delivery, made when it is first asked for.
func (l *ledger) contextOf(d *Delivery) context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	if d.ctx == nil {
		d.ctx, d.cancel = context.WithCancelCause(l.parent)
		if d.state == lost || d.state == dropped {
			d.cancel(ErrDeliveryLost)
		} else if d.state == settled && l.endsAtSettle {
			d.cancel(nil)
		}
	}
	return d.ctx
}

// settle gives a delivery its verdict, if it has none and is still the
// session's. result, if any, gets the outcome.
func (l *ledger) settle(d *Delivery, v verdict, result chan error) {
	done, late := l.trySettle(d, v, result)
	if !done && result != nil {
		result <- ErrStaleDelivery
	}
	if late {
		l.late()
	}
}

func (l *ledger) trySettle(d *Delivery, v verdict, result chan error) (done, late bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.unheld.served {
		return l.settleUnheld(d, v, result)
	}
	if d.state == waiting || d.state == begun {
		l.setSettled(d, v, result, time.Now())
		return true, false
	}
	return false, d.drop()
}

// finish settles a delivery whose handler returned, if the handler did not, and
// ends its context.
func (l *ledger) finish(d *Delivery, v verdict) {
	if l.tryFinish(d, v) {
		l.late()
	}
}

func (l *ledger) tryFinish(d *Delivery, v verdict) (late bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.unheld.served {
		_, late = l.settleUnheld(d, v, nil)
		d.end(nil)
		l.closeOpen(1)
		return late
	}
	if d.state == begun {
		l.setSettled(d, v, nil, time.Now())
	}
	d.end(nil)
	if d.line != nil {
		l.keys.finished(d.line)
	}
	return d.drop()
}

// drop reports whether a settle is the first one since the delivery was lost.
func (d *Delivery) drop() bool {
	if d.state != lost {
		return false
	}
	d.state = dropped
	return true
}

// setSettled queues the settle of a delivery that has none. The lock is held.
func (l *ledger) setSettled(d *Delivery, v verdict, result chan error, now time.Time) {
	worked := d.state == begun
	d.state = settled
	l.held.remove(d)
	if l.endsAtSettle {
		d.end(nil)
	}
	if l.settles.add(d.sequence, d.size, v, result, now) || l.stopping || l.leaving {
		l.signal()
	}
	if d.line != nil {
		if v.kind != headracev1.Verdict_VERDICT_ACK {
			d.line.stops++ // Until the settle is confirmed.
			l.settles.stop(v, d.line)
		}
		l.keys.settled(d, worked)
	}
}

// settleAndWait settles and waits until that is durable.
func (l *ledger) settleAndWait(ctx context.Context, d *Delivery, v verdict) error {
	result := make(chan error, 1)
	l.settle(d, v, result)
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
		return &Error{Reason: "UNKNOWN_OUTCOME", cause: ctx.Err(), Message: "settle: " + ctx.Err().Error() + " before it was confirmed"}
	}
}

// lose takes a delivery from its holder. The lock is held.
func (l *ledger) lose(d *Delivery, cause error) {
	worked := d.state == begun
	d.state = lost
	l.held.remove(d)
	d.end(cause)
	if d.line != nil {
		l.keys.settled(d, worked)
		l.signal()
	}
}

// end cancels the delivery's context, if anybody asked for it. The ledger's lock
// is held; contexts run what depends on them elsewhere.
func (d *Delivery) end(cause error) {
	if d.cancel != nil {
		d.cancel(cause)
	}
}

// signal wakes the send loop. It never blocks.
func (l *ledger) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}
