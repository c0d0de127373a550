// Package server is the skin of Headrace: it speaks the contract headrace.v1 over
// gRPC to clients, and HTTP to operators, and turns everything into calls of the
// broker.
//
// [Server] is made by [New] from a [Config], a broker and what it needs to know of
// the store. Run serves until it is told to stop, and then drains:
//
//	ctx ends ─► health NOT_SERVING ─► GoAway to every stream ─► settles, until DrainTimeout
//	        ─► streams end OK ─► bounded stop of calls ─► broker closed ─► Run returns
//
// A stream is two loops and the handler that waits for them:
//
//	        receive loop ─► Session or Publisher ─► send loop
//	client ─┘                   (the broker)              └─► client
//	              handler: returns the first end, which ends both
//
// Receiving never waits for sending. Only the receive loop reads the stream, only
// the send loop writes it.
//
// # Guarantees
//
//   - Nothing is silently ignored: what the contract has and this server does not
//     serve is refused with NOT_SERVED; so are numbers that no enum has, with
//     INVALID_FIELD. A field that the contract does not have is skipped in frames, as
//     Protobuf does, and kept in messages.
//   - Every error is translated in one place (reason.go). A client never reads an
//     internal error's text; what an operator must know is logged whole.
//   - A fault inside one message fails that message, a fault of a frame ends its
//     stream, a panic ends its call. The server goes on.
//   - No answer of a unary call is larger than what a stock client accepts.
//   - Messages are copied as bytes, in and out (package wire).
//
// # Caveats
//
// There is no authentication yet, so a server refuses to listen beyond the loopback
// interface unless it is told that this is wanted. A frame or request above the receive
// limit is answered by gRPC itself, with RESOURCE_EXHAUSTED and no reason of ours.
package server
