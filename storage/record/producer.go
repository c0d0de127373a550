package record

import (
	"encoding/binary"
	"time"

	"github.com/headrace/headrace/storage"
)

// Producer is a producer's own record, written with each batch that brings something
// of the producer's:
//
//	version(1) epoch(8) used(8) pages(8) tail(8) topics(4) crc(4)
type Producer struct {
	// Epoch counts the openings of the producer.
	Epoch uint64
	// UsedAt is when it was last opened, or published.
	UsedAt time.Time
	// Pages counts its pages; the newest storage.ProducerPages of them are kept, each
	// under its number, which counts from 1.
	Pages uint64
	// Tail is the first page that says more than the records of its topics; Pages + 1
	// when none does.
	Tail uint64
	// Topics is of how many topics there are records.
	Topics uint32
}

// ProducerTopic is how far a producer has come in a topic, up to the pages of its tail:
//
//	version(1) highest(8) page(8) crc(4)
type ProducerTopic struct {
	// Highest is the sequence of the last message that is done with, at least 1.
	Highest uint64
	// Page is the number of the page that tells it.
	Page uint64
}

const (
	producerVersion      = 2
	producerBodyBytes    = 8 + 8 + 8 + 8 + 4
	producerTopicVersion = 2
	producerTopicBytes   = 8 + 8
)

// AppendProducer appends the value of a producer.
func AppendProducer(dst, key []byte, p *Producer) []byte {
	start := len(dst)
	dst = binary.BigEndian.AppendUint64(append(dst, producerVersion), p.Epoch)
	dst = appendTime(dst, p.UsedAt)
	dst = binary.BigEndian.AppendUint64(dst, p.Pages)
	dst = binary.BigEndian.AppendUint64(dst, p.Tail)
	dst = binary.BigEndian.AppendUint32(dst, p.Topics)
	return seal(dst, start, key)
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
	p := Producer{Epoch: r.uint64(), UsedAt: r.time(), Pages: r.uint64(), Tail: r.uint64(), Topics: r.uint32()}
	if p.Tail == 0 || p.Tail > p.Pages+1 || p.Pages-p.Tail+1 > storage.ProducerPages {
		return p, damaged(key, "%d pages with a tail from %d on", p.Pages, p.Tail)
	}
	return p, nil
}

// AppendProducerTopic appends the value of how far a producer has come.
func AppendProducerTopic(dst, key []byte, p *ProducerTopic) []byte {
	start := len(dst)
	dst = binary.BigEndian.AppendUint64(append(dst, producerTopicVersion), p.Highest)
	return seal(binary.BigEndian.AppendUint64(dst, p.Page), start, key)
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
	p := ProducerTopic{Highest: r.uint64(), Page: r.uint64()}
	if p.Highest == 0 || p.Page == 0 {
		return p, damaged(key, "%d messages by page %d", p.Highest, p.Page)
	}
	return p, nil
}
