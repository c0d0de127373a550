// Package wire encodes and decodes the two hot frames by hand: a PublishBatch
// on its way out and a Batch on its way in. Everything else goes through the
// generated types; [Codec] tells them apart.
//
// A message is encoded straight into the body of its frame, as the bytes of the
// frame's field 15:
//
//	0x7a  length  message          one of them a message, in order
//
// and a frame is the header of [AppendPublishHeader] and such a body:
//
//	PublishStreamRequest.publish_batch    0x12 length
//	PublishBatch.topic                    0x0a length name
//	PublishBatch.first_sequence           0x10 varint
//	PublishBatch.one_way                  0x18 0x01 or nothing
//	PublishBatch.messages                 the body
//
// Decoding copies each frame once, out of gRPC's buffers; the messages are views
// of that copy. It accepts whatever a Protobuf parser accepts: fields in any
// order, unknown fields, and in the unusual case of a repeated frame field it
// lets the generated types do the merging.
package wire
