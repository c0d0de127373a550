package server

import (
	"time"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/wire"
)

// maxResultEntries bounds the runs and failures of one result, so that it fits
// every client: an entry has at most 64 bytes.
const maxResultEntries = 10_000

// publishSender is the send loop of a PublishStream.
type publishSender struct {
	stream    publishStream
	publisher *broker.Publisher
	limits    publishLimits
	metrics   *metrics

	// results are the open results, one a topic, in the order of their first batch.
	results []*topicResult
	// frame is the result that is being written.
	frame wire.ResultFrame
}

// topicResult is the result of consecutive batches of one topic.
type topicResult struct {
	topic   *publishedTopic
	through uint64
	outcome outcome
}

// run writes what the publisher hands out until it or the stream ends; with io.EOF
// when all is well.
func (s *publishSender) run() error {
	opened := &headracev1.PublishStreamResponse_Opened{Limits: s.limits.proto(), ProducerEpoch: s.publisher.Epoch()}
	if err := s.stream.Send(&headracev1.PublishStreamResponse{
		Frame: &headracev1.PublishStreamResponse_Opened_{Opened: opened},
	}); err != nil {
		return err
	}
	for {
		output, err := s.publisher.Next(s.stream.Context())
		if err != nil {
			return err
		}
		if err := s.write(output); err != nil {
			return err
		}
	}
}

func (s *publishSender) write(o broker.PublisherOutput) error {
	if err := s.complete(o.Completed); err != nil {
		return err
	}
	if o.Window != nil {
		window := &headracev1.PublishStreamResponse_PublishWindow{
			ThroughMessages: o.Window.Messages, ThroughBytes: o.Window.Bytes,
		}
		if err := s.stream.Send(&headracev1.PublishStreamResponse{
			Frame: &headracev1.PublishStreamResponse_PublishWindow_{PublishWindow: window},
		}); err != nil {
			return err
		}
	}
	if o.GoAway == nil {
		return nil
	}
	return s.stream.Send(&headracev1.PublishStreamResponse{
		Frame: &headracev1.PublishStreamResponse_GoAway{GoAway: goAwayProto(o.GoAway)},
	})
}

// complete writes the results of completed batches, those of a topic together, and
// then lets the window rise by all of them.
func (s *publishSender) complete(batches []*broker.PublishBatch) error {
	if len(batches) == 0 {
		return nil
	}
	var sent broker.Amount
	now := time.Now()
	for _, b := range batches {
		if b.LookedUp != nil {
			if err := s.answer(b.LookedUp, b.Note.(*lookUpNote)); err != nil { //nolint:forcetypeassert // it has no other
				return err
			}
			b.Release()
			continue
		}
		sent.Messages += b.Sent.Messages
		sent.Bytes += b.Sent.Bytes
		note := noteOf(b)
		s.observe(b, note, now)
		err := s.collect(b, note)
		b.Release()
		if err != nil {
			return err
		}
	}
	if err := s.flush(); err != nil {
		return err
	}
	s.publisher.ResultsWritten(sent)
	return nil
}

// observe measures a batch that was stored, from its receipt to its result.
func (s *publishSender) observe(b *broker.PublishBatch, note *publishNote, now time.Time) {
	if b.Err != nil {
		return
	}
	if note.topic.latency == nil {
		note.topic.latency = s.metrics.publish(note.topic.name)
	}
	note.topic.latency.Observe(now.Sub(note.readAt).Seconds())
}

// collect adds a batch to its topic's result.
func (s *publishSender) collect(b *broker.PublishBatch, note *publishNote) error {
	if b.OneWay {
		return nil
	}
	r := s.result(note.topic)
	r.through = note.first + uint64(note.count) - 1
	r.outcome.add(b, note.first, note.count, note.refused)
	if r.outcome.len() < maxResultEntries {
		return nil
	}
	return s.flush()
}

// result finds the open result of a topic.
func (s *publishSender) result(t *publishedTopic) *topicResult {
	if t.result == nil {
		t.result = &topicResult{topic: t}
		s.results = append(s.results, t.result)
	}
	return t.result
}

// flush writes the open results.
func (s *publishSender) flush() error {
	for _, r := range s.results {
		r.topic.result = nil
		s.frame = r.frame()
		if err := s.stream.SendMsg(&s.frame); err != nil {
			return err
		}
	}
	clear(s.results)
	s.results = s.results[:0]
	return nil
}

func (r *topicResult) frame() wire.ResultFrame {
	return wire.ResultFrame{
		Topic:      r.topic.name,
		Through:    r.through,
		Runs:       r.outcome.runs,
		Failures:   r.outcome.failures,
		Durability: r.outcome.durability(),
	}
}
