package record

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
	"time"

	"github.com/headrace/headrace/storage"
)

// The layout of a commit segment: the messages' bodies as they came, then a
// trailer that says where each one is.
//
//	bodies(n)                               wire bytes of the field `messages`
//	run(30)*                                the directory, see Run
//	message_end(4)*                         where a message ends in its run
//	key_hash(4)* key_present(bits)          only with flagKeys
//	block_crc(4)*                           CRC32C of each 16 KiB of the bodies
//	bodies(4) messages(4) runs(4) flags(1) version(1) crc(4)
//
// The last checksum covers the key and all of the trailer before it. So a reader
// checks the trailer once and then just the blocks of the run that it reads.
const (
	// SegmentBytes bounds the bodies of a commit segment; one larger message lies
	// alone.
	SegmentBytes = 128 << 10
	// MaxSegmentMessages bounds the trailer of a segment of tiny messages.
	MaxSegmentMessages = 8192
	// BlockBytes is how much of the bodies one checksum covers.
	BlockBytes = 16 << 10

	segmentVersion  = 1
	flagKeys        = 1 << 0
	segmentEndBytes = 4 + 4 + 4 + 1 + 1 + crcBytes

	// maxKeptBytes is how large a buffer a builder keeps when it is reset: one
	// giant message must not hold its memory for ever.
	maxKeptBytes = 4 * SegmentBytes
)

// SegmentBuilder makes one commit segment in place: bodies are copied once, into
// what becomes the value. It is reused by Reset and then allocates nothing. The
// zero value is ready.
//
// One goroutine uses a builder at a time. What it hands out is its own memory and
// valid until Reset.
type SegmentBuilder struct {
	value  []byte
	runs   []Run
	ends   []uint32
	hashes []storage.KeyHash
	keyed  bool
	bodies int
}

// Reset empties the builder.
func (b *SegmentBuilder) Reset() {
	b.value, b.runs, b.ends, b.hashes = b.value[:0], b.runs[:0], b.ends[:0], b.hashes[:0]
	b.keyed, b.bodies = false, 0
	if cap(b.value) > maxKeptBytes {
		b.value = nil
	}
}

// Add copies messages of a, from the index from on, as many as fit, and says how
// many: at least one into an empty builder. a.Base must be set; logTime is when a
// was taken in. Messages that continue the last run extend it.
func (b *SegmentBuilder) Add(a *storage.Append, from int, logTime time.Time) (taken int) {
	start := startOf(a.Ends, from)
	taken = b.fitting(a.Ends[from:], start)
	if taken == 0 {
		return 0
	}
	bodies := a.Messages[start:a.Ends[from+taken-1]]
	run := b.run(a.Partition, a.Base+storage.Offset(from), logTime)
	for _, end := range a.Ends[from : from+taken] {
		b.ends = append(b.ends, run.Bytes+end-start)
	}
	b.addHashes(a.KeyHashes, from, taken)
	b.value = append(b.value, bodies...)
	b.bodies = len(b.value)
	run.Messages += uint32(taken)
	run.Bytes += uint32(len(bodies))
	return taken
}

// Bytes is the size of the bodies so far.
func (b *SegmentBuilder) Bytes() int { return b.bodies }

// Messages is the number of messages so far.
func (b *SegmentBuilder) Messages() int { return len(b.ends) }

// Runs is the directory so far.
func (b *SegmentBuilder) Runs() []Run { return b.runs }

// Finish appends the trailer and gives the value for key. Nothing is added after
// it.
func (b *SegmentBuilder) Finish(key []byte) []byte {
	for i := range b.runs {
		b.value = appendRun(b.value, &b.runs[i])
	}
	for _, end := range b.ends {
		b.value = binary.BigEndian.AppendUint32(b.value, end)
	}
	if b.keyed {
		b.appendHashes()
	}
	for block := range blocksOf(b.bodies) {
		b.value = binary.BigEndian.AppendUint32(b.value, blockChecksum(b.value[:b.bodies], block))
	}
	b.appendEnd()
	b.value = seal(b.value, b.bodies, key)
	return b.value
}

// View makes s a view of the run i: it shares the builder's memory. Only after
// Finish.
func (b *SegmentBuilder) View(i int, s *storage.Segment) {
	r := &b.runs[i]
	s.Partition, s.Base, s.LogTime = r.Partition, r.Base, r.LogTime
	s.Bytes = b.value[r.FirstByte:r.bytesEnd():r.bytesEnd()]
	s.Ends = b.ends[r.FirstMessage:r.messagesEnd():r.messagesEnd()]
	s.KeyHashes = nil
	if b.keyed {
		s.KeyHashes = keyedOrNil(b.hashes[r.FirstMessage:r.messagesEnd():r.messagesEnd()])
	}
}

// fitting counts the messages at the front of ends, which begin at start, that the
// segment has room for.
func (b *SegmentBuilder) fitting(ends []uint32, start uint32) int {
	limit := min(len(ends), MaxSegmentMessages-len(b.ends))
	room := SegmentBytes - b.bodies
	if limit <= 0 || room <= 0 {
		return 0
	}
	n, _ := slices.BinarySearch(ends[:limit], start+uint32(room)+1)
	if n == 0 && len(b.ends) == 0 {
		return 1
	}
	return n
}

// run is the last run when messages of p from base on continue it, else a new one.
func (b *SegmentBuilder) run(p storage.PartitionID, base storage.Offset, logTime time.Time) *Run {
	if n := len(b.runs); n > 0 {
		last := &b.runs[n-1]
		if last.Partition == p && last.Base+storage.Offset(last.Messages) == base && last.LogTime.Equal(logTime) {
			return last
		}
	}
	b.runs = append(b.runs, Run{
		Partition: p, Base: base, LogTime: logTime,
		FirstMessage: uint32(len(b.ends)), FirstByte: uint32(len(b.value)),
	})
	return &b.runs[len(b.runs)-1]
}

// addHashes keeps the key hashes as long as the ends, once there is any.
func (b *SegmentBuilder) addHashes(hashes []storage.KeyHash, from, taken int) {
	switch {
	case hashes != nil:
		b.keyed = true
		b.hashes = appendZeros(b.hashes, len(b.ends)-taken-len(b.hashes))
		b.hashes = append(b.hashes, hashes[from:from+taken]...)
	case b.keyed:
		b.hashes = appendZeros(b.hashes, taken)
	}
}

func (b *SegmentBuilder) appendHashes() {
	for _, h := range b.hashes {
		b.value = binary.BigEndian.AppendUint32(b.value, h.Hash)
	}
	for i := 0; i < len(b.hashes); i += 8 {
		b.value = append(b.value, presence(b.hashes[i:min(i+8, len(b.hashes))]))
	}
}

func (b *SegmentBuilder) appendEnd() {
	var flags byte
	if b.keyed {
		flags |= flagKeys
	}
	b.value = binary.BigEndian.AppendUint32(b.value, uint32(b.bodies))
	b.value = binary.BigEndian.AppendUint32(b.value, uint32(len(b.ends)))
	b.value = binary.BigEndian.AppendUint32(b.value, uint32(len(b.runs)))
	b.value = append(b.value, flags, segmentVersion)
}

// presence gives the presence bits of at most eight messages.
func presence(hashes []storage.KeyHash) (bits byte) {
	for i, h := range hashes {
		if h.Present {
			bits |= 1 << i
		}
	}
	return bits
}

func appendZeros(dst []storage.KeyHash, n int) []storage.KeyHash {
	dst = slices.Grow(dst, n)[:len(dst)+n]
	clear(dst[len(dst)-n:])
	return dst
}

// keyedOrNil gives hashes, or nil when none of the messages has a key.
func keyedOrNil(hashes []storage.KeyHash) []storage.KeyHash {
	for _, h := range hashes {
		if h.Present {
			return hashes
		}
	}
	return nil
}

// startOf is where the message i begins when ends says where each one ends.
func startOf(ends []uint32, i int) uint32 {
	if i == 0 {
		return 0
	}
	return ends[i-1]
}

func blocksOf(bodies int) int { return (bodies + BlockBytes - 1) / BlockBytes }

func blockChecksum(bodies []byte, block int) uint32 {
	return crc32.Checksum(bodies[block*BlockBytes:min((block+1)*BlockBytes, len(bodies))], castagnoli)
}
