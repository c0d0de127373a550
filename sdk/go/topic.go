package headrace

import "context"

// Topic is a topic to publish to. It is made by [Client.Topic], costs nothing
// and need not be closed.
//
// All topics of a client share one publish stream. Messages are sent in batches:
// at once while nothing is under way, else when a batch is full or its delay is
// over. Messages of one topic are sent in the order in which they were published.
type Topic struct {
	client *Client
	name   string
}

// Name returns the topic's full name, "namespace/name".
func (t *Topic) Name() string { return t.name }

// Publish publishes a message and waits until it is durable.
//
// When ctx ends first, the error is ctx's and also [ErrUnknownOutcome]: the
// message may be stored yet. Many goroutines that publish at the same time share
// batches. Errors: those of [PublishResult.Get].
func (t *Topic) Publish(ctx context.Context, m Message) (MessageID, error) {
	return t.PublishAsync(ctx, m).Get(ctx)
}

// PublishAsync accepts a message and returns its future result.
//
// It blocks only while the publish buffer is full (see [WithPublishBuffer]), at
// most until ctx ends; then, and when the message is refused at once, the result
// is there already and holds the error. ctx has no effect on a message that was
// accepted.
func (t *Topic) PublishAsync(ctx context.Context, m Message) *PublishResult {
	if t.client.observed.observer != nil {
		return t.client.observed.publish(ctx, t, m)
	}
	return t.client.outbox.publish(ctx, t.name, m)
}

// PublishOneWay accepts a message and asks for no result: a failure of the
// server, a lost connection and a topic that does not exist go unnoticed.
//
// It blocks only while the publish buffer is full, at most until ctx ends. The
// error is nil when the message was accepted. Errors: ctx's, [ErrBufferFull],
// [ErrClosed], [ErrMessageTooLarge], [ErrInvalidName].
func (t *Topic) PublishOneWay(ctx context.Context, m Message) error {
	if t.client.observed.observer != nil {
		return t.client.observed.publishOneWay(ctx, t, m)
	}
	return t.client.outbox.publishOneWay(ctx, t.name, m)
}

// Flush sends what waits for its batch to fill, and waits until every message
// that this topic accepted before the call has its result (one-way: is sent).
// The error is nil or ctx's; failures are in the messages' own results.
func (t *Topic) Flush(ctx context.Context) error {
	return t.client.outbox.flush(ctx, t.name)
}
