package storage

import (
	"strconv"
	"time"
)

// TopicID names a topic for ever: ids are never reused.
type TopicID uint32

// SubscriptionID names a subscription for ever: ids are never reused.
type SubscriptionID uint32

// Offset counts the messages of one partition, dense from 0.
type Offset uint64

// PartitionID names one partition of one topic.
type PartitionID struct {
	Topic     TopicID
	Partition uint16
}

// String gives "topic/partition", for messages to operators.
func (p PartitionID) String() string {
	return strconv.FormatUint(uint64(p.Topic), 10) + "/" + strconv.FormatUint(uint64(p.Partition), 10)
}

// OffsetRange is the half-open range [First, End) of offsets.
type OffsetRange struct {
	First, End Offset
}

// Len is the number of offsets in the range.
func (r OffsetRange) Len() uint64 { return uint64(r.End - r.First) }

// Clock gives the wall clock. It is injected everywhere; the wall clock never
// decides who owns a shard.
type Clock func() time.Time
