package headrace

import (
	"slices"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/sdk/go/internal/wire"
	"google.golang.org/grpc/mem"
)

// maxDoubtedBatches bounds the batches to one topic without a result: the server
// remembers the outcomes of a producer's last 4,096.
const maxDoubtedBatches = 1_000

// ready reports whether a producer may send to a topic now: it knows where the server
// stands, and nothing that failed as a whole is still to be told.
func (f *flight) ready(topic string) bool {
	t := f.topics[topic]
	if t == nil {
		t = &topicFlight{known: !f.lasting}
		f.topics[topic] = t
	}
	if t.batches.len() == 0 {
		f.ask(topic, t)
	}
	return t.known && t.batches.len() < maxDoubtedBatches && (t.failedAt == 0 || t.batches.len() == 0)
}

// ask has the server asked where it stands, once.
func (f *flight) ask(topic string, t *topicFlight) {
	if !t.known && !t.asked {
		t.asked = true
		f.toAsk.push(topic)
	}
}

// renumber goes back to where a batch failed as a whole: it used up no sequence.
func (t *topicFlight) renumber() {
	if t.failedAt > 0 {
		t.sequence, t.failedAt = t.failedAt-1, 0
	}
}

// judge notes what the result of a producer's batch means for those behind it, and
// reports whether the batch is done with. It is not when all of it failed behind
// one-way batches: the failure may be theirs, which nobody tells. It is sent again
// then, from where the server stands.
func (f *flight) judge(t *topicFlight, b *publishBatch) (done bool) {
	reason, whole := b.failedWhole()
	if !whole {
		t.confirmed = b.last()
		return true
	}
	if t.failedAt == 0 {
		t.failedAt = b.first
	}
	told := reason == "OUTCOME_FORGOTTEN" || reason == "PUBLISH_BATCH_CHANGED"
	if told || t.unheard || reason == "PUBLISH_SEQUENCE_GAP" {
		// The server does not stand where it was taken to.
		t.known, t.asked = false, false
	}
	return told || !t.unheard
}

// failedWhole gives the reason with which all of a batch failed, when it is not that
// of its messages, which would have used up their sequences.
func (b *publishBatch) failedWhole() (Reason, bool) {
	for _, f := range b.failures {
		if !slices.Contains(messageReasons, f.err.Reason) {
			return f.err.Reason, true
		}
	}
	return "", false
}

// messageReasons are the reasons of failures that are a message's own.
var messageReasons = []Reason{
	"MALFORMED_MESSAGE", "MESSAGE_TOO_LARGE", "INVALID_FIELD", "NOT_SERVED", "DEDUPE_CONFLICT",
}

// takeUp goes on with what a producer sent on earlier streams: where the server
// stands is asked first, of the other topics before the next batch. The lock is held.
func (o *outbox) takeUp() {
	if o.config.producer == "" {
		return
	}
	f := o.flight
	f.producing, f.lasting = true, o.config.lasting
	if o.producer == nil {
		o.producer = f.topics
	}
	f.topics = o.producer
	for name, t := range f.topics {
		f.unresolved += t.batches.len()
		t.known, t.asked = false, false
		if t.batches.len() > 0 {
			f.ask(name, t)
		}
	}
}

// question is the next one to the server, or nil.
func (o *outbox) question() *headracev1.PublishStreamRequest {
	o.mu.Lock()
	defer o.mu.Unlock()
	f := o.flight
	if f.toAsk.len() == 0 {
		return nil
	}
	name := f.toAsk.pop()
	first := uint64(0)
	if t := f.topics[name]; t.batches.len() > 0 {
		first = t.batches.front().first
	}
	return &headracev1.PublishStreamRequest{Frame: &headracev1.PublishStreamRequest_LookUp_{
		LookUp: &headracev1.PublishStreamRequest_LookUp{Topic: name, FirstSequence: first},
	}}
}

// lookedUp takes an answer. What is stored has its result by now; what is not is sent
// again, before everything else, in its order.
func (o *outbox) lookedUp(l *headracev1.PublishStreamResponse_LookedUp) {
	o.mu.Lock()
	defer o.mu.Unlock()
	t := o.flight.topics[l.GetTopic()]
	if t == nil || t.known {
		return
	}
	forgotten := l.GetNextSequence() <= t.confirmed
	var again []*publishBatch
	for t.batches.len() > 0 {
		b := t.batches.pop()
		o.flight.unresolved--
		if forgotten || b.first < l.GetNextSequence() {
			o.finish(b, outcomeForgotten(b.topic))
			continue
		}
		again = append(again, b)
	}
	o.sendAgain(again)
	t.known, t.failedAt, t.unheard = true, 0, false
	t.sequence = l.GetNextSequence() - 1
	t.confirmed = t.sequence
	o.signal()
}

// sendAgain puts batches that were sent and are not stored before all that was not
// sent. Some may be there already: of a topic they stay in the order in which they were
// accepted, however often streams break. The lock is held.
func (o *outbox) sendAgain(batches []*publishBatch) {
	if len(batches) == 0 {
		return
	}
	for _, b := range batches {
		b.unsend()
	}
	waiting := slices.Clone(o.sealed.all())
	for _, b := range batches {
		at := slices.IndexFunc(waiting, func(w *publishBatch) bool { return !w.again || w.topic == b.topic && w.at > b.at })
		if at < 0 {
			at = len(waiting)
		}
		waiting = slices.Insert(waiting, at, b)
	}
	o.sealed = fifo[*publishBatch]{items: waiting}
}

func outcomeForgotten(topic string) *Error {
	e := itemError(headracev1.ErrorReason_ERROR_REASON_OUTCOME_FORGOTTEN)
	e.Message = "publish to " + topic + ": the message may be stored: the server does not remember the producer"
	return e
}

// keptFrame is the frame of a batch whose body is kept until its result.
func (o *outbox) keptFrame(b *publishBatch, body []byte) *wire.PublishFrame {
	b.buffer = mem.NewBuffer(&body, o.bodies)
	b.buffer.Ref() // The batch's, beside the frame's.
	return &wire.PublishFrame{
		Header: wire.AppendPublishHeader(nil, b.topic, b.first, b.oneWay, len(body)),
		Body:   b.buffer,
	}
}

// unsend makes a batch that was sent one that was not: gRPC may still read its body.
func (b *publishBatch) unsend() {
	b.body = slices.Clone(b.buffer.ReadOnlyData())
	b.dropBuffer()
	b.sealed, b.again, b.first, b.runs, b.failures = true, true, 0, nil, nil
}

func (b *publishBatch) dropBuffer() {
	if b.buffer != nil {
		b.buffer.Free()
		b.buffer = nil
	}
}

// keeps reports whether what has no result is kept for another stream, now that one
// ended.
func (o *outbox) keeps(cause error) bool {
	if o.config.producer == "" {
		return false
	}
	if stale(cause) {
		o.dead = cause
	}
	return cause == nil || !endsPublishing(cause)
}

// abandonOneWay gives up the one-way batch that was being sent. What is lost of those
// leaves no gap: the server says where it stands.
func (o *outbox) abandonOneWay(f *flight) int {
	b := f.oneWay
	if b == nil {
		return 0
	}
	o.finish(b, unknownOutcome(b.topic, errNoResult))
	return b.count
}

// doubted returns the batches that were sent on an earlier stream and have no result.
func (o *outbox) doubted() []*publishBatch {
	var all []*publishBatch
	for _, t := range o.producer {
		all = append(all, t.batches.all()...)
	}
	return all
}

func (o *outbox) doubts() bool { return len(o.doubted()) > 0 }

// failDoubted fails what was sent on an earlier stream: no other one can be had.
func (o *outbox) failDoubted(cause error) {
	if o.flight != nil {
		return
	}
	for _, b := range o.doubted() {
		o.finish(b, unknownOutcome(b.topic, cause))
	}
	for _, t := range o.producer {
		t.batches = fifo[*publishBatch]{}
	}
	if stale(cause) {
		o.dead = cause
	}
}
