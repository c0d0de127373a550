package crash

import (
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"

	"github.com/headrace/headrace/faults/history"
)

// A body names its message and proves that it is whole:
//
//	topic u32 | publisher u64 | number u64 | filler | CRC32C u32
const (
	bodyHeadBytes = 4 + 8 + 8
	bodyCRCBytes  = 4
	// Most fillers have up to fillerBytes; one in largeEvery has up to largeBytes, which
	// is more than most windows.
	fillerBytes = 8 << 10
	largeBytes  = 200 << 10
	largeEvery  = 150
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encodeBody makes a message's body, with filler of a length of its own.
func encodeBody(topic uint64, id history.MessageID) []byte {
	r := rand.NewPCG(id.Publisher, id.Number)
	random := rand.New(r)
	filler := random.IntN(fillerBytes)
	if random.IntN(largeEvery) == 0 {
		filler = random.IntN(largeBytes)
	}
	return encodeFilled(topic, id, filler, r)
}

// encodeFilled makes a body with so much filler.
func encodeFilled(topic uint64, id history.MessageID, filler int, r *rand.PCG) []byte {
	body := make([]byte, bodyHeadBytes, bodyHeadBytes+filler+bodyCRCBytes+8)
	binary.BigEndian.PutUint32(body, uint32(topic))
	binary.BigEndian.PutUint64(body[4:], id.Publisher)
	binary.BigEndian.PutUint64(body[12:], id.Number)
	for len(body) < bodyHeadBytes+filler {
		body = binary.BigEndian.AppendUint64(body, r.Uint64())
	}
	return binary.BigEndian.AppendUint32(body, crc32.Checksum(body, castagnoli))
}

// decodeBody reads which message of which topic a body is of; whole is false when the
// body is not one that encodeBody made.
func decodeBody(body []byte) (topic uint64, id history.MessageID, whole bool) {
	end := len(body) - bodyCRCBytes
	if end < bodyHeadBytes || crc32.Checksum(body[:end], castagnoli) != binary.BigEndian.Uint32(body[end:]) {
		return 0, history.MessageID{}, false
	}
	return uint64(binary.BigEndian.Uint32(body)), history.MessageID{
		Publisher: binary.BigEndian.Uint64(body[4:]), Number: binary.BigEndian.Uint64(body[12:]),
	}, true
}
