package server

import (
	"errors"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/wire"
)

// outcome collects where the messages of batches were stored, and which were not:
// runs and failures in the order of their sequences, joined where they touch.
type outcome struct {
	runs     []*headracev1.PublishedRun
	failures []*headracev1.PublishFailure
	// buffered: some of what was stored is not durable yet.
	buffered bool
}

// len is how many entries there are.
func (o *outcome) len() int { return len(o.runs) + len(o.failures) }

// add adds a batch whose first message has the sequence first. refused are those
// that never were in the batch; count includes them.
func (o *outcome) add(b *broker.PublishBatch, first uint64, count int, refused []refusedMessage) {
	if b.Err != nil {
		o.addFailed(first, count, b.Err, refused)
		return
	}
	o.buffered = o.buffered || b.Buffered
	if len(b.Parts) > 0 {
		o.addParts(first, b.Parts)
		return
	}
	w := withGaps{first: first, refused: refused}
	for _, run := range b.Runs {
		o.addRun(&w, run)
	}
	for _, r := range refused {
		o.fail(first+uint64(r.index), 1, r.failure)
	}
}

// addRun adds a run of stored messages, cut where refused ones lie between.
func (o *outcome) addRun(w *withGaps, run broker.PublishedRun) {
	offset, left := uint64(run.Offset), run.Count
	for left > 0 {
		sequence, count := w.take(left)
		o.store(&headracev1.PublishedRun{
			FirstSequence: sequence, Partition: uint32(run.Partition), FirstOffset: offset, Count: uint32(count),
		})
		offset, left = offset+uint64(count), left-count
	}
}

// store adds stored messages, to the last run where they continue it.
func (o *outcome) store(run *headracev1.PublishedRun) {
	if n := len(o.runs); n > 0 {
		last := o.runs[n-1]
		stored := uint64(last.GetCount())
		same := last.GetPartition() == run.GetPartition() && last.GetDuplicate() == run.GetDuplicate()
		if same && last.GetFirstSequence()+stored == run.GetFirstSequence() && last.GetFirstOffset()+stored == run.GetFirstOffset() {
			last.Count += run.GetCount()
			return
		}
	}
	o.runs = append(o.runs, run)
}

// addFailed adds a batch of which nothing was stored: those at fault by themselves
// with their own reason, the others with the batch's.
func (o *outcome) addFailed(first uint64, count int, err error, refused []refusedMessage) {
	reason, _ := reasonOf(err)
	whole := wire.Failure{Reason: reason}
	if full := (*broker.BacklogFullError)(nil); errors.As(err, &full) {
		whole.Field = string(full.Subscription)
	}
	next := 0
	for _, r := range refused {
		o.fail(first+uint64(next), r.index-next, whole)
		o.fail(first+uint64(r.index), 1, r.failure)
		next = r.index + 1
	}
	o.fail(first+uint64(next), count-next, whole)
}

// fail adds messages that were not stored, to the last failure where they continue
// it.
func (o *outcome) fail(sequence uint64, count int, f wire.Failure) {
	if count == 0 {
		return
	}
	if n := len(o.failures); n > 0 {
		last := o.failures[n-1]
		same := last.GetReason() == f.Reason && last.GetField() == f.Field && last.GetLimit() == f.Limit
		if same && last.GetFirstSequence()+uint64(last.GetCount()) == sequence {
			last.Count += uint32(count)
			return
		}
	}
	o.failures = append(o.failures, &headracev1.PublishFailure{
		FirstSequence: sequence, Count: uint32(count), Reason: f.Reason, Field: f.Field, Limit: f.Limit,
	})
}

// durability is what was reached for the stored messages.
func (o *outcome) durability() headracev1.Durability {
	if len(o.runs) == 0 {
		return headracev1.Durability_DURABILITY_UNSPECIFIED
	}
	if o.buffered {
		return headracev1.Durability_DURABILITY_BUFFERED
	}
	return headracev1.Durability_DURABILITY_SYNCED
}

// withGaps gives stored messages their sequences: it steps over refused ones.
type withGaps struct {
	first   uint64
	refused []refusedMessage

	// index is the next message of the frame, refused ones included.
	index int
}

// take gives the sequence of the next stored message, and how many of the next
// most stored ones have consecutive sequences.
func (w *withGaps) take(most int) (sequence uint64, count int) {
	for len(w.refused) > 0 && w.refused[0].index == w.index {
		w.refused, w.index = w.refused[1:], w.index+1
	}
	count = most
	if len(w.refused) > 0 {
		count = min(most, w.refused[0].index-w.index)
	}
	sequence = w.first + uint64(w.index)
	w.index += count
	return sequence, count
}
