package crashtest

import (
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
)

// A body names its message and proves that it is whole:
//
//	publisher u32 | number u32 | filler, 0 to maxFillerBytes | CRC32C u32
const (
	bodyHeadBytes  = 8
	bodyCRCBytes   = 4
	maxFillerBytes = 2 << 10
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encodeBody makes a message's body, with filler of a length of its own.
func encodeBody(id MessageID) []byte {
	r := rand.New(rand.NewPCG(uint64(id.Publisher), uint64(id.Number)))
	filler := r.IntN(maxFillerBytes + 1)
	body := make([]byte, bodyHeadBytes+filler, bodyHeadBytes+filler+bodyCRCBytes)
	binary.BigEndian.PutUint32(body, id.Publisher)
	binary.BigEndian.PutUint32(body[4:], id.Number)
	for i := range filler {
		body[bodyHeadBytes+i] = byte(r.Uint32())
	}
	return binary.BigEndian.AppendUint32(body, crc32.Checksum(body, castagnoli))
}

// decodeBody reads which message a body is of; whole is false when the body is
// not one that encodeBody made.
func decodeBody(body []byte) (id MessageID, whole bool) {
	end := len(body) - bodyCRCBytes
	if end < bodyHeadBytes || crc32.Checksum(body[:end], castagnoli) != binary.BigEndian.Uint32(body[end:]) {
		return MessageID{}, false
	}
	return MessageID{binary.BigEndian.Uint32(body), binary.BigEndian.Uint32(body[4:])}, true
}
