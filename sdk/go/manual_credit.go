package headrace

import (
	"errors"
	"math"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// manualCredit says how far the server may send in a session whose credit is given by
// hand: one delivery for each worker that waits, or for the loop when it asks, and some
// ahead of that. It is the inbox's, under its lock.
//
//	sequences of the session
//	├── taken by workers ──┼── in the inbox ──┼── still to come ──┤
//	                       └── waiting workers + ahead ───────────┘ granted
type manualCredit struct {
	ahead int64
	// messages and bytes bound what may be granted and not taken.
	messages, bytes int64
	// resized: they have changed since the latest grant; shrunk: the bytes became fewer.
	resized, shrunk bool
	// taken and takenBytes are what was taken of the session's deliveries; negative, while
	// deliveries of the session before it are in the inbox.
	taken, takenBytes int64
	// through and throughBytes are what the server was told on this stream.
	through, throughBytes int64
}

// began says where the session stands on a stream that is opened: what the server has
// sent and charged so far, and what of it is in the inbox. Earlier grants are void.
func (c *manualCredit) began(sent, charged uint64, queue []*Delivery) {
	c.taken, c.takenBytes = int64(sent)-int64(len(queue)), int64(charged)
	for _, d := range queue {
		c.takenBytes -= int64(d.size)
	}
	c.through, c.throughBytes = 0, 0
}

// took counts a delivery that was taken out of the inbox, or put back.
func (c *manualCredit) took(d *Delivery, n int64) {
	c.taken += n
	c.takenBytes += n * int64(d.size)
}

// resize takes new bounds.
func (c *manualCredit) resize(messages, bytes int64) {
	c.resized = c.resized || messages != c.messages || bytes != c.bytes
	c.shrunk = c.shrunk || bytes < c.bytes
	c.messages, c.bytes = messages, bytes
}

// grant returns a frame when the server should be told of more: somebody waits, or a
// part is used up that is worth a frame; or of less, after a resize. waiting is how many
// wait for a delivery.
func (c *manualCredit) grant(waiting int64) *headracev1.SubscribeRequest {
	through := max(0, plus(c.taken, min(plus(waiting, c.ahead), c.messages)))
	throughBytes := max(0, plus(c.takenBytes, c.bytes))
	more, moreBytes := through-c.through, throughBytes-c.throughBytes
	due := waiting > 0 && (more > 0 || moreBytes > 0) ||
		more > min(c.ahead, c.messages)/grantShare || moreBytes > c.bytes/grantShare ||
		c.resized && (more != 0 || moreBytes != 0) || c.shrunk && moreBytes == 0
	lowers := moreBytes < 0 || c.shrunk && moreBytes == 0
	c.resized, c.shrunk = false, false
	if through == 0 || !due {
		return nil
	}
	if lowers {
		// One byte is left for the next grant: one that raises the bytes lets a message
		// through that is larger than all of them, others do not.
		throughBytes = max(0, throughBytes-1)
	}
	c.through, c.throughBytes = through, throughBytes
	return &headracev1.SubscribeRequest{Frame: &headracev1.SubscribeRequest_Grant_{
		Grant: &headracev1.SubscribeRequest_Grant{ThroughSequence: uint64(through), ThroughBytes: uint64(throughBytes)},
	}}
}

// plus adds up to the largest number at most: what is asked for may have no bound, and
// credit that overflowed would be none. b is not negative.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// grantShare is the part of the credit that is granted again with one frame.
const grantShare = 4

// giveByHand makes the inbox ask for deliveries as they are taken.
func (b *inbox) giveByHand(ahead int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.credit = &manualCredit{ahead: ahead}
	b.asked = make(chan struct{}, 1)
}

// resize bounds what may be granted and not taken, where credit is given by hand.
func (b *inbox) resize(messages, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.credit != nil {
		b.credit.resize(messages, bytes)
	}
}

// began tells the credit where the session stands on a stream that is opened.
func (b *inbox) began(o *headracev1.SubscribeResponse_Opened) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.credit == nil {
		return
	}
	sent := max(1, o.GetResumed().GetNextSequence()) - 1
	b.credit.began(sent, o.GetResumed().GetChargedBytes(), b.queue.all())
}

// grant returns the next Grant to send, or nil.
func (b *inbox) grant() *headracev1.SubscribeRequest {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.credit == nil || b.closed {
		return nil
	}
	return b.credit.grant(b.waiting)
}

// waits counts those that wait for a delivery. The lock is held.
func (b *inbox) waits(n int64) {
	b.waiting += n
	if n > 0 {
		b.ask()
	}
}

// took counts a delivery that was taken, or put back. The lock is held.
func (b *inbox) took(d *Delivery, n int64) {
	if b.credit == nil {
		return
	}
	b.credit.took(d, n)
	b.ask()
}

// ask tells the send loop that there may be something to grant. It never blocks.
func (b *inbox) ask() {
	select {
	case b.asked <- struct{}{}:
	default:
	}
}

// mustGiveByHand reports whether the subscription wants credit by hand, as one does that
// delivers at most once; the receiver gives it so from then on.
func (r *receiver) mustGiveByHand(err error) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok || r.config.manual || e.Reason != "INVALID_FIELD" || e.Field != "replenish" {
		return false
	}
	r.giveByHand()
	return true
}

func (r *receiver) giveByHand() {
	r.config.manual = true
	r.inbox.giveByHand(int64(r.config.ahead))
}

// byHand is what may be granted and not taken in a window: the default one bounds no
// messages, for ahead does.
func (c *receiveConfig) byHand(window windowSize) (messages, bytes int64) {
	if !c.windowSet {
		return math.MaxInt64, int64(window.bytes)
	}
	return int64(window.messages), int64(window.bytes)
}
