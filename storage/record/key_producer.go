package record

import (
	"encoding/binary"

	"github.com/headrace/headrace/storage"
)

// The forms of a producer's keys. Each form's keys lie together, so that recovery
// reads how far producers have come without what became of their batches. They are
// stored: never renumber.
const (
	producerForm      = 1
	producerTopicForm = 2
	producerPageForm  = 3

	producerIDBytes       = len(storage.ProducerID{})
	producerKeyBytes      = 1 + 1 + producerIDBytes
	producerTopicKeyBytes = producerKeyBytes + 4
	producerPageKeyBytes  = producerKeyBytes + 2
	dedupeKeyBytes        = 1 + 4 + 2 + 8
)

// AppendProducerPrefix appends the prefix of the keys of all producers.
func AppendProducerPrefix(dst []byte) []byte {
	return append(dst, byte(KindProducer), producerForm)
}

// AppendProducerTopicPrefix appends the prefix of the keys that say how far all
// producers have come.
func AppendProducerTopicPrefix(dst []byte) []byte {
	return append(dst, byte(KindProducer), producerTopicForm)
}

// AppendProducerKey appends the key of a producer.
func AppendProducerKey(dst []byte, id storage.ProducerID) []byte {
	return append(AppendProducerPrefix(dst), id[:]...)
}

// ParseProducerKey gives the producer of a producer's key.
func ParseProducerKey(key []byte) (id storage.ProducerID, err error) {
	if err := checkProducerKey(key, producerForm, producerKeyBytes); err != nil {
		return id, err
	}
	return storage.ProducerID(key[2:]), nil
}

// AppendProducerTopicKey appends the key of how far a producer has come in a topic.
func AppendProducerTopicKey(dst []byte, id storage.ProducerID, t storage.TopicID) []byte {
	dst = append(AppendProducerTopicPrefix(dst), id[:]...)
	return binary.BigEndian.AppendUint32(dst, uint32(t))
}

// ParseProducerTopicKey gives the producer and the topic of such a key.
func ParseProducerTopicKey(key []byte) (id storage.ProducerID, t storage.TopicID, err error) {
	if err := checkProducerKey(key, producerTopicForm, producerTopicKeyBytes); err != nil {
		return id, 0, err
	}
	return storage.ProducerID(key[2:]), storage.TopicID(binary.BigEndian.Uint32(key[producerKeyBytes:])), nil
}

// AppendProducerPageKey appends the key of a page of a producer's. Numbers a ring
// apart share a key.
func AppendProducerPageKey(dst []byte, id storage.ProducerID, number uint64) []byte {
	dst = append(append(dst, byte(KindProducer), producerPageForm), id[:]...)
	return binary.BigEndian.AppendUint16(dst, uint16(number%storage.ProducerPages))
}

// ParseProducerPageKey gives the producer and the slot in the ring.
func ParseProducerPageKey(key []byte) (id storage.ProducerID, slot uint16, err error) {
	if err := checkProducerKey(key, producerPageForm, producerPageKeyBytes); err != nil {
		return id, 0, err
	}
	return storage.ProducerID(key[2:]), binary.BigEndian.Uint16(key[producerKeyBytes:]), nil
}

// AppendDedupePrefix appends the prefix of the dedupe ids of a topic.
func AppendDedupePrefix(dst []byte, t storage.TopicID) []byte {
	return binary.BigEndian.AppendUint32(append(dst, byte(KindDedupe)), uint32(t))
}

// AppendDedupeKey appends the key of the dedupe ids of a batch in a partition.
func AppendDedupeKey(dst []byte, p storage.PartitionID, batch uint64) []byte {
	dst = appendPartition(append(dst, byte(KindDedupe)), p)
	return binary.BigEndian.AppendUint64(dst, batch)
}

// ParseDedupeKey gives the partition and the batch of such a key.
func ParseDedupeKey(key []byte) (p storage.PartitionID, batch uint64, err error) {
	if err := checkKey(key, KindDedupe, dedupeKeyBytes); err != nil {
		return p, 0, err
	}
	return parsePartition(key[1:]), binary.BigEndian.Uint64(key[7:]), nil
}

func checkProducerKey(key []byte, form byte, size int) error {
	if err := checkKey(key, KindProducer, size); err != nil {
		return err
	}
	if key[1] != form {
		return damaged(key, "not a producer's key of form %d", form)
	}
	return nil
}
