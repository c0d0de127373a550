package record

import (
	"encoding/binary"
	"time"

	"github.com/headrace/headrace/storage"
)

// Partition is a partition's own record:
//
//	version(1) generation(8)
//	  first: offset(8) log_time(8) totals(16)
//	  head:  offset(8) log_time(8) totals(16) batch(8)
//	  holes: number(4) totals(16)                      from version 2 on
//	crc(4)
type Partition struct {
	// Generation counts the lives of the partition under its id.
	Generation uint64
	// First is the first retained offset: everything before it is trimmed. Without
	// any pointer it is the head as well.
	First Mark
	// Head is a checkpoint of the head: the partition has surely reached it.
	Head Mark
	// HeadBatch is the batch that wrote the checkpoint.
	HeadBatch uint64
	// Holes are those that are retained.
	Holes Holes
}

// Holes count the holes of a partition.
type Holes struct {
	Number uint32
	// Totals is what their offsets held.
	Totals
}

// Add counts one more.
func (h *Holes) Add(p *Pointer) {
	h.Number++
	h.Totals = h.Plus(p.Messages, p.Bytes)
}

// Mark is an offset with what the partition held, ever, before it.
type Mark struct {
	Offset storage.Offset
	// LogTime is the log time at First: of its message, and at a head: of the last
	// message before it. The zero time when there is none.
	LogTime time.Time
	Before  Totals
}

const (
	partitionVersion   = 2
	markBytes          = 8 + 8 + 16
	partitionBodyBytes = partitionBodyBytes1 + 4 + 16

	// partitionVersion1 knew no holes.
	partitionVersion1   = 1
	partitionBodyBytes1 = 8 + markBytes + markBytes + 8
)

// AppendPartition appends the value of a partition's record.
func AppendPartition(dst, key []byte, p *Partition) []byte {
	start := len(dst)
	dst = append(dst, partitionVersion)
	dst = binary.BigEndian.AppendUint64(dst, p.Generation)
	dst = appendMark(dst, &p.First)
	dst = appendMark(dst, &p.Head)
	dst = binary.BigEndian.AppendUint64(dst, p.HeadBatch)
	dst = binary.BigEndian.AppendUint32(dst, p.Holes.Number)
	dst = appendTotals(dst, p.Holes.Totals)
	return seal(dst, start, key)
}

// DecodePartition decodes and checks a partition's record.
func DecodePartition(key, value []byte) (Partition, error) {
	if _, err := ParsePartitionKey(key); err != nil {
		return Partition{}, err
	}
	version, size := byte(partitionVersion), partitionBodyBytes
	if len(value) > 0 && value[0] == partitionVersion1 {
		version, size = partitionVersion1, partitionBodyBytes1
	}
	body, err := unsealFixed(key, value, version, size)
	if err != nil {
		return Partition{}, err
	}
	r := reader(body)
	p := Partition{Generation: r.uint64(), First: r.mark(), Head: r.mark(), HeadBatch: r.uint64()}
	if len(r) > 0 {
		p.Holes = Holes{Number: r.uint32(), Totals: r.totals()}
	}
	return p, nil
}

func appendMark(dst []byte, m *Mark) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(m.Offset))
	return appendTotals(appendTime(dst, m.LogTime), m.Before)
}

func (r *reader) mark() Mark {
	return Mark{Offset: storage.Offset(r.uint64()), LogTime: r.time(), Before: r.totals()}
}
