package headrace

import (
	"context"
	"iter"

	"google.golang.org/protobuf/proto"
)

// CodeUndecodable is the code with which a payload is rejected that is none of its type.
const CodeUndecodable = "UNDECODABLE"

// TypedSubscription receives Protobuf messages of one type from a subscription. It is
// made by [TypedFrom], costs nothing and need not be closed.
type TypedSubscription[T proto.Message] struct {
	subscription *Subscription
	config       typedConfig
}

// TypedDelivery is a delivery with its payload.
type TypedDelivery[T proto.Message] struct {
	*Delivery

	// Payload is [Message.Data], decoded. It shares no memory with Data.
	Payload T
}

// TypedHandler is a [Handler] of payloads.
type TypedHandler[T proto.Message] func(ctx context.Context, d *TypedDelivery[T]) error

// TypedOption changes how a [TypedSubscription] decodes.
type TypedOption func(*typedConfig)

type typedConfig struct {
	undecodable func(ctx context.Context, d *Delivery, err error) error
}

// WithUndecodable calls handler with each delivery whose data is no payload of the type,
// and why; what it returns counts as what a [Handler] returns. Default: the delivery is
// rejected with [CodeUndecodable], so that it is in the subscription's dead letters, with
// its body, and can be redriven when the program knows better.
func WithUndecodable(handler func(ctx context.Context, d *Delivery, err error) error) TypedOption {
	return func(c *typedConfig) { c.undecodable = handler }
}

// TypedFrom returns the subscription for payloads of one Protobuf type, a pointer to a
// generated message:
//
//	billing := headrace.TypedFrom[*orderspb.Order](client.Subscription("billing"))
//	err := billing.Receive(ctx, func(ctx context.Context, d *headrace.TypedDelivery[*orderspb.Order]) error {
//		return charge(d.Payload)
//	})
func TypedFrom[T proto.Message](subscription *Subscription, opts ...TypedOption) *TypedSubscription[T] {
	s := &TypedSubscription[T]{subscription: subscription}
	s.config.undecodable = func(_ context.Context, _ *Delivery, err error) error { return Reject(CodeUndecodable, err) }
	for _, o := range opts {
		o(&s.config)
	}
	return s
}

// Subscription returns the subscription itself.
func (s *TypedSubscription[T]) Subscription() *Subscription { return s.subscription }

// Receive is [Subscription.Receive] with a handler of payloads. What cannot be decoded
// does not reach it: see [WithUndecodable].
func (s *TypedSubscription[T]) Receive(ctx context.Context, handler TypedHandler[T], opts ...ReceiveOption) error {
	return s.subscription.Receive(ctx, func(ctx context.Context, d *Delivery) error {
		typed, err := decode[T](d)
		if err != nil {
			return s.config.undecodable(ctx, d, err)
		}
		return handler(ctx, typed)
	}, opts...)
}

// Deliveries is [Subscription.Deliveries] with payloads. What cannot be decoded does not
// reach the loop, and is settled: see [WithUndecodable].
func (s *TypedSubscription[T]) Deliveries(ctx context.Context, opts ...ReceiveOption) iter.Seq2[*TypedDelivery[T], error] {
	return func(yield func(*TypedDelivery[T], error) bool) {
		for d, err := range s.subscription.Deliveries(ctx, opts...) {
			if err != nil {
				yield(nil, err)
				return
			}
			typed, err := decode[T](d)
			if err != nil {
				d.session.settle(d, verdictOf(s.config.undecodable(d.Context(), d, err)), nil)
				continue
			}
			if !yield(typed, nil) {
				return
			}
		}
	}
}

func decode[T proto.Message](d *Delivery) (*TypedDelivery[T], error) {
	var none T
	payload, _ := none.ProtoReflect().New().Interface().(T) // It is one: of none's own type.
	if err := proto.Unmarshal(d.Data, payload); err != nil {
		return nil, err
	}
	return &TypedDelivery[T]{Delivery: d, Payload: payload}, nil
}
