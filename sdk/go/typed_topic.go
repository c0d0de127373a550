package headrace

import (
	"context"
	"maps"

	"google.golang.org/protobuf/proto"
)

// TypedTopic publishes Protobuf messages of one type to a topic. It is made by [Typed],
// costs nothing and need not be closed.
type TypedTopic[T proto.Message] struct {
	topic *Topic
}

// Typed returns the topic for payloads of one Protobuf type:
//
//	orders := headrace.Typed[*orderspb.Order](client.Topic("orders"))
//	id, err := orders.Publish(ctx, order, headrace.WithOrderingKey(order.GetTable()))
//
// On the wire a payload is [Message.Data]; the topic does not know its type, and takes
// others as well.
func Typed[T proto.Message](topic *Topic) *TypedTopic[T] { return &TypedTopic[T]{topic} }

// MessageOption sets what a message has beside its payload.
type MessageOption func(*Message)

// WithOrderingKey sets [Message.OrderingKey]. Default: none.
func WithOrderingKey(key string) MessageOption { return func(m *Message) { m.OrderingKey = key } }

// WithAttributes sets [Message.Attributes]. Default: none.
func WithAttributes(attributes map[string]string) MessageOption {
	attributes = maps.Clone(attributes)
	return func(m *Message) { m.Attributes = attributes }
}

// WithContentType sets [Message.ContentType]. Default: none.
func WithContentType(mediaType string) MessageOption {
	return func(m *Message) { m.ContentType = mediaType }
}

// WithDedupeID sets [Message.DedupeID]. Default: none.
func WithDedupeID(id string) MessageOption { return func(m *Message) { m.DedupeID = id } }

// Topic returns the topic itself.
func (t *TypedTopic[T]) Topic() *Topic { return t.topic }

// Publish is [Topic.Publish] of a payload. Errors: those of Topic.Publish, and
// [ErrMalformedMessage] for a payload that has no encoding, such as one with a string
// that is not UTF-8.
func (t *TypedTopic[T]) Publish(ctx context.Context, payload T, opts ...MessageOption) (MessageID, error) {
	return t.PublishAsync(ctx, payload, opts...).Get(ctx)
}

// PublishAsync is [Topic.PublishAsync] of a payload. The payload may be changed when the
// call has returned.
func (t *TypedTopic[T]) PublishAsync(ctx context.Context, payload T, opts ...MessageOption) *PublishResult {
	m, err := encode(t.topic.name, payload, opts)
	if err != nil {
		return &PublishResult{err: err}
	}
	return t.topic.PublishAsync(ctx, m)
}

// PublishOneWay is [Topic.PublishOneWay] of a payload. Errors: those of
// Topic.PublishOneWay, and [ErrMalformedMessage].
func (t *TypedTopic[T]) PublishOneWay(ctx context.Context, payload T, opts ...MessageOption) error {
	m, err := encode(t.topic.name, payload, opts)
	if err != nil {
		return err
	}
	return t.topic.PublishOneWay(ctx, m)
}

func encode(topic string, payload proto.Message, opts []MessageOption) (m Message, err error) {
	m.Data, err = proto.Marshal(payload)
	if err != nil {
		return m, &Error{Reason: "MALFORMED_MESSAGE", Field: "data", Message: "publish to " + topic + ": " + err.Error(), cause: err}
	}
	for _, o := range opts {
		o(&m)
	}
	return m, nil
}
