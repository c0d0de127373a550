package crash

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/headrace/headrace/faults/history"
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

const (
	// repeaterName is the producer's, repeaterNumber its number among the operators' clients.
	repeaterName   = "repeater"
	repeaterNumber = 50
	// repeatedMessages is the most that a batch has, repeatedAnswers how often it is sent
	// until it was answered.
	repeatedMessages, repeatedAnswers = 4, 2
	// One batch in unheardOneIn is sent on a stream that ends before its answer.
	unheardOneIn = 3
	// repeaterRest bounds the pause between two batches.
	repeaterRest = 60 * time.Millisecond
)

// errNotStored is an answer that says that a batch was not stored: it may be sent again.
var errNotStored = errors.New("crash: not stored")

// repeater is a producer that sends each of its batches again, unchanged: on the same
// stream, on another one, or over the server's death, answered or not. Whoever sends
// again is told where it was stored the first time.
type repeater struct {
	service  headracev1.PublisherServiceClient
	recorder *history.Recorder
	random   *rand.Rand
	// sent is the last sequence of the batches before.
	sent uint64
}

// repeats sends batches again until it is time to stop.
func (o *operators) repeats(ctx context.Context) error {
	conn, err := dial(o.address)
	if err != nil {
		return err
	}
	r := &repeater{
		service: headracev1.NewPublisherServiceClient(conn), recorder: o.recorder,
		random: rand.New(rand.NewPCG(o.seed, operatorClient+repeaterNumber)),
	}
	for err == nil {
		select {
		case <-o.stop:
			return conn.Close()
		case <-ctx.Done():
			err = ctx.Err()
		case <-time.After(time.Duration(r.random.Int64N(int64(repeaterRest)))):
			err = r.next(ctx)
		}
	}
	return errors.Join(err, conn.Close())
}

// next makes a batch and sends it until it was answered twice.
func (r *repeater) next(ctx context.Context) error {
	b := &headracev1.PublishStreamRequest_PublishBatch{Topic: handledName, FirstSequence: r.sent + 1}
	for range 1 + r.random.IntN(repeatedMessages) {
		r.sent++
		b.Messages = append(b.Messages, r.message())
	}
	r.recorder.Record(r.event(history.Publishing, b.GetFirstSequence(), uint64(len(b.GetMessages()))))
	answers := 0
	return retry(ctx, "send again", func() (bool, error) {
		n, err := r.stream(ctx, b, repeatedAnswers-answers)
		answers += n
		return answers == repeatedAnswers, err
	})
}

func (r *repeater) message() *headracev1.Message {
	id := history.MessageID{Publisher: r.publisher(), Number: r.sent}
	m := &headracev1.Message{Data: encodeBody(handledTopic, id)}
	if key := keyOf(id); key > 0 {
		m.OrderingKey = fmt.Sprintf("%d-%d", id.Publisher, key)
	}
	return m
}

func (r *repeater) publisher() uint64 { return operatorClient*streamsPerClient + repeaterNumber }

func (r *repeater) event(k history.Kind, first, count uint64) history.Event {
	return history.Event{Kind: k, Fields: history.Fields{
		Topic: handledTopic, Publisher: r.publisher(), Number: first, Count: count,
	}}
}

// stream sends a batch at most so many times on one stream, and says how often it was
// answered.
func (r *repeater) stream(ctx context.Context, b *headracev1.PublishStreamRequest_PublishBatch, times int) (answers int, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	s, err := r.service.PublishStream(ctx)
	if err != nil {
		return 0, err
	}
	open := &headracev1.PublishStreamRequest_Open{ProducerId: repeaterName}
	if err := s.Send(&headracev1.PublishStreamRequest{Frame: &headracev1.PublishStreamRequest_Open_{Open: open}}); err != nil {
		return 0, err
	}
	for answers < times {
		frame := &headracev1.PublishStreamRequest{Frame: &headracev1.PublishStreamRequest_PublishBatch_{PublishBatch: b}}
		if err := s.Send(frame); err != nil {
			return answers, err
		}
		if r.random.IntN(unheardOneIn) == 0 {
			return answers, s.CloseSend()
		}
		if err := r.answer(s, b); err != nil {
			return answers, err
		}
		answers++
		if r.random.IntN(2) == 0 {
			return answers, nil
		}
	}
	return answers, nil
}

// answer records where a batch was stored.
func (r *repeater) answer(s publishStream, b *headracev1.PublishStreamRequest_PublishBatch) error {
	for through := uint64(0); through < b.GetFirstSequence()+uint64(len(b.GetMessages()))-1; {
		frame, err := s.Recv()
		if err != nil {
			return err
		}
		result := frame.GetPublishResult()
		if result == nil {
			continue
		}
		if len(result.GetFailures()) > 0 {
			return fmt.Errorf("%w: %v", errNotStored, result.GetFailures()[0])
		}
		for _, run := range result.GetRuns() {
			e := r.event(history.Published, run.GetFirstSequence(), uint64(run.GetCount()))
			e.Partition, e.Offset = uint64(run.GetPartition()), run.GetFirstOffset()
			r.recorder.Record(e)
		}
		through = result.GetThroughSequence()
	}
	return nil
}
