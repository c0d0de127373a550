package inspect

import (
	"slices"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// Chain is the ring of batch headers, by number. The zero value has none.
type Chain struct {
	headers map[uint64]record.Header
	newest  uint64
}

// Add takes a header in; it replaces the one in its slot of the ring.
func (c *Chain) Add(h record.Header) {
	if c.headers == nil {
		c.headers = map[uint64]record.Header{}
	}
	if h.Number > record.BatchRing {
		delete(c.headers, h.Number-record.BatchRing)
	}
	c.headers[h.Number] = h
	c.newest = max(c.newest, h.Number)
}

// Len is the number of headers.
func (c *Chain) Len() int { return len(c.headers) }

// Newest is the header of the last batch; zero when there is none.
func (c *Chain) Newest() record.Header { return c.headers[c.newest] }

// Break is where a chain does not hold.
type Break struct {
	// First and Last are the batches that are missing, or one batch and the one
	// after it, which does not continue it.
	First, Last uint64
	Missing     bool
}

// Breaks walks the chain back from its newest batch and gives where it does not
// hold, the newest first. What was accepted as lost is no break.
func (c *Chain) Breaks(accepted []record.AcceptedLoss) (breaks []Break) {
	for n := c.newest; n >= c.oldest() && n > 0; n-- {
		h, known := c.headers[n]
		before, knownBefore := c.headers[n-1]
		switch {
		case !known:
			breaks = missed(breaks, n, accepted)
		case n == 1 && h.Previous != 0 || knownBefore && (h.Previous != before.Hash() || h.Epoch < before.Epoch):
			breaks = append(breaks, Break{First: n - 1, Last: n})
		}
	}
	return breaks
}

// oldest is the first batch whose header must be there.
func (c *Chain) oldest() uint64 {
	if c.newest < record.BatchRing {
		return 1
	}
	return c.newest - record.BatchRing + 1
}

// missed adds a missing batch to the breaks, of which the last one may grow.
func missed(breaks []Break, n uint64, accepted []record.AcceptedLoss) []Break {
	if isAccepted(accepted, n) {
		return breaks
	}
	if i := len(breaks) - 1; i >= 0 && breaks[i].Missing && breaks[i].First == n+1 {
		breaks[i].First = n
		return breaks
	}
	return append(breaks, Break{First: n, Last: n, Missing: true})
}

func isAccepted(accepted []record.AcceptedLoss, n uint64) bool {
	return slices.ContainsFunc(accepted, func(l record.AcceptedLoss) bool { return l.First <= n && n <= l.Last })
}

// maxPipelineBatches is how many batches may be in the ledger and not in the
// engine: those that were being committed.
const maxPipelineBatches = 1

// Ledger compares the chain with what an engine wrote down of batches apart from
// them: other batches than those of the chain, and batches that the chain lacks.
// Either is nil when there is nothing of the kind.
func (c *Chain) Ledger(ledger []storage.LedgerEntry) (other, beyond *Break) {
	last := c.Newest()
	newest := uint64(0)
	for _, e := range ledger {
		switch {
		case e.Number > last.Number && e.Epoch >= last.Epoch:
			newest = max(newest, e.Number)
		case e.Number <= last.Number && c.contradicts(e):
			other = &Break{First: e.Number, Last: e.Number}
		}
	}
	if newest > last.Number+maxPipelineBatches {
		beyond = &Break{First: last.Number + 1, Last: newest, Missing: true}
	}
	return other, beyond
}

// contradicts says whether an entry is of another batch than the chain's. A batch
// of a higher epoch voids what a former owner had begun.
func (c *Chain) contradicts(e storage.LedgerEntry) bool {
	h, known := c.headers[e.Number]
	return known && (e.Epoch > h.Epoch || e.Epoch == h.Epoch && e.Hash != h.Hash())
}
