package server

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/wire"
)

// subscribeSender is the send loop of a Subscribe stream.
type subscribeSender struct {
	stream  subscribeStream
	session *broker.Session
	latency prometheus.Observer

	// batch is used again for each frame of deliveries.
	batch wire.BatchFrame
}

// run writes what the session hands out until the session or the stream ends; with
// io.EOF when all is well.
func (s *subscribeSender) run() error {
	defer s.session.EndSending()
	if err := s.stream.Send(openedProto(s.session)); err != nil {
		return err
	}
	for {
		output, err := s.session.Next(s.stream.Context())
		if err != nil {
			return err
		}
		if err := s.write(output); err != nil {
			return err
		}
	}
}

// write writes one output, of which exactly one field is set.
func (s *subscribeSender) write(o broker.Output) error {
	switch {
	case o.Frame != nil:
		return s.deliver(o.Frame)
	case o.SettleResult != nil:
		return s.stream.Send(settleResultProto(o.SettleResult))
	case o.Flow != nil:
		return s.stream.Send(flowStateProto(o.Flow))
	case o.Revoked != nil:
		return s.stream.Send(revokedProto(o.Revoked))
	case o.Recall != nil:
		return s.stream.Send(recallProto(o.Recall))
	case o.GoAway != nil:
		return s.stream.Send(&headracev1.SubscribeResponse{
			Frame: &headracev1.SubscribeResponse_GoAway{GoAway: goAwayProto(o.GoAway)},
		})
	case o.Drained:
		return s.stream.Send(&headracev1.SubscribeResponse{
			Frame: &headracev1.SubscribeResponse_Drained_{Drained: &headracev1.SubscribeResponse_Drained{}},
		})
	}
	return nil
}

// deliver writes a frame of deliveries. Its bytes are copied when SendMsg returns,
// so the segments are given back then.
func (s *subscribeSender) deliver(f *broker.Frame) error {
	defer f.Release()
	fillBatch(&s.batch, f)
	err := s.stream.SendMsg(&s.batch)
	s.batch.Reset()
	if err == nil && len(f.Parts) > 0 && len(f.Attempts) == 0 {
		s.latency.Observe(time.Since(f.Parts[0].Segment.LogTime).Seconds())
	}
	return err
}

// fillBatch describes a frame to the codec.
func fillBatch(b *wire.BatchFrame, f *broker.Frame) {
	b.Reset()
	b.FirstSequence, b.ChargedBytes = f.FirstSequence, f.ChargedBytes
	for i := range f.Runs {
		b.Runs = append(b.Runs, wire.Run{
			Partition: f.Runs[i].Partition, FirstOffset: f.Runs[i].First, Count: f.Runs[i].Count,
		})
		b.Pieces = append(b.Pieces, f.Parts[i].Wire())
	}
	for _, a := range f.Attempts {
		b.Attempts = append(b.Attempts, wire.AttemptRun{
			FirstSequence: f.FirstSequence + uint64(a.Index), Count: a.Count, Attempt: a.Attempt,
		})
	}
}
