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

// chain is the ring of batch headers, by slot.
type chain struct {
	links  map[uint64]link
	newest uint64
}

// readChain reads the headers of the last record.BatchRing batches and checks that
// none is missing and each continues the one before.
func readChain(engine storage.Engine) (*chain, error) {
	c := &chain{links: map[uint64]link{}}
	err := scan(engine, record.AppendPrefix(nil, record.KindBatch), nil, func(key []byte, value storage.Value) error {
		return value.Read(func(value []byte) error {
			h, err := record.DecodeHeader(key, value)
			if err != nil {
				return fmt.Errorf("%w; %s", err, advice)
			}
			c.links[h.Number] = link{h, h.Hash()}
			c.newest = max(c.newest, h.Number)
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *chain) last() link { return c.links[c.newest] }

// oldest is the first batch whose header must be there.
func (c *chain) oldest() uint64 {
	if c.newest < record.BatchRing {
		return 1
	}
	return c.newest - record.BatchRing + 1
}

// check walks the chain back from its head.
func (c *chain) check() error {
	for n := c.newest; n >= c.oldest() && n > 0; n-- {
		if _, ok := c.links[n]; !ok {
			return c.gap(n)
		}
		before, known := c.links[n-1]
		broken := known && c.links[n].Previous != before.hash || n == 1 && c.links[n].Previous != 0
		if broken {
			return fmt.Errorf("%w: batch %d does not continue batch %d; %s", storage.ErrDataLoss, n, n-1, advice)
		}
	}
	return nil
}

// gap names the run of missing batches that ends at last.
func (c *chain) gap(last uint64) error {
	first := last
	for first > c.oldest() {
		if _, ok := c.links[first-1]; ok {
			break
		}
		first--
	}
	return fmt.Errorf("%w: batches %d-%d are missing, the last one is %d; %s", storage.ErrDataLoss, first, last, c.newest, advice)
}

// checkLedger compares the chain with what the engine remembers apart from it.
func (c *chain) checkLedger(ledger []storage.LedgerEntry) error {
	last := c.last()
	newest := storage.LedgerEntry{}
	for _, e := range ledger {
		switch {
		case e.Number <= last.Number:
			if err := c.checkEntry(e); err != nil {
				return err
			}
		case e.Epoch >= last.Epoch && e.Number > newest.Number:
			// A batch of a higher epoch voids what a former owner had begun.
			newest = e
		}
	}
	if newest.Number > last.Number+maxPipelineBatches {
		return fmt.Errorf("%w: batches %d-%d are in the ledger (epoch %d) and missing; %s",
			storage.ErrDataLoss, last.Number+1, newest.Number, newest.Epoch, advice)
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
