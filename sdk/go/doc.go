// Package headrace is the Go client of Headrace, a message service that pushes:
// publishers send messages to topics, subscribers open one stream, and messages
// flow to them within the credit that they grant, once they are durable.
//
// # Types
//
// A [Client] holds one connection to a server. [Client.Topic] names a topic to
// publish to, [Client.Subscription] a subscription to receive from;
// [Client.Topics] and [Client.Subscriptions] manage them. A [Message] is what is
// published, a [Delivery] what is received. All of them are safe for use by
// several goroutines at once.
//
// # Guarantees
//
// A publish that succeeded is on disk. A client is a producer: it keeps what has no
// result, and after a broken stream, or a kill of the server, it asks what became of
// it and sends again only what is not stored. So every message is stored once, and
// those that a client publishes to a topic without a key are stored in order, in one
// partition. [WithProducer] gives the producer a lasting name, [WithoutProducer] does
// without.
//
// A publish that failed with [ErrUnknownOutcome] may or may not be stored: its context
// or the client ended before the result, or another program took the producer's place.
// Every other failure of a publish means that the message is not stored, but for
// [ErrOutcomeForgotten], which claims neither.
//
// A delivery is repeated until it is acked: at least once. Its lease begins when a
// handler or a loop gets it, and is extended as long as it is held; when it is lost all
// the same (revoked, its session over), the context of its handler is cancelled with
// a cause that says why, and a settle that comes later is dropped.
//
// # Errors
//
// Every error is an [*Error] with a stable [Reason], or wraps its context's error. What a
// call names under its errors is what comes of how it is used. Beside that every call that
// asks the server may fail with [ErrUnreachable], [ErrClosed] once the client is closed,
// [ErrStarting], [ErrDraining], [ErrStoreUnavailable] and [ErrInternal], with a gRPC status
// that has no reason of the server, such as PERMISSION_DENIED of what stands between, and
// with the error of its context.
//
// # Caveats
//
// [Delivery.Data] shares memory with the frame it came in, up to a few MiB: copy
// what is kept beyond the handler. Settles are sent in groups, within 10 ms;
// [Delivery.AckConfirm] waits until one is durable.
//
// The configuration messages of topics and subscriptions are those of the
// contract, package headracev1, and not copies: they are plain data, documented
// field by field there, and a copy would add a second name to every field and
// lose those that a newer server knows. No type of gRPC appears in this package.
package headrace
