package wire

import (
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// maxPublishTimeBytes bounds the encoded field: tag, length, two tags, a 64-bit
// and a 30-bit varint.
const maxPublishTimeBytes = 2 + 1 + 10 + 1 + 5

// PublishTime is the field publish_time, encoded once for all messages of a
// frame. Both sub-fields are explicit, zero or not: Protobuf merges embedded
// messages, and nothing of another one may shine through.
//
//	22 len   08 seconds   10 nanos
type PublishTime struct {
	buf  [maxPublishTimeBytes]byte
	size int
}

// NewPublishTime encodes t.
func NewPublishTime(t time.Time) PublishTime {
	var p PublishTime
	content := protowire.SizeTag(1) + protowire.SizeVarint(uint64(t.Unix())) +
		protowire.SizeTag(2) + protowire.SizeVarint(uint64(t.Nanosecond()))
	b := protowire.AppendTag(p.buf[:0], fieldPublishTime, protowire.BytesType)
	b = protowire.AppendVarint(b, uint64(content))
	b = protowire.AppendTag(b, 1, protowire.VarintType)
	b = protowire.AppendVarint(b, uint64(t.Unix()))
	b = protowire.AppendTag(b, 2, protowire.VarintType)
	b = protowire.AppendVarint(b, uint64(t.Nanosecond()))
	p.size = len(b)
	return p
}

func (p *PublishTime) field() []byte { return p.buf[:p.size] }
