package headrace

import headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"

// confirmations numbers the settles and extends of one session and keeps those
// that are not confirmed. It is the ledger's, under its lock.
type confirmations struct {
	number uint64 // the last one given.
	sent   fifo[sentSettle]
	// again is the number of the next one to send again; 0: none is.
	again uint64
}

// sentSettle is a settle or an extend that was sent.
type sentSettle struct {
	number  uint64
	frame   *headracev1.SubscribeRequest
	waiters []settleWaiter
	stopped []*keyLine
}

// next gives the number of what is about to be sent; keep keeps it.
func (c *confirmations) next() uint64 {
	c.number++
	return c.number
}

// keep keeps what got the latest number.
func (c *confirmations) keep(frame *headracev1.SubscribeRequest, g settleGroup) *headracev1.SubscribeRequest {
	c.sent.push(sentSettle{number: c.number, frame: frame, waiters: g.waiters, stopped: g.stopped})
	return frame
}

// find returns what has the number, or nil when it is confirmed or was never
// sent.
func (c *confirmations) find(number uint64) *sentSettle {
	all := c.sent.all()
	if len(all) == 0 || number < all[0].number || number > c.number {
		return nil
	}
	return &all[number-all[0].number]
}

// fail tells the waiters of a failed settle, and reports whether it was an
// extend, and whether it was known not to be confirmed: failures may be told again.
func (c *confirmations) fail(f *headracev1.SubscribeResponse_SettleFailure) (extend, known bool) {
	s := c.find(f.GetNumber())
	if s == nil {
		return false, false
	}
	var failed []settleWaiter
	failed, s.waiters = splitWaiters(s.waiters, spansOf(f.GetRanges()))
	for _, w := range failed {
		w.result <- itemError(f.GetReason())
	}
	return s.frame.GetExtend() != nil, true
}

// confirm tells the waiters of everything up to a number that it is durable, and returns
// the keys that were stopped until then.
func (c *confirmations) confirm(through uint64) (stopped []*keyLine) {
	for c.sent.len() > 0 && c.sent.front().number <= through {
		s := c.sent.pop()
		for _, w := range s.waiters {
			w.result <- nil
		}
		stopped = append(stopped, s.stopped...)
	}
	return stopped
}

// sendAgain has everything that is not confirmed sent again, before anything new.
func (c *confirmations) sendAgain() { c.again = 1 }

// nextAgain returns the next frame to send again, or nil.
func (c *confirmations) nextAgain() *headracev1.SubscribeRequest {
	if c.again == 0 {
		return nil
	}
	if c.sent.len() > 0 {
		c.again = max(c.again, c.sent.front().number)
	}
	s := c.find(c.again)
	if s == nil {
		c.again = 0
		return nil
	}
	c.again++
	return s.frame
}

// drop fails every waiter.
func (c *confirmations) drop(err error) {
	for c.sent.len() > 0 {
		for _, w := range c.sent.pop().waiters {
			w.result <- err
		}
	}
}
