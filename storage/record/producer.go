package record

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/headrace/headrace/storage"
)

// Producer is a producer's own record:
//
//	version(1) epoch(8) opened(8) crc(4)
type Producer struct {
	// Epoch counts the openings of the producer.
	Epoch uint64
	// OpenedAt is when the last one was.
	OpenedAt time.Time
}

// ProducerTopic is how far a producer has come in a topic:
//
//	version(1) highest(8) batches(8) time(8) crc(4)
type ProducerTopic struct {
	// Highest is the sequence of the last message that is done with, at least 1.
	Highest uint64
	// Batches counts the batches, at least 1; the newest storage.ProducerBatches of
	// them are kept, each under its number, which counts from 1.
	Batches uint64
	// At is when the last of them was taken in.
	At time.Time
}

// ProducerBatch is what became of one batch of a producer:
//
//	version(1) number(8) epoch(8) first(8) count(4) hash(8) part* crc(4)
//
//	part  kind count                        as minimal varints, and behind them
//	      kind 0 refused      reason field limit
//	           1 duplicate    partition offset
//	           2 stored       partition offset
//	           3+p stored     nothing: it goes on in partition p where the part
//	                          before it ended there
//
// So a batch over several partitions takes two bytes for each change of partition.
type ProducerBatch struct {
	// Number counts the producer's batches to the topic from 1.
	Number uint64
	// Epoch is that of the opening that stored it.
	Epoch uint64
	storage.ProducerOutcome
}

const (
	producerVersion      = 1
	producerBodyBytes    = 8 + 8
	producerTopicVersion = 1
	producerTopicBytes   = 8 + 8 + 8
	producerBatchVersion = 1
	producerBatchHead    = 8 + 8 + 8 + 4 + 8
	partContinues        = 3

	// MaxProducerBatchBytes bounds the value of a batch's record without its parts.
	MaxProducerBatchBytes = versionBytes + producerBatchHead + crcBytes
	// MaxBatchPartBytes bounds what each part adds.
	MaxBatchPartBytes = 2 + 5 + 3 + 2 + 10
)

// AppendProducer appends the value of a producer.
func AppendProducer(dst, key []byte, p *Producer) []byte {
	start := len(dst)
	dst = binary.BigEndian.AppendUint64(append(dst, producerVersion), p.Epoch)
	return seal(appendTime(dst, p.OpenedAt), start, key)
}

// DecodeProducer decodes and checks a producer.
func DecodeProducer(key, value []byte) (Producer, error) {
	if _, err := ParseProducerKey(key); err != nil {
		return Producer{}, err
	}
	body, err := unsealFixed(key, value, producerVersion, producerBodyBytes)
	if err != nil {
		return Producer{}, err
	}
	r := reader(body)
	return Producer{Epoch: r.uint64(), OpenedAt: r.time()}, nil
}

// AppendProducerTopic appends the value of how far a producer has come.
func AppendProducerTopic(dst, key []byte, p *ProducerTopic) []byte {
	start := len(dst)
	dst = binary.BigEndian.AppendUint64(append(dst, producerTopicVersion), p.Highest)
	dst = binary.BigEndian.AppendUint64(dst, p.Batches)
	return seal(appendTime(dst, p.At), start, key)
}

// DecodeProducerTopic decodes and checks how far a producer has come.
func DecodeProducerTopic(key, value []byte) (ProducerTopic, error) {
	if _, _, err := ParseProducerTopicKey(key); err != nil {
		return ProducerTopic{}, err
	}
	body, err := unsealFixed(key, value, producerTopicVersion, producerTopicBytes)
	if err != nil {
		return ProducerTopic{}, err
	}
	r := reader(body)
	p := ProducerTopic{Highest: r.uint64(), Batches: r.uint64(), At: r.time()}
	if p.Batches == 0 || p.Highest < p.Batches {
		return p, damaged(key, "%d messages in %d batches", p.Highest, p.Batches)
	}
	return p, nil
}

// AppendProducerBatch appends the value of a batch.
func AppendProducerBatch(dst, key []byte, b *ProducerBatch) []byte {
	start := len(dst)
	dst = binary.BigEndian.AppendUint64(append(dst, producerBatchVersion), b.Number)
	dst = binary.BigEndian.AppendUint64(dst, b.Epoch)
	dst = binary.BigEndian.AppendUint64(dst, b.First)
	dst = binary.BigEndian.AppendUint32(dst, b.Count)
	dst = binary.BigEndian.AppendUint64(dst, b.Hash)
	var next partEnds
	for i := range b.Parts {
		dst = appendBatchPart(dst, &b.Parts[i], &next)
	}
	return seal(dst, start, key)
}

func appendBatchPart(dst []byte, p *storage.BatchPart, next *partEnds) []byte {
	kind := uint64(p.Fate)
	continues := p.Fate == storage.Stored && next.take(p)
	if continues {
		kind = partContinues + uint64(p.Partition)
	}
	dst = binary.AppendUvarint(dst, kind)
	dst = binary.AppendUvarint(dst, uint64(p.Count))
	switch {
	case continues:
	case p.Fate == storage.Refused:
		dst = binary.AppendUvarint(dst, uint64(p.Refusal.Reason))
		dst = binary.AppendUvarint(dst, uint64(p.Refusal.Field))
		dst = binary.AppendUvarint(dst, p.Refusal.Limit)
	default:
		dst = binary.AppendUvarint(dst, uint64(p.Partition))
		dst = binary.AppendUvarint(dst, uint64(p.Offset))
	}
	return dst
}

// partEnds are by partition where the last part of stored messages ended; 0 where
// there was none.
type partEnds [256]storage.Offset

// take notes a part, and says whether it goes on where the one before it ended.
func (e *partEnds) take(p *storage.BatchPart) (continues bool) {
	if int(p.Partition) >= len(e) {
		return false
	}
	end := &e[p.Partition]
	continues = *end > 0 && *end == p.Offset
	*end = p.Offset + storage.Offset(p.Count)
	return continues
}

// DecodeProducerBatch decodes and checks a batch.
func DecodeProducerBatch(key, value []byte) (ProducerBatch, error) {
	_, _, slot, err := ParseProducerBatchKey(key)
	if err != nil {
		return ProducerBatch{}, err
	}
	body, err := unseal(key, value, producerBatchVersion)
	if err != nil {
		return ProducerBatch{}, err
	}
	if len(body) < producerBatchHead {
		return ProducerBatch{}, damaged(key, "body of %d bytes", len(body))
	}
	r := reader(body)
	b := ProducerBatch{Number: r.uint64(), Epoch: r.uint64()}
	b.First, b.Count, b.Hash = r.uint64(), r.uint32(), r.uint64()
	if b.Number%storage.ProducerBatches != uint64(slot) || b.Number == 0 || b.Count == 0 ||
		b.First == 0 || b.First > math.MaxUint64-uint64(b.Count) {
		return ProducerBatch{}, damaged(key, "batch makes no sense")
	}
	v := varints{rest: r}
	var ok bool
	if b.Parts, ok = decodeBatchParts(&v, b.Count); !ok {
		return ProducerBatch{}, damaged(key, "the parts of the batch make no sense")
	}
	return b, nil
}

func decodeBatchParts(v *varints, count uint32) (parts []storage.BatchPart, ok bool) {
	var next partEnds
	for len(v.rest) > 0 {
		p := decodeBatchPart(v, &next)
		if v.failed || p.Count == 0 || p.Count > count {
			return nil, false
		}
		count -= p.Count
		parts = append(parts, p)
	}
	return parts, count == 0
}

func decodeBatchPart(v *varints, next *partEnds) (p storage.BatchPart) {
	kind := v.take(partContinues + uint64(len(next)) - 1)
	p.Count = uint32(v.take(math.MaxUint32))
	switch kind {
	case uint64(storage.Refused):
		p.Refusal.Reason, p.Refusal.Field = uint16(v.take(math.MaxUint16)), uint8(v.take(math.MaxUint8))
		p.Refusal.Limit = v.take(math.MaxUint64)
		return p
	case uint64(storage.Duplicate), uint64(storage.Stored):
		p.Fate = storage.Fate(kind)
		p.Partition, p.Offset = uint16(v.take(math.MaxUint16)), storage.Offset(v.take(math.MaxUint64))
	default:
		p.Fate = storage.Stored
		p.Partition = uint16(kind - partContinues)
		p.Offset = next[p.Partition]
		v.failed = v.failed || p.Offset == 0
	}
	if uint64(p.Offset) > math.MaxUint64-uint64(p.Count) {
		v.failed = true
	}
	if p.Fate == storage.Stored && next.take(&p) != (kind >= partContinues) {
		v.failed = true // It has a shorter encoding.
	}
	return p
}

// varints takes minimal varints off the front of a body.
type varints struct {
	rest   []byte
	failed bool
}

// take takes the next one, which is at most most.
func (v *varints) take(most uint64) uint64 {
	x, n := binary.Uvarint(v.rest)
	if n <= 0 || n != uvarintBytes(x) || x > most {
		v.failed = true
		v.rest = nil
		return 0
	}
	v.rest = v.rest[n:]
	return x
}
