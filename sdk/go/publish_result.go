package headrace

import (
	"context"
)

// PublishResult is the future result of one message.
type PublishResult struct {
	batch *publishBatch // nil when the message was refused at once.
	index int           // within batch, and past its end within those split from it.
	err   error         // why the message was refused at once.
}

// Get waits for the result, at most until ctx ends, and returns the id of the
// stored message. It may be called again, and by several goroutines.
//
// Errors: ctx's, which is also [ErrUnknownOutcome]; [ErrUnknownOutcome] when the
// client closed, or its producer became stale, before the result of what was sent,
// and [WithoutProducer] when the stream broke; [ErrOutcomeForgotten],
// [ErrStaleProducer], [ErrBufferFull], [ErrClosed], [ErrUnreachable]; what the server says of the message, for instance
// [ErrTopicNotFound], [ErrMessageTooLarge], [ErrInvalidField], [ErrDiskFull],
// [ErrBacklogFull].
func (r *PublishResult) Get(ctx context.Context) (MessageID, error) {
	p, err := r.Position(ctx)
	if err != nil {
		return "", err
	}
	return MessageID(p.String()), nil
}

// Position waits like [PublishResult.Get] and returns where the message stands.
func (r *PublishResult) Position(ctx context.Context) (Position, error) {
	if r.err != nil {
		return Position{}, r.err
	}
	return r.batch.wait(ctx, r.index)
}
