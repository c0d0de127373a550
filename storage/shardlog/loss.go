package shardlog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// maxAcceptedLosses bounds the gaps that a shard's record lists; the oldest go
// first.
const maxAcceptedLosses = 64

// BatchRange is a run of batches by their numbers, both ends included.
type BatchRange struct{ First, Last uint64 }

// String gives "first-last".
func (r BatchRange) String() string {
	return strconv.FormatUint(r.First, 10) + "-" + strconv.FormatUint(r.Last, 10)
}

func (r BatchRange) holds(number uint64) bool { return r.First <= number && number <= r.Last }

// listOf writes ranges as they are accepted: "5-6,9-9".
func listOf(ranges []BatchRange) string {
	texts := make([]string, len(ranges))
	for i, r := range ranges {
		texts[i] = r.String()
	}
	return strings.Join(texts, ",")
}

// MissingError is returned by Open when batches are missing that nobody accepted
// the loss of. It is an ErrDataLoss.
type MissingError struct {
	// Missing are all gaps, in order: what would have to be accepted.
	Missing []BatchRange
	// Asked is what was to be accepted instead.
	Asked []BatchRange

	found []string
}

// Error says what is missing and what can be done.
func (e *MissingError) Error() string {
	text := fmt.Sprintf("%v: %s", storage.ErrDataLoss, strings.Join(e.found, "; "))
	if len(e.Asked) > 0 {
		text += fmt.Sprintf("; accept-loss names %s, which is something else", listOf(e.Asked))
	}
	return fmt.Sprintf("%s; nothing was changed; restore the directory from a copy, or give up what these batches held "+
		"with --accept-loss=%s", text, listOf(e.Missing))
}

// Unwrap makes the error an ErrDataLoss.
func (e *MissingError) Unwrap() error { return storage.ErrDataLoss }

// judgeLoss compares the gaps that were found with those that the operator accepts,
// and gives the ones that are accepted now. What was accepted before may be named
// again.
func judgeLoss(gaps []gap, asked []BatchRange, before []record.AcceptedLoss) ([]BatchRange, error) {
	known := func(r BatchRange) bool {
		return slices.ContainsFunc(before, func(l record.AcceptedLoss) bool { return l.First == r.First && l.Last == r.Last })
	}
	asked = slices.DeleteFunc(slices.Clone(asked), known)
	e := &MissingError{Asked: asked}
	for _, g := range gaps {
		e.Missing = append(e.Missing, g.BatchRange)
		e.found = append(e.found, g.text)
	}
	switch {
	case slices.Equal(e.Missing, asked):
		return asked, nil
	case len(gaps) == 0:
		return nil, fmt.Errorf("accept-loss names batches %s, but none is missing; nothing was changed; start without it", listOf(asked))
	default:
		return nil, e
	}
}

// tellLosses tells the operator at each opening what was given up.
func (r *recovery) tellLosses() {
	for _, l := range r.shard.AcceptedLosses {
		r.logger.Warn("Batches are missing whose loss was accepted.", "first", l.First, "last", l.Last, "accepted_at", l.At)
	}
	for _, l := range r.losses {
		r.logger.Warn("Batches are missing whose loss is accepted now.", "first", l.First, "last", l.Last)
	}
}

// acceptLosses writes down what was given up, once everything that it left behind
// is mended.
func (c *committer) acceptLosses(losses []BatchRange) {
	all := c.shard.AcceptedLosses
	for _, l := range losses {
		all = append(all, record.AcceptedLoss{First: l.First, Last: l.Last, At: c.now()})
	}
	c.shard.AcceptedLosses = all[max(0, len(all)-maxAcceptedLosses):]
	c.open.shard = true
}
