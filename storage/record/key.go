package record

import (
	"encoding/binary"

	"github.com/headrace/headrace/storage"
)

// The layouts of keys, big-endian:
//
//	b slot(4)                                             the number mod BatchRing
//	s batch(8) chunk(2)
//	m topic(4) partition(2) base(8)
//	p topic(4) partition(2)
//	c subscription(4) partition(2)
//	a subscription(4) partition(2) generation(8) chunk(8) part(1)
//	x 1 producer(16)                                      the producer itself
//	x 2 producer(16) topic(4)                             how far it has come
//	x 3 producer(16) slot(2)                              a page, by its number mod storage.ProducerPages
//	i topic(4) partition(2) batch(8)
//	r subscription(4) partition(2) generation(8) offset(8)
//	q subscription(4) sequence(8) partition(2)
//	k subscription(4) partition(2) generation(8) hash(4)
//	l subscription(4) session(16) slot(4)
//	t topic(4)
//	u subscription(4)
//	z
const (
	batchKeyBytes        = 1 + 4
	segmentKeyBytes      = 1 + 8 + 2
	pointerKeyBytes      = 1 + 4 + 2 + 8
	partitionKeyBytes    = 1 + 4 + 2
	cursorKeyBytes       = 1 + 4 + 2
	ackKeyBytes          = 1 + 4 + 2 + 8 + 8 + 1
	historyKeyBytes      = 1 + 4 + 2 + 8 + 8
	deadLetterKeyBytes   = 1 + 4 + 8 + 2
	parkedKeyBytes       = 1 + 4 + 2 + 8 + 4
	sessionKeyBytes      = 1 + 4 + 16 + 4
	topicKeyBytes        = 1 + 4
	subscriptionKeyBytes = 1 + 4
	shardKeyBytes        = 1

	// MaxKeyBytes is the size of the largest key.
	MaxKeyBytes = sessionKeyBytes
)

// BatchRing is how many batch headers are kept: a ring overwritten in place,
// because keys that only grow would leave their tombstones in the engine.
const BatchRing = 1 << 18

// AppendBatchKey appends the key of the batch header of a number.
func AppendBatchKey(dst []byte, number uint64) []byte {
	return binary.BigEndian.AppendUint32(append(dst, byte(KindBatch)), uint32(number%BatchRing))
}

// ParseBatchKey gives the slot in the ring of batch headers.
func ParseBatchKey(key []byte) (slot uint32, err error) {
	if err := checkKey(key, KindBatch, batchKeyBytes); err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint32(key[1:]), nil
}

// AppendSegmentKey appends the key of a commit segment.
func AppendSegmentKey(dst []byte, batch uint64, chunk uint16) []byte {
	dst = binary.BigEndian.AppendUint64(append(dst, byte(KindSegment)), batch)
	return binary.BigEndian.AppendUint16(dst, chunk)
}

// ParseSegmentKey gives the batch and the chunk of a commit segment's key.
func ParseSegmentKey(key []byte) (batch uint64, chunk uint16, err error) {
	if err := checkKey(key, KindSegment, segmentKeyBytes); err != nil {
		return 0, 0, err
	}
	return binary.BigEndian.Uint64(key[1:]), binary.BigEndian.Uint16(key[9:]), nil
}

// AppendPointerPrefix appends the prefix of the keys of a partition's pointers.
func AppendPointerPrefix(dst []byte, p storage.PartitionID) []byte {
	return appendPartition(append(dst, byte(KindPointer)), p)
}

// AppendPointerKey appends the key of the pointer that begins at base.
func AppendPointerKey(dst []byte, p storage.PartitionID, base storage.Offset) []byte {
	return binary.BigEndian.AppendUint64(AppendPointerPrefix(dst, p), uint64(base))
}

// ParsePointerKey gives the partition and the base offset of a pointer's key.
func ParsePointerKey(key []byte) (p storage.PartitionID, base storage.Offset, err error) {
	if err := checkKey(key, KindPointer, pointerKeyBytes); err != nil {
		return p, 0, err
	}
	return parsePartition(key[1:]), storage.Offset(binary.BigEndian.Uint64(key[7:])), nil
}

// AppendPartitionPrefix appends the prefix of the keys of a topic's partitions.
func AppendPartitionPrefix(dst []byte, t storage.TopicID) []byte {
	return binary.BigEndian.AppendUint32(append(dst, byte(KindPartition)), uint32(t))
}

// AppendPartitionKey appends the key of a partition's own record.
func AppendPartitionKey(dst []byte, p storage.PartitionID) []byte {
	return appendPartition(append(dst, byte(KindPartition)), p)
}

// ParsePartitionKey gives the partition of a partition record's key.
func ParsePartitionKey(key []byte) (p storage.PartitionID, err error) {
	if err := checkKey(key, KindPartition, partitionKeyBytes); err != nil {
		return p, err
	}
	return parsePartition(key[1:]), nil
}

// AppendCursorPrefix appends the prefix of the keys of a subscription's cursors.
func AppendCursorPrefix(dst []byte, s storage.SubscriptionID) []byte {
	return binary.BigEndian.AppendUint32(append(dst, byte(KindCursor)), uint32(s))
}

// AppendCursorKey appends the key of a subscription's cursor in a partition.
func AppendCursorKey(dst []byte, s storage.SubscriptionID, partition uint16) []byte {
	return binary.BigEndian.AppendUint16(AppendCursorPrefix(dst, s), partition)
}

// ParseCursorKey gives the subscription and the partition of a cursor's key.
func ParseCursorKey(key []byte) (s storage.SubscriptionID, partition uint16, err error) {
	if err := checkKey(key, KindCursor, cursorKeyBytes); err != nil {
		return 0, 0, err
	}
	return storage.SubscriptionID(binary.BigEndian.Uint32(key[1:])), binary.BigEndian.Uint16(key[5:]), nil
}

// AckKey names one part of one ack chunk.
type AckKey struct {
	Subscription storage.SubscriptionID
	Partition    uint16
	// Generation is the cursor's: a seek writes a new one's chunks before it
	// becomes the cursor's, and the old one's go later.
	Generation uint64
	// Chunk is storage.ChunkOf of the offsets.
	Chunk uint64
	// Part counts from 0.
	Part uint8
}

// AppendAckSubscriptionPrefix appends the prefix of all ack chunks of a
// subscription.
func AppendAckSubscriptionPrefix(dst []byte, s storage.SubscriptionID) []byte {
	return binary.BigEndian.AppendUint32(append(dst, byte(KindAck)), uint32(s))
}

// AppendAckPrefix appends the prefix of the ack chunks of a subscription in a
// partition in a generation.
func AppendAckPrefix(dst []byte, s storage.SubscriptionID, partition uint16, generation uint64) []byte {
	dst = binary.BigEndian.AppendUint16(AppendAckSubscriptionPrefix(dst, s), partition)
	return binary.BigEndian.AppendUint64(dst, generation)
}

// AppendAckKey appends the key of one part of an ack chunk.
func AppendAckKey(dst []byte, k AckKey) []byte {
	dst = AppendAckPrefix(dst, k.Subscription, k.Partition, k.Generation)
	dst = binary.BigEndian.AppendUint64(dst, k.Chunk)
	return append(dst, k.Part)
}

// ParseAckKey gives the fields of an ack chunk's key.
func ParseAckKey(key []byte) (AckKey, error) {
	if err := checkKey(key, KindAck, ackKeyBytes); err != nil {
		return AckKey{}, err
	}
	return AckKey{
		Subscription: storage.SubscriptionID(binary.BigEndian.Uint32(key[1:])),
		Partition:    binary.BigEndian.Uint16(key[5:]),
		Generation:   binary.BigEndian.Uint64(key[7:]),
		Chunk:        binary.BigEndian.Uint64(key[15:]),
		Part:         key[23],
	}, nil
}

// AppendTopicKey appends the key of a topic.
func AppendTopicKey(dst []byte, t storage.TopicID) []byte {
	return binary.BigEndian.AppendUint32(append(dst, byte(KindTopic)), uint32(t))
}

// ParseTopicKey gives the topic of a topic's key.
func ParseTopicKey(key []byte) (storage.TopicID, error) {
	if err := checkKey(key, KindTopic, topicKeyBytes); err != nil {
		return 0, err
	}
	return storage.TopicID(binary.BigEndian.Uint32(key[1:])), nil
}

// AppendSubscriptionKey appends the key of a subscription.
func AppendSubscriptionKey(dst []byte, s storage.SubscriptionID) []byte {
	return binary.BigEndian.AppendUint32(append(dst, byte(KindSubscription)), uint32(s))
}

// ParseSubscriptionKey gives the subscription of a subscription's key.
func ParseSubscriptionKey(key []byte) (storage.SubscriptionID, error) {
	if err := checkKey(key, KindSubscription, subscriptionKeyBytes); err != nil {
		return 0, err
	}
	return storage.SubscriptionID(binary.BigEndian.Uint32(key[1:])), nil
}

// AppendShardKey appends the key of the shard's own record.
func AppendShardKey(dst []byte) []byte { return append(dst, byte(KindShard)) }

// checkKey says whether key is one of the kind, by its letter and its size.
func checkKey(key []byte, k Kind, size int) error {
	if len(key) != size || key[0] != byte(k) {
		return damaged(key, "not a key of kind %q", byte(k))
	}
	return nil
}

func appendPartition(dst []byte, p storage.PartitionID) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(p.Topic))
	return binary.BigEndian.AppendUint16(dst, p.Partition)
}

func parsePartition(b []byte) storage.PartitionID {
	return storage.PartitionID{
		Topic:     storage.TopicID(binary.BigEndian.Uint32(b)),
		Partition: binary.BigEndian.Uint16(b[4:]),
	}
}
