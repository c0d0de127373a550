package shardlog

import (
	"fmt"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// maxPipelineBatches is how many batches may be in the ledger and not in the
// engine: those that were being committed.
const maxPipelineBatches = 1

// advice ends the errors about what nobody can be fenced for.
const advice = "nothing was changed; restore the directory from a copy, or keep it and start with an empty one"

// link is a batch header with its hash.
type link struct {
	record.Header
	hash uint64
}

// chain is the ring of batch headers, by number.
type chain struct {
	links map[uint64]link
	// newest is the highest number of a header.
	newest uint64
	// damaged says what is wrong with the headers in some slots.
	damaged map[uint32]error
	// accepted are gaps that may stay.
	accepted []record.AcceptedLoss
	// ahead is the ledger's newest entry of batches that the chain does not reach.
	ahead storage.LedgerEntry
}

// gap is a run of batches that are missing, and what is said of it.
type gap struct {
	BatchRange
	text string
}

// readChain reads the headers of the last record.BatchRing batches.
func readChain(engine storage.Engine, accepted []record.AcceptedLoss) (*chain, error) {
	c := &chain{links: map[uint64]link{}, damaged: map[uint32]error{}, accepted: accepted}
	err := scan(engine, record.AppendPrefix(nil, record.KindBatch), nil, func(key []byte, value storage.Value) error {
		slot, err := record.ParseBatchKey(key)
		if err != nil {
			return err
		}
		err = value.Read(func(value []byte) error {
			h, err := record.DecodeHeader(key, value)
			if err == nil {
				c.links[h.Number] = link{h, h.Hash()}
				c.newest = max(c.newest, h.Number)
			}
			return err
		})
		if err != nil {
			c.damaged[slot] = err
		}
		return nil
	})
	return c, err
}

func (c *chain) last() link { return c.links[c.newest] }

// oldest is the first batch whose header must be there.
func (c *chain) oldest() uint64 {
	if c.newest < record.BatchRing {
		return 1
	}
	return c.newest - record.BatchRing + 1
}

// check compares each header with the one before, and with what the engine
// remembers apart from them.
func (c *chain) check(ledger []storage.LedgerEntry) error {
	for n, l := range c.links {
		before, known := c.links[n-1]
		if known && l.Previous != before.hash || n == 1 && l.Previous != 0 {
			return fmt.Errorf("%w: batch %d does not continue batch %d; %s", storage.ErrDataLoss, n, n-1, advice)
		}
	}
	return c.checkLedger(ledger)
}

// checkLedger compares the entries of the ledger, and notes how far it is ahead.
func (c *chain) checkLedger(ledger []storage.LedgerEntry) error {
	last := c.last()
	for _, e := range ledger {
		switch {
		case e.Number <= last.Number:
			if err := c.checkEntry(e); err != nil {
				return err
			}
		case e.Epoch >= last.Epoch && e.Number > c.ahead.Number:
			// A batch of a higher epoch voids what a former owner had begun.
			c.ahead = e
		}
	}
	return nil
}

// checkEntry compares an entry with the batch of its number.
func (c *chain) checkEntry(e storage.LedgerEntry) error {
	l, known := c.links[e.Number]
	switch {
	case !known || e.Number < c.oldest() || e.Epoch < l.Epoch:
		return nil
	case e.Epoch > l.Epoch:
		return fmt.Errorf("%w: batch %d is of epoch %d, in the ledger of %d; %s",
			storage.ErrDataLoss, e.Number, l.Epoch, e.Epoch, advice)
	case e.Hash != l.hash:
		return fmt.Errorf("%w: batch %d is another one than in the ledger; %s", storage.ErrDataLoss, e.Number, advice)
	}
	return nil
}

// gaps lists what is missing: in the chain, and behind it.
func (c *chain) gaps() (gaps []gap) {
	for n := c.oldest(); n < c.newest; n++ {
		if _, ok := c.links[n]; ok || c.isAccepted(n) {
			continue
		}
		if i := len(gaps) - 1; i >= 0 && gaps[i].Last == n-1 {
			gaps[i].Last = n
		} else {
			gaps = append(gaps, gap{BatchRange: BatchRange{n, n}})
		}
	}
	for i := range gaps {
		gaps[i].text = c.describe(gaps[i].BatchRange)
	}
	if g, ok := c.lostTail(); ok {
		gaps = append(gaps, g)
	}
	return gaps
}

func (c *chain) describe(r BatchRange) string {
	text := fmt.Sprintf("batches %v are missing, the last one is %d", r, c.newest)
	for n := r.First; n <= r.Last; n++ {
		if err := c.damaged[uint32(n%record.BatchRing)]; err != nil {
			return fmt.Sprintf("%s (batch %d: %v)", text, n, err)
		}
	}
	return text
}

// lostTail is what came after the last batch: by the ledger, or by a header that is
// there and cannot be read. A damaged header in the slot of the next batch may be
// its own, or that of the oldest one, which the next batch was about to replace.
func (c *chain) lostTail() (gap, bool) {
	r := BatchRange{c.newest + 1, c.ahead.Number}
	why := c.damaged[uint32((c.newest+1)%record.BatchRing)]
	switch {
	case c.ahead.Number > c.newest+maxPipelineBatches:
		return gap{r, fmt.Sprintf("batches %v are in the ledger (epoch %d) and missing", r, c.ahead.Epoch)}, true
	case why != nil && (c.newest < record.BatchRing || c.ahead.Number > c.newest):
		r.Last = r.First
		return gap{r, fmt.Sprintf("batches %v are missing, the last one is %d (%v)", r, c.newest, why)}, true
	default:
		return gap{}, false
	}
}

func (c *chain) isAccepted(number uint64) bool {
	for _, l := range c.accepted {
		if (BatchRange{l.First, l.Last}).holds(number) {
			return true
		}
	}
	return false
}

// end is the number that the next batch follows, and the hash that it continues: of
// the last batch, or of the last one that was given up.
func (c *chain) end(losses []BatchRange) (number, hash uint64) {
	last := c.last()
	number, hash = c.newest, last.hash
	if n := len(losses); n > 0 && losses[n-1].Last > number {
		number = losses[n-1].Last
		if c.ahead.Number == number {
			hash = c.ahead.Hash
		}
	}
	return number, hash
}
