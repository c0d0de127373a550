package headrace

import (
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// startedDelay is how long a delivery is worked on before the server is told. What is
// settled sooner is never told: its settle says it too, and most deliveries cost no
// frame.
const startedDelay = 5 * time.Millisecond

// startQueue is the deliveries of one session that somebody began and the server was
// not told of. It is the ledger's, under its lock.
type startQueue struct {
	served bool // the server wants to be told.
	begun  spans
	since  time.Time // when the oldest of them began.
	urgent bool      // the server has asked for one of them: tell it at once.
}

// add queues a delivery that is begun now and reports whether the send loop should
// look.
func (q *startQueue) add(sequence uint64) (first bool) {
	if !q.served {
		return false
	}
	if first = len(q.begun) == 0; first {
		q.since = time.Now()
	}
	q.begun.add(sequence)
	return first
}

// due reports whether the server should be told now.
func (q *startQueue) due(now time.Time) bool {
	return len(q.begun) > 0 && (q.urgent || now.Sub(q.since) >= startedDelay)
}

// wait returns how long until the server is to be told, or never.
func (q *startQueue) wait(now time.Time) time.Duration {
	if len(q.begun) == 0 {
		return never
	}
	return max(1, startedDelay-now.Sub(q.since))
}

// tellStarted returns a frame that tells what is still worked on of what was begun, or
// nil when there is nothing. Their work leases begin.
func (l *ledger) tellStarted(now time.Time) *headracev1.SubscribeRequest {
	l.starts.begun.merge()
	var working spans
	for _, d := range l.heldIn(l.starts.begun) {
		if !d.lease.running {
			working.add(d.sequence)
		}
	}
	told := working.cut(l.ranges)
	l.starts.begun, l.starts.urgent = working, false
	if len(told) == 0 {
		return nil
	}
	for _, d := range l.heldIn(told) {
		d.lease = l.leases.begin(now)
	}
	return &headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Started_{
		Started: &headracev1.SubscribeRequest_Started{Ranges: told.ranges()},
	}}
}

// recall gives back what the server asks for and nobody has begun, and returns how
// many that are. What somebody has begun stays: the server is told so.
func (l *ledger) recall(ranges spans) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, given := time.Now(), 0
	for _, d := range l.heldIn(ranges) {
		if d.state == waiting {
			l.setSettled(d, releaseVerdict, nil, now)
			given++
		} else if !d.lease.running {
			l.starts.urgent = true
		}
	}
	l.settles.urgent = l.settles.urgent || given > 0
	l.signal()
	return given
}
