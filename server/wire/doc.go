// Package wire reads and writes the two hot frames of Headrace as bytes, and
// hands every other message to the standard Protobuf codec.
//
// Stored bytes are wire bytes: a message is kept exactly as the encoded field
// `messages` of a delivery batch, so a delivery is a copy of byte ranges and a
// publish is a walk over the bytes that came in. Generated clients in any
// language see ordinary Protobuf.
//
//	in    PublishStreamRequest ─► [PublishFrame] ─► [Walker] ─► [Message] ─► stored bytes
//	out   ranges of stored bytes ─► [BatchFrame] ─► mem.Buffer ─► SubscribeResponse
//
// Types: [Codec] is the gRPC codec of the server. [PublishFrame] and
// [PublishCall] are what a publisher sent, [Walker] checks the messages in
// them, [BatchFrame] is what a subscriber gets. [Inbound] wraps the frames
// that the standard codec reads, so that a malformed one is told apart from a
// broken connection. [Pool] lends the buffers.
//
// Guarantees: the walker is never laxer than the parsers of Go, Java and Python.
// What it accepts, they parse, and to the same message. Field numbers are 1 or
// more, known fields have their declared wire types, every string is UTF-8,
// unknown fields are of the wire types 0, 1, 2 and 5. Walking and encoding
// allocate nothing per message.
//
// Caveats: a frame's bytes live until Release. A field that this server's
// contract does not know is skipped in frames, as Protobuf does, and kept in
// messages.
package wire
