package shardlog

import "time"

const (
	// lingerQueues is from how many publishers in a batch on waiting for them again
	// can pay.
	lingerQueues = 2
	// lingerMessages and lingerBytes are from what size on a batch shows that a lone
	// publisher waits for its window.
	lingerMessages = 256
	lingerBytes    = 256 << 10
)

// linger holds a batch back for a moment after the one before it was committed:
// those who just got their results are about to publish again, and one commit for
// all of them costs little more than one for half of them. Loop only.
type linger struct {
	timer *time.Timer
	// fire is the timer's channel while a batch is held back, else nil.
	fire <-chan time.Time
	// expected is how many messages the batch has when all have come back.
	expected int
}

// begin holds the open batch back, now that b is committed, when that may pay: at
// most half as long as the commit took.
func (l *linger) begin(open, b *batch) bool {
	if len(b.queues) < lingerQueues && b.messages < lingerMessages && b.used.bodies < lingerBytes {
		return false
	}
	l.expected = open.messages + b.messages
	if l.timer == nil {
		l.timer = time.NewTimer(b.took / 2)
	} else {
		l.timer.Reset(b.took / 2)
	}
	l.fire = l.timer.C
	return true
}

// holds says whether the open batch is to wait still; full says that it has no room.
func (l *linger) holds(open *batch, full bool) bool {
	if l.fire != nil && (full || open.messages >= l.expected*9/10) {
		l.end()
	}
	return l.fire != nil
}

// end lets the batch go.
func (l *linger) end() {
	if l.fire != nil {
		l.timer.Stop()
		l.fire = nil
	}
}
