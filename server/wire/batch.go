package wire

import (
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
)

// The field numbers of headrace.v1.SubscribeResponse.Batch and of what is in it.
const (
	responseBatch = 2

	batchOutFirstSequence = 1
	batchOutRuns          = 2
	batchOutChargedBytes  = 3
	batchOutAttempts      = 4
)

// BatchFrame is one SubscribeResponse that carries deliveries, encoded by copying
// byte ranges of segments:
//
//	12 len                                 the response's member batch
//	   08 first_sequence
//	   12 len {partition first count} …    runs
//	   18 charged_bytes
//	   22 len {sequence count attempt} …   attempts
//	   7a len message …                    copied as they are stored
//
// The pieces must not change until SendMsg returned: their bytes are copied by then.
type BatchFrame struct {
	// FirstSequence is the sequence of the first message, at least 1.
	FirstSequence uint64
	// ChargedBytes is the session's charge up to and with this frame.
	ChargedBytes uint64
	// Runs say where the messages stand, in their order.
	Runs []Run
	// Attempts name the deliveries whose attempt is above 1.
	Attempts []AttemptRun
	// Pieces are the messages' wire bytes, in their order, each piece one or more
	// whole messages.
	Pieces [][]byte
}

// Run is a range of consecutive offsets of one partition.
type Run struct {
	Partition   uint32
	FirstOffset uint64
	Count       uint32
}

// AttemptRun gives one attempt to consecutive deliveries.
type AttemptRun struct {
	FirstSequence  uint64
	Count, Attempt uint32
}

// Reset empties the frame and keeps its memory.
func (f *BatchFrame) Reset() {
	clear(f.Pieces)
	*f = BatchFrame{Runs: f.Runs[:0], Attempts: f.Attempts[:0], Pieces: f.Pieces[:0]}
}

// Size is the size of the encoded frame, in bytes.
func (f *BatchFrame) Size() int {
	return protowire.SizeTag(responseBatch) + protowire.SizeBytes(f.batchSize())
}

func (f *BatchFrame) batchSize() int {
	n := sizeUint(batchOutFirstSequence, f.FirstSequence) +
		sizeUint(batchOutChargedBytes, f.ChargedBytes)
	for i := range f.Runs {
		n += protowire.SizeTag(batchOutRuns) + protowire.SizeBytes(f.Runs[i].size())
	}
	for i := range f.Attempts {
		n += protowire.SizeTag(batchOutAttempts) + protowire.SizeBytes(f.Attempts[i].size())
	}
	for _, p := range f.Pieces {
		n += len(p)
	}
	return n
}

var _ marshaler = (*BatchFrame)(nil)

func (f *BatchFrame) marshal(pool mem.BufferPool) (mem.BufferSlice, error) {
	batch := f.batchSize()
	buf := pool.Get(protowire.SizeTag(responseBatch) + protowire.SizeBytes(batch))
	f.append((*buf)[:0], batch)
	return mem.BufferSlice{mem.NewBuffer(buf, pool)}, nil
}

// append writes the frame behind dst; batch is its batchSize.
func (f *BatchFrame) append(dst []byte, batch int) []byte {
	dst = protowire.AppendTag(dst, responseBatch, protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(batch))
	dst = appendUint(dst, batchOutFirstSequence, f.FirstSequence)
	for i := range f.Runs {
		dst = f.Runs[i].append(dst)
	}
	dst = appendUint(dst, batchOutChargedBytes, f.ChargedBytes)
	for i := range f.Attempts {
		dst = f.Attempts[i].append(dst)
	}
	for _, p := range f.Pieces {
		dst = append(dst, p...)
	}
	return dst
}

func (r *Run) size() int {
	return sizeUint(1, uint64(r.Partition)) + sizeUint(2, r.FirstOffset) + sizeUint(3, uint64(r.Count))
}

func (r *Run) append(dst []byte) []byte {
	dst = protowire.AppendTag(dst, batchOutRuns, protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(r.size()))
	dst = appendUint(dst, 1, uint64(r.Partition))
	dst = appendUint(dst, 2, r.FirstOffset)
	return appendUint(dst, 3, uint64(r.Count))
}

func (a *AttemptRun) size() int {
	return sizeUint(1, a.FirstSequence) + sizeUint(2, uint64(a.Count)) + sizeUint(3, uint64(a.Attempt))
}

func (a *AttemptRun) append(dst []byte) []byte {
	dst = protowire.AppendTag(dst, batchOutAttempts, protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(a.size()))
	dst = appendUint(dst, 1, a.FirstSequence)
	dst = appendUint(dst, 2, uint64(a.Count))
	return appendUint(dst, 3, uint64(a.Attempt))
}

// sizeUint is the size of an unsigned scalar field: nothing when it is zero.
func sizeUint(n protowire.Number, v uint64) int {
	if v == 0 {
		return 0
	}
	return protowire.SizeTag(n) + protowire.SizeVarint(v)
}

func appendUint(dst []byte, n protowire.Number, v uint64) []byte {
	if v == 0 {
		return dst
	}
	return protowire.AppendVarint(protowire.AppendTag(dst, n, protowire.VarintType), v)
}
