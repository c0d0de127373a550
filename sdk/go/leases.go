package headrace

import "time"

const (
	// defaultLease is a session's lease when the server does not say it.
	defaultLease = 30 * time.Second
	// extendShare is the part of a lease after which it is extended.
	extendShare = 3
	// gatherShare is the part of a lease within which extensions go together.
	gatherShare = 24
)

// leases says when the leases of a session's deliveries are extended. It is the
// ledger's, under its lock.
type leases struct {
	began   time.Time // leaseClocks count from here.
	lease   time.Duration
	longest time.Duration // how long after its lease began a delivery is extended.
	bound   time.Duration // what the user allows; 0: no bound.
	// next is when a lease may have to be extended; never: nothing is held.
	next time.Duration
	// anew says that the lease has changed: everything held is extended once, which
	// gives it the new one.
	anew bool
}

// leaseClock is the lease of one delivery, in time since leases.began. The zero value
// is that of a delivery whose lease is still to begin.
type leaseClock struct {
	begun   time.Duration
	renewed time.Duration // begun or latest extension.
	lease   time.Duration // from renewed on.
	running bool
	capped  bool // the server extends it no more.
}

func newLeases(bound time.Duration) leases {
	l := leases{began: time.Now(), bound: bound, next: never}
	l.set(defaultLease, 0)
	return l
}

// set takes what the server grants; 0 stands for what it does not say.
func (l *leases) set(lease, longest time.Duration) {
	if lease > 0 && lease != l.lease {
		l.lease = lease
		l.renewAll()
	}
	l.longest = longest
	if l.bound > 0 && (longest == 0 || l.bound < longest) {
		l.longest = l.bound
	}
}

// begin starts the clock of deliveries whose leases begin now.
func (l *leases) begin(now time.Time) leaseClock {
	at := now.Sub(l.began)
	if due := at + l.lease/extendShare; l.next == never || due < l.next {
		l.next = due
	}
	return leaseClock{begun: at, renewed: at, lease: l.lease, running: true}
}

// renewAll has every lease that runs extended at once.
func (l *leases) renewAll() {
	if l.next != never {
		l.anew, l.next = true, 0
	}
}

// due reports whether sweep has something to look at.
func (l *leases) due(now time.Time) bool {
	return l.next != never && now.Sub(l.began) >= l.next
}

// wait returns how long until sweep has something to look at, or never.
func (l *leases) wait(now time.Time) time.Duration {
	if l.next == never {
		return never
	}
	return max(1, l.next-now.Sub(l.began))
}

// sweep looks at every delivery that is held and returns what to extend now and
// what has lost its lease because it is extended no more.
func (l *leases) sweep(held []*Delivery, now time.Time) (extend spans, ended []*Delivery) {
	at := now.Sub(l.began)
	l.next = never
	for _, d := range held {
		c := &d.lease
		if !c.running {
			continue // Nobody has begun it: heartbeats keep it.
		}
		due := c.renewed + c.lease/extendShare
		switch {
		case !l.extendable(c, at):
			if due = c.renewed + c.lease; due <= at {
				ended = append(ended, d)
				continue
			}
		case l.anew, due <= at+c.lease/gatherShare:
			extend.add(d.sequence)
			c.renewed, c.lease = at, l.lease
			due = at + l.lease/extendShare
		}
		if l.next == never || due < l.next {
			l.next = due
		}
	}
	l.anew = false
	return extend, ended
}

// extendable reports whether a lease may still be extended.
func (l *leases) extendable(c *leaseClock, at time.Duration) bool {
	return !c.capped && (l.longest == 0 || at-c.begun < l.longest)
}
