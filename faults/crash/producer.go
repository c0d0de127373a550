package crash

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/headrace/headrace/faults/history"
	"github.com/headrace/headrace/sdk/go"
)

const (
	// maxUnanswered bounds what of a producer waits for its result.
	maxUnanswered = 200
	// Bursts have up to burstMessages, and burstPause at most is between them.
	burstMessages = 10
	burstPause    = 250 * time.Millisecond
	// One message in replayedOneIn is of the topic that keeps what is settled.
	replayedOneIn = 5
)

// producer publishes with the Go SDK, which sends again what has no result.
type producer struct {
	client   *headrace.Client
	recorder *history.Recorder
	id       uint64
	random   *rand.Rand
	told     io.Writer
	number   uint64
}

// sent is a message whose result is to come.
type sent struct {
	id     history.MessageID
	topic  uint64
	result *headrace.PublishResult
}

// runProducer publishes until ctx ends, and waits for all results. Every second producer
// has a name that it keeps over its deaths.
func runProducer(ctx context.Context, r *role, recorder *history.Recorder, random *rand.Rand, told io.Writer) error {
	options := []headrace.DialOption{headrace.WithConnectTimeout(firstConnection), headrace.WithCloseTimeout(lastResults)}
	if r.Slot%2 == 0 {
		options = append(options, headrace.WithProducer(fmt.Sprintf("producer-%d", r.Slot)))
	}
	c, err := headrace.Dial(ctx, r.Address, options...)
	if err != nil {
		return err
	}
	p := &producer{client: c, recorder: recorder, id: r.Client * streamsPerClient, random: random, told: told}
	all, ended := make(chan sent, maxUnanswered), make(chan struct{})
	go func() {
		defer close(ended)
		p.collect(all)
	}()
	for ctx.Err() == nil {
		for range 1 + random.IntN(burstMessages) {
			all <- p.publish()
		}
		pauseFor(ctx, time.Duration(random.Int64N(int64(burstPause))))
	}
	close(all)
	<-ended
	return c.Close()
}

func (p *producer) publish() sent {
	p.number++
	s := sent{id: history.MessageID{Publisher: p.id, Number: p.number}, topic: handledTopic}
	name := handledName
	if p.random.IntN(replayedOneIn) == 0 {
		s.topic, name = replayedTopic, replayedName
	}
	m := headrace.Message{Data: encodeBody(s.topic, s.id)}
	if key := keyOf(s.id); key > 0 {
		m.OrderingKey = fmt.Sprintf("%d-%d", p.id, key)
	}
	p.record(history.Publishing, &s, headrace.Position{})
	s.result = p.client.Topic(name).PublishAsync(context.Background(), m)
	return s
}

// collect records results in the order of publishing.
func (p *producer) collect(all <-chan sent) {
	first := true
	for s := range all {
		ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
		at, err := s.result.Position(ctx)
		cancel()
		switch {
		case err == nil:
			p.record(history.Published, &s, at)
		case errors.Is(err, headrace.ErrUnknownOutcome), errors.Is(err, headrace.ErrOutcomeForgotten),
			errors.Is(err, headrace.ErrStaleProducer):
			p.record(history.Unknown, &s, at)
		default:
			p.record(history.Refused, &s, at)
		}
		if first && err == nil {
			_, _ = io.WriteString(p.told, "told\n")
			first = false
		}
	}
}

func (p *producer) record(k history.Kind, s *sent, at headrace.Position) {
	p.recorder.Record(history.Event{Kind: k, Fields: history.Fields{
		Topic: s.topic, Publisher: s.id.Publisher, Number: s.id.Number, Count: 1,
		Partition: uint64(at.Partition), Offset: at.Offset,
	}})
}
