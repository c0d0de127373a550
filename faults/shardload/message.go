package shardload

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// messageID names a message before the store has seen it. Its body begins with it,
// big-endian.
type messageID struct {
	// publisher is never used again, number counts its appends from 1, index the
	// messages of one append from 0.
	publisher, number, index uint32
}

// idBytes is the size of an id, and with it that of the smallest body.
const idBytes = 12

// String gives "publisher/number/index".
func (id messageID) String() string {
	return fmt.Sprintf("%d/%d/%d", id.publisher, id.number, id.index)
}

// MarshalBinary gives the id as bodies have it; an inspector sends it that way.
func (id messageID) MarshalBinary() ([]byte, error) {
	return appendBody(make([]byte, 0, idBytes), id, idBytes), nil
}

// UnmarshalBinary is its reverse.
func (id *messageID) UnmarshalBinary(data []byte) error {
	read, whole := parseBody(data)
	if !whole {
		return fmt.Errorf("no message id: %x", data)
	}
	*id = read
	return nil
}

// appendBody appends a body of at least idBytes, all of which follows from the id.
func appendBody(dst []byte, id messageID, size int) []byte {
	end := len(dst) + size
	dst = binary.BigEndian.AppendUint32(dst, id.publisher)
	dst = binary.BigEndian.AppendUint32(dst, id.number)
	dst = binary.BigEndian.AppendUint32(dst, id.index)
	noise := rand.NewPCG(uint64(id.publisher)<<32|uint64(id.number), uint64(id.index))
	for len(dst) < end {
		dst = binary.BigEndian.AppendUint64(dst, noise.Uint64())
	}
	return dst[:end]
}

// parseBody gives the id of a body, and whether every byte is as it was published.
func parseBody(body []byte) (id messageID, whole bool) {
	if len(body) < idBytes {
		return id, false
	}
	id.publisher = binary.BigEndian.Uint32(body)
	id.number = binary.BigEndian.Uint32(body[4:])
	id.index = binary.BigEndian.Uint32(body[8:])
	return id, bytes.Equal(body, appendBody(nil, id, len(body)))
}
