package record

import (
	"encoding/binary"
	"time"

	"github.com/headrace/headrace/storage"
)

// Run is one entry of a commit segment's directory: consecutive messages of one
// partition.
//
//	topic(4) partition(2) base(8) log_time(8) messages_end(4) bytes_end(4)
//
// The ends count from the segment's first message and byte; a run begins where the
// one before it ends.
type Run struct {
	Partition storage.PartitionID
	// Base is the offset of the first message.
	Base storage.Offset
	// LogTime is when the messages were taken in.
	LogTime time.Time
	// FirstMessage is the index of the first message in the segment; Messages is
	// their number.
	FirstMessage, Messages uint32
	// FirstByte is where the run begins in the bodies; Bytes is its size.
	FirstByte, Bytes uint32
}

const runBytes = 4 + 2 + 8 + 8 + 4 + 4

// Pointer is the pointer to the run when its segment is written under a batch and
// chunk; before is what its partition held, ever, before its base.
func (r *Run) Pointer(batch uint64, chunk uint16, before Totals) Pointer {
	return Pointer{
		Span:     uint64(r.Messages),
		Messages: uint64(r.Messages),
		Bytes:    uint64(r.Bytes),
		At:       Location{Batch: batch, Chunk: chunk, FirstByte: r.FirstByte, FirstMessage: r.FirstMessage},
		LogTime:  r.LogTime,
		Before:   before,
	}
}

// is says whether p, which begins at base, points to the run.
func (r *Run) is(partition storage.PartitionID, base storage.Offset, p *Pointer) bool {
	return !p.Hole && r.Partition == partition && r.Base == base &&
		r.FirstMessage == p.At.FirstMessage && uint64(r.Messages) == p.Span &&
		r.FirstByte == p.At.FirstByte && uint64(r.Bytes) == p.Bytes
}

func (r *Run) messagesEnd() uint32 { return r.FirstMessage + r.Messages }
func (r *Run) bytesEnd() uint32    { return r.FirstByte + r.Bytes }

func appendRun(dst []byte, r *Run) []byte {
	dst = appendPartition(dst, r.Partition)
	dst = binary.BigEndian.AppendUint64(dst, uint64(r.Base))
	dst = appendTime(dst, r.LogTime)
	dst = binary.BigEndian.AppendUint32(dst, r.messagesEnd())
	return binary.BigEndian.AppendUint32(dst, r.bytesEnd())
}
