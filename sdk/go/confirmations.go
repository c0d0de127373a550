package headrace

import headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"

// confirmations numbers the settles and extends of one session and keeps those
// that are not confirmed. It is the ledger's, under its lock.
type confirmations struct {
	number uint64 // the last one given.
	sent   fifo[sentSettle]
}

// sentSettle is a settle or an extend that was sent.
type sentSettle struct {
	number  uint64
	extend  bool
	waiters []settleWaiter
}

// next numbers what is about to be sent.
func (c *confirmations) next(extend bool, waiters []settleWaiter) uint64 {
	c.number++
	c.sent.push(sentSettle{number: c.number, extend: extend, waiters: waiters})
	return c.number
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
// extend.
func (c *confirmations) fail(f *headracev1.SubscribeResponse_SettleFailure) (extend bool) {
	s := c.find(f.GetNumber())
	if s == nil {
		return false
	}
	var failed []settleWaiter
	failed, s.waiters = splitWaiters(s.waiters, spansOf(f.GetRanges()))
	for _, w := range failed {
		w.result <- itemError(f.GetReason())
	}
	return s.extend
}

// confirm tells the waiters of everything up to a number that it is durable.
func (c *confirmations) confirm(through uint64) {
	for c.sent.len() > 0 && c.sent.front().number <= through {
		for _, w := range c.sent.pop().waiters {
			w.result <- nil
		}
	}
}

// drop fails every waiter.
func (c *confirmations) drop(err error) {
	for c.sent.len() > 0 {
		for _, w := range c.sent.pop().waiters {
			w.result <- err
		}
	}
}
