package headrace

import headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"

// unheld counts the deliveries of a session in which they are settled before they are
// sent: the session holds nothing, extends nothing and settles nothing, and what it
// received outlives it. It is the ledger's, under its lock.
type unheld struct {
	// served is set before the first delivery, and stays.
	served bool
	// open is how many were received and not worked off.
	open int
}

// settledWhenSent takes from Opened whether the session holds nothing. The lock is held.
func (l *ledger) settledWhenSent(o *headracev1.SubscribeResponse_Opened) {
	if o.GetSettledWhenSent() && !l.unheld.served {
		l.unheld.served = true
	}
}

// outlives reports whether what the ledger has goes on in the session that was opened.
func (l *ledger) outlives(o *headracev1.SubscribeResponse_Opened) bool {
	return l.unheld.served && o.GetSettledWhenSent()
}

// anew makes the ledger that of another session, which counts from 1.
func (l *ledger) anew() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.received, l.leaving = 0, false
}

// deliverUnheld takes deliveries that the session does not hold. The lock is held.
func (l *ledger) deliverUnheld(deliveries []Delivery) {
	for i := range deliveries {
		deliveries[i].session = l
	}
	l.unheld.open += len(deliveries)
}

// closeOpen counts deliveries as worked off. The lock is held.
func (l *ledger) closeOpen(n int) {
	l.unheld.open -= n
	l.signal()
}

// forget counts deliveries that nobody will work on, and returns how many of them are
// lost with that: those that a session does not hold.
func (l *ledger) forget(n int) (lost int) {
	if !l.unheld.served {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closeOpen(n)
	return n
}

// beginUnheld begins a delivery. A loop is done with it as it gets it. The lock is held.
func (l *ledger) beginUnheld(d *Delivery) {
	d.state = begun
	if l.endsAtSettle {
		l.closeOpen(1)
	}
}

// settleUnheld gives a delivery its verdict: only an ack is true of it. The lock is held.
func (l *ledger) settleUnheld(d *Delivery, v verdict, result chan error) (done, late bool) {
	if d.state != begun {
		return false, false
	}
	d.state = settled
	if l.endsAtSettle {
		d.end(nil)
	}
	if v.kind != headracev1.Verdict_VERDICT_ACK {
		return false, true
	}
	if result != nil {
		result <- nil
	}
	return true, false
}
