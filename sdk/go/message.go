package headrace

import (
	"strconv"
)

// Message is what a publisher sends.
//
// The encoded message may have at most the topic's max_message_bytes (1 MiB
// unless the topic says otherwise). A message is copied when it is published:
// its slices and maps may be reused as soon as the call has returned.
type Message struct {
	// Data is the payload, opaque to the server. May be empty.
	Data []byte
	// Attributes are free labels: at most 100; a key has 1 to 256 bytes, a value
	// at most 1,024 bytes of UTF-8. May be nil.
	Attributes map[string]string
	// OrderingKey sends all messages of one key to one partition, in publish
	// order. At most 1,024 bytes of UTF-8. Empty: no key.
	OrderingKey string
	// ContentType is the media type of Data, for instance "application/json";
	// opaque to the server. At most 256 bytes. May be empty.
	ContentType string
	// DedupeID makes the message one with any other that has the same id, and goes to
	// the same partition, within the topic's dedupe window: only the first is stored,
	// and the second's result is the first one's. With other Data it fails with
	// [ErrDedupeConflict]. At most 256 bytes of UTF-8. Empty: no id. It is not set in
	// a delivery.
	DedupeID string
}

// MessageID is the id that a message got when it was stored; it never changes.
// It is opaque: compare it, log it, and don't parse it.
type MessageID string

// Position is where a message stands in its topic's log.
type Position struct {
	// Partition is the partition, 0 to 255.
	Partition uint32
	// Offset is the offset within the partition, dense from 0.
	Offset uint64
}

// String returns the position as "partition-offset".
func (p Position) String() string {
	b := make([]byte, 0, 24)
	b = strconv.AppendUint(b, uint64(p.Partition), 10)
	b = append(b, '-')
	return string(strconv.AppendUint(b, p.Offset, 10))
}
