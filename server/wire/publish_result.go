package wire

import (
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
)

// The field numbers of headrace.v1.PublishStreamResponse.PublishResult and of what is
// in it.
const (
	responsePublishResult = 2

	resultTopic           = 1
	resultThroughSequence = 2
	resultRuns            = 3
	resultFailures        = 4
	resultDurability      = 5

	publishedFirstSequence = 1
	publishedPartition     = 2
	publishedFirstOffset   = 3
	publishedCount         = 4
	publishedDuplicate     = 5
)

// ResultFrame is one PublishStreamResponse that tells the outcome of batches. With a
// message to each of many topics there is one a message, so that it writes itself.
type ResultFrame struct {
	Topic      string
	Through    uint64
	Runs       []*headracev1.PublishedRun
	Failures   []*headracev1.PublishFailure
	Durability headracev1.Durability
}

var _ marshaler = (*ResultFrame)(nil)

func (f *ResultFrame) marshal(pool mem.BufferPool) (mem.BufferSlice, error) {
	result := f.resultSize()
	buf := pool.Get(protowire.SizeTag(responsePublishResult) + protowire.SizeBytes(result))
	if _, err := f.append((*buf)[:0], result); err != nil {
		pool.Put(buf)
		return nil, err
	}
	return mem.BufferSlice{mem.NewBuffer(buf, pool)}, nil
}

func (f *ResultFrame) resultSize() int {
	n := sizeUint(resultThroughSequence, f.Through) + sizeUint(resultDurability, uint64(f.Durability))
	if f.Topic != "" {
		n += protowire.SizeTag(resultTopic) + protowire.SizeBytes(len(f.Topic))
	}
	for _, r := range f.Runs {
		n += protowire.SizeTag(resultRuns) + protowire.SizeBytes(publishedSize(r))
	}
	for _, x := range f.Failures {
		n += protowire.SizeTag(resultFailures) + protowire.SizeBytes(proto.Size(x))
	}
	return n
}

// append writes the frame behind dst; result is its resultSize.
func (f *ResultFrame) append(dst []byte, result int) ([]byte, error) {
	dst = protowire.AppendTag(dst, responsePublishResult, protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(result))
	if f.Topic != "" {
		dst = protowire.AppendString(protowire.AppendTag(dst, resultTopic, protowire.BytesType), f.Topic)
	}
	dst = appendUint(dst, resultThroughSequence, f.Through)
	for _, r := range f.Runs {
		dst = appendPublished(dst, r)
	}
	for _, x := range f.Failures {
		dst = protowire.AppendTag(dst, resultFailures, protowire.BytesType)
		dst = protowire.AppendVarint(dst, uint64(proto.Size(x)))
		var err error
		if dst, err = (proto.MarshalOptions{UseCachedSize: true}).MarshalAppend(dst, x); err != nil {
			return nil, err
		}
	}
	return appendUint(dst, resultDurability, uint64(f.Durability)), nil
}

func publishedSize(r *headracev1.PublishedRun) int {
	return sizeUint(publishedFirstSequence, r.GetFirstSequence()) + sizeUint(publishedPartition, uint64(r.GetPartition())) +
		sizeUint(publishedFirstOffset, r.GetFirstOffset()) + sizeUint(publishedCount, uint64(r.GetCount())) +
		sizeUint(publishedDuplicate, protowire.EncodeBool(r.GetDuplicate()))
}

func appendPublished(dst []byte, r *headracev1.PublishedRun) []byte {
	dst = protowire.AppendTag(dst, resultRuns, protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(publishedSize(r)))
	dst = appendUint(dst, publishedFirstSequence, r.GetFirstSequence())
	dst = appendUint(dst, publishedPartition, uint64(r.GetPartition()))
	dst = appendUint(dst, publishedFirstOffset, r.GetFirstOffset())
	dst = appendUint(dst, publishedCount, uint64(r.GetCount()))
	return appendUint(dst, publishedDuplicate, protowire.EncodeBool(r.GetDuplicate()))
}
