package headrace

import (
	"context"
	"fmt"
	"time"

	"github.com/headrace/headrace/sdk/go/internal/wire"
	"google.golang.org/grpc/mem"
)

// publishBatch is the messages of one topic that are sent in one frame, and
// their results once they are there. All results of a batch come at once: a
// commit of the server seldom ends inside a frame, and one channel serves them
// all.
//
// Until done is closed a batch is the outbox's, under its lock; then it does not
// change any more.
type publishBatch struct {
	topic   string
	oneWay  bool
	created time.Time
	sealed  bool   // takes no more messages.
	again   bool   // was sent, and is to be sent again.
	at      uint64 // how many messages the topic had accepted before its first.
	body    []byte // the messages as the frame's field; nil once sent.
	count   int    // messages.
	bytes   int    // the sum of their encoded sizes.

	buffer   mem.Buffer    // with a producer: the body, once sent, until the result.
	first    uint64        // the publish sequence of the first message, once sent.
	done     chan struct{} // closed when every message has its result, or is sent one-way.
	runs     []publishedRun
	failures []publishFailure
	err      error         // what failed all of them.
	rest     *publishBatch // what was split from the end, for a smaller window.
}

// publishedRun says where consecutive messages were stored.
type publishedRun struct {
	first uint64 // publish sequence.
	count uint64
	at    Position
}

// publishFailure says why consecutive messages were not stored.
type publishFailure struct {
	first uint64 // publish sequence.
	count uint64
	err   *Error
}

func newPublishBatch(topic string, oneWay bool, buffer []byte) *publishBatch {
	return &publishBatch{
		topic: topic, oneWay: oneWay, created: time.Now(), body: buffer, done: make(chan struct{}),
	}
}

func (b *publishBatch) add(m *wire.Message, size int) {
	b.body = wire.AppendMessage(b.body, m, size)
	b.bytes += size
	b.count++
}

// last returns the publish sequence of the last message.
func (b *publishBatch) last() uint64 { return b.first + uint64(b.count) - 1 }

// split leaves the first n messages in b and returns a batch of the others. The
// futures of those find it through b.rest.
func (b *publishBatch) split(n int) *publishBatch {
	framed, encoded := wire.CutBody(b.body, n)
	rest := &publishBatch{
		topic: b.topic, oneWay: b.oneWay, created: b.created, sealed: b.sealed, at: b.at + uint64(n),
		body: append([]byte(nil), b.body[framed:]...), count: b.count - n, bytes: b.bytes - encoded,
		done: make(chan struct{}), rest: b.rest,
	}
	b.body, b.count, b.bytes, b.rest = b.body[:framed], n, encoded, rest
	return rest
}

// wait waits for the result of one message, at most until ctx ends.
func (b *publishBatch) wait(ctx context.Context, index int) (Position, error) {
	for {
		if err := b.await(ctx); err != nil {
			return Position{}, err
		}
		if index < b.count {
			return b.result(b.first + uint64(index))
		}
		index -= b.count
		b = b.rest
	}
}

func (b *publishBatch) await(ctx context.Context) error {
	select {
	case <-b.done:
		return nil
	default:
	}
	select {
	case <-b.done:
		return nil
	case <-ctx.Done():
		return &Error{
			Reason: "UNKNOWN_OUTCOME", cause: ctx.Err(),
			Message: fmt.Sprintf("publish to %s: %v before the result, the message may be stored", b.topic, ctx.Err()),
		}
	}
}

func (b *publishBatch) result(sequence uint64) (Position, error) {
	if b.err != nil {
		return Position{}, b.err
	}
	for _, f := range b.failures {
		if sequence-f.first < f.count {
			return Position{}, f.err
		}
	}
	for _, r := range b.runs {
		if sequence-r.first < r.count {
			return Position{Partition: r.at.Partition, Offset: r.at.Offset + sequence - r.first}, nil
		}
	}
	return Position{}, unknownOutcome(b.topic, errNoResult)
}

// errNoResult is the cause of an unknown outcome when a result left a message
// out.
var errNoResult = &Error{Message: "the server gave no result for the message"}

func unknownOutcome(topic string, cause error) *Error {
	return &Error{
		Reason: "UNKNOWN_OUTCOME", cause: cause,
		Message: fmt.Sprintf("publish to %s: the message may be stored: %v", topic, cause),
	}
}

// fitting returns how many of the first n messages have at most that many bytes
// together, and at least 1.
func (b *publishBatch) fitting(n int, bytes uint64) int {
	if n == b.count && uint64(b.bytes) <= bytes {
		return n
	}
	return max(1, wire.FittingBody(b.body, n, bytes))
}
