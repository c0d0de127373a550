package server

import (
	"errors"
	"io"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/wire"
)

// publishedTopic is what a publish stream remembers of a topic that it writes to,
// by the name that the client writes.
type publishedTopic struct {
	name string
	// next is the sequence that the next message must have; with a producer the highest
	// one that it may have, and 0 until there was one. Receive loop only.
	next uint64
	// failed is why the producer's batch at failedAt failed before the store saw it;
	// what follows it fails too. Receive loop only.
	failed   error
	failedAt uint64

	// result is the open result, nil when there is none. Send loop only.
	result *topicResult
	// latency measures the topic; nil until something was stored. Send loop only.
	latency prometheus.Observer
}

// publishNote goes with a batch to the store and back: what its result needs.
type publishNote struct {
	topic   *publishedTopic
	first   uint64
	count   int
	refused []refusedMessage
	readAt  time.Time
}

// noteOf is the note that the receive loop gave a batch.
func noteOf(b *broker.PublishBatch) *publishNote {
	return b.Note.(*publishNote) //nolint:forcetypeassert // the receive loop gives every batch one
}

// publishReceiver is the receive loop of a PublishStream. It never waits for the
// send loop; it waits where the store's queue for this stream is full.
type publishReceiver struct {
	stream    publishStream
	publisher *broker.Publisher
	limits    publishLimits
	walker    batchWalker
	// producing: the stream has a producer.
	producing bool

	frame  wire.PublishFrame
	topics map[string]*publishedTopic
}

// run reads frames until the client half-closes or the stream breaks.
func (r *publishReceiver) run() error {
	defer r.frame.Release()
	for {
		err := r.stream.RecvMsg(&r.frame)
		if errors.Is(err, io.EOF) {
			r.publisher.CloseSend()
			return nil
		}
		if err == nil {
			err = r.handle()
		}
		if err != nil {
			return err
		}
	}
}

// handle does what the frame asks for. What it returns ends the stream.
func (r *publishReceiver) handle() error {
	if r.frame.Fault != nil {
		return r.frame.Fault
	}
	switch r.frame.Kind {
	case wire.PublishOpen:
		return frameOrder("Open comes once")
	case wire.PublishHeartbeat:
		r.publisher.Heard()
		return nil
	case wire.PublishBatch:
		return r.batch(r.frame.Batch)
	case wire.PublishLookUp:
		return r.lookUp(r.frame.LookUp)
	default:
		return errEmptyFrame
	}
}

// batch walks a batch and hands it over.
func (r *publishReceiver) batch(in wire.Batch) error {
	readAt := time.Now()
	if err := r.limits.check(&in); err != nil {
		return err
	}
	topic, err := r.topic(in.Topic)
	if err != nil {
		return err
	}
	var sequence *broker.BatchSequence
	if r.producing {
		if sequence, err = r.sequence(topic, in); err != nil {
			return err
		}
	} else if in.FirstSequence != topic.next {
		return sequenceGap(topic.name, topic.next, in.FirstSequence)
	}
	topic.next = in.FirstSequence + uint64(in.Count)
	batch := broker.NewPublishBatch()
	batch.OneWay, batch.Sequence = in.OneWay, sequence
	batch.Topic, batch.Err = r.resolve(topic, in.FirstSequence)
	refused := r.walker.walk(in, readAt, batch)
	batch.Note = &publishNote{topic: topic, first: in.FirstSequence, count: in.Count, refused: refused, readAt: readAt}
	if err := r.publisher.Publish(r.stream.Context(), batch); err != nil {
		batch.Release()
		return err
	}
	return nil
}

// topic finds what the stream remembers of a topic.
func (r *publishReceiver) topic(name []byte) (*publishedTopic, error) {
	if t, ok := r.topics[string(name)]; ok {
		return t, nil
	}
	if len(r.topics) == maxStreamTopics {
		return nil, &refusal{reason: reasonLimitReached, field: "topic", text: "a stream writes to too many topics"}
	}
	t := &publishedTopic{name: string(name), next: 1}
	if r.producing {
		t.next = 0 // It goes on from an earlier stream.
	}
	r.topics[t.name] = t
	return t, nil
}
