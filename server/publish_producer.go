package server

import (
	"math"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/wire"
	"github.com/headrace/headrace/storage"
)

// maxProducerIDBytes bounds a producer's name.
const maxProducerIDBytes = 255

// addParts adds what became of a batch's messages, as the store tells it.
func (o *outcome) addParts(first uint64, parts []storage.BatchPart) {
	for i := range parts {
		part := &parts[i]
		if part.Fate == storage.Refused {
			o.fail(first, int(part.Count), failureOf(part.Refusal))
		} else {
			o.store(&headracev1.PublishedRun{
				FirstSequence: first, Partition: uint32(part.Partition), FirstOffset: uint64(part.Offset),
				Count: part.Count, Duplicate: part.Fate == storage.Duplicate,
			})
		}
		first += uint64(part.Count)
	}
}

// refusalOf is a failure as it is stored.
func refusalOf(f wire.Failure) storage.Refusal {
	return storage.Refusal{Reason: uint16(f.Reason), Field: wire.FieldNumber(f.Field), Limit: f.Limit}
}

// failureOf is the reverse of refusalOf; the store's own refusal is a dedupe id with
// other data.
func failureOf(r storage.Refusal) wire.Failure {
	if r.Reason == storage.DedupeConflict {
		return wire.Failure{Reason: reasonDedupeConflict, Field: "dedupe_id"}
	}
	return wire.Failure{Reason: headracev1.ErrorReason(r.Reason), Field: wire.FieldName(r.Field), Limit: r.Limit}
}

// refusedForStore are the messages that were refused as the store remembers them.
func refusedForStore(dst []broker.RefusedMessage, refused []refusedMessage) []broker.RefusedMessage {
	for _, r := range refused {
		dst = append(dst, broker.RefusedMessage{Index: r.index, Refusal: refusalOf(r.failure)})
	}
	return dst
}

func checkProducerID(id string) error {
	if len(id) > maxProducerIDBytes {
		return invalidField("producer_id", "at most 255 bytes")
	}
	return nil
}

// lookUpNote goes with a question about a producer's messages.
type lookUpNote struct {
	topic *publishedTopic
	from  uint64
}

// lookUp asks what became of the producer's messages to a topic.
func (r *publishReceiver) lookUp(q *headracev1.PublishStreamRequest_LookUp) error {
	if !r.producing {
		return frameOrder("LookUp needs a producer")
	}
	topic, err := r.topic([]byte(q.GetTopic()))
	if err != nil {
		return err
	}
	batch := broker.NewPublishBatch()
	batch.Note = &lookUpNote{topic: topic, from: q.GetFirstSequence()}
	if err := r.publisher.LookUp(batch, topic.name, q.GetFirstSequence()); err != nil {
		batch.Release()
		return err
	}
	return nil
}

// sequence says where a batch stands among its producer's, and the error that it
// fails with because of what failed before it.
func (r *publishReceiver) sequence(t *publishedTopic, in wire.Batch) (*broker.BatchSequence, error) {
	first := in.FirstSequence
	known := t.next > 0
	if first == 0 || known && first > t.next || first > math.MaxUint64-uint64(in.Count) {
		return nil, sequenceGap(t.name, max(t.next, 1), first)
	}
	if t.failed != nil && first <= t.failedAt {
		t.failed = nil
	}
	return &broker.BatchSequence{First: first, Count: in.Count, Follows: known && first == t.next}, nil
}

// resolve finds the topic of a producer's batch. When there is none, what follows the
// batch fails like it, until the client begins again with it: its sequences are not
// used up.
func (r *publishReceiver) resolve(t *publishedTopic, first uint64) (*broker.PublishTopic, error) {
	if t.failed != nil {
		return nil, t.failed
	}
	topic, err := r.publisher.Topic(t.name)
	if err != nil && r.producing {
		t.failed, t.failedAt = err, first
	}
	return topic, err
}

// answer writes what became of a producer's messages, and which one comes next.
func (s *publishSender) answer(l *broker.LookedUp, note *lookUpNote) error {
	next := note.from
	for i := range l.Outcomes {
		o := &l.Outcomes[i]
		s.forgotten(note.topic, next, o.First)
		r := s.result(note.topic)
		r.outcome.addParts(o.First, o.Parts)
		next = o.Last() + 1
		r.through = o.Last()
		if r.outcome.len() >= maxResultEntries {
			if err := s.flush(); err != nil {
				return err
			}
		}
	}
	if note.from > 0 {
		s.forgotten(note.topic, next, l.Next)
	}
	if err := s.flush(); err != nil {
		return err
	}
	return s.stream.Send(&headracev1.PublishStreamResponse{Frame: &headracev1.PublishStreamResponse_LookedUp_{
		LookedUp: &headracev1.PublishStreamResponse_LookedUp{Topic: note.topic.name, NextSequence: l.Next},
	}})
}

// forgotten adds that nobody remembers what became of the messages [from, end).
func (s *publishSender) forgotten(t *publishedTopic, from, end uint64) {
	for from < end {
		count := min(end-from, math.MaxInt32)
		r := s.result(t)
		r.outcome.fail(from, int(count), wire.Failure{Reason: reasonOutcomeForgotten})
		from += count
		r.through = from - 1
	}
}
