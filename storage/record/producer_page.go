package record

import (
	"encoding/binary"
	"math"

	"github.com/headrace/headrace/storage"
)

// ProducerPage is what became of batches of a producer that one commit stored, to
// whatever topics:
//
//	version(1) number(8) outcome* crc(4)
//
//	outcome  topic previous first count     as minimal varints
//	         hash(8)
//	         part*                          until their counts add up to count
//	part     kind count                     as minimal varints, and behind them
//	         kind 0 refused      reason field limit
//	              1 duplicate    partition offset
//	              2 stored       partition offset
//	              3+p stored     nothing: it goes on in partition p where the batch's
//	                             part before it ended there
//
// So a batch of one message takes some 25 bytes, and one over several partitions two
// more for each change of partition.
type ProducerPage struct {
	// Number counts the producer's pages from 1.
	Number uint64
	// Outcomes are in the order in which they were stored.
	Outcomes []PageOutcome
}

// PageOutcome is what became of one batch.
type PageOutcome struct {
	Topic storage.TopicID
	// Previous is the page that holds what became of the batch before it to the topic,
	// which may be the same page; 0 when there is none.
	Previous uint64
	storage.ProducerOutcome
}

const (
	pageVersion   = 2
	pageHeadBytes = versionBytes + 8

	// MaxPageBytes bounds the outcomes in a page; one that is larger has a page alone.
	MaxPageBytes = 3 << 10
	// PageFrameBytes is what the value of a page takes besides.
	PageFrameBytes = pageHeadBytes + crcBytes
	// MaxOutcomeBytes bounds an outcome without its parts.
	MaxOutcomeBytes = 5 + 10 + 10 + 5 + 8
)

// AppendProducerPage appends the value of a page.
func AppendProducerPage(dst, key []byte, p *ProducerPage) []byte {
	start := len(dst)
	dst = BeginProducerPage(dst, p.Number)
	for i := range p.Outcomes {
		dst = AppendPageOutcome(dst, &p.Outcomes[i])
	}
	return EndProducerPage(dst, start, key)
}

// BeginProducerPage appends the beginning of a page; outcomes follow, and EndProducerPage.
func BeginProducerPage(dst []byte, number uint64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, pageVersion), number)
}

// EndProducerPage ends the page that begins at start.
func EndProducerPage(dst []byte, start int, key []byte) []byte { return seal(dst, start, key) }

// AppendPageOutcome appends an outcome as it stands in a page.
func AppendPageOutcome(dst []byte, o *PageOutcome) []byte {
	dst = binary.AppendUvarint(dst, uint64(o.Topic))
	dst = binary.AppendUvarint(dst, o.Previous)
	dst = binary.AppendUvarint(dst, o.First)
	dst = binary.AppendUvarint(dst, uint64(o.Count))
	dst = binary.BigEndian.AppendUint64(dst, o.Hash)
	if len(o.Parts) == 1 {
		return appendBatchPart(dst, &o.Parts[0], nil)
	}
	var next partEnds
	for i := range o.Parts {
		dst = appendBatchPart(dst, &o.Parts[i], &next)
	}
	return dst
}

// DecodeProducerPage decodes and checks a page.
func DecodeProducerPage(key, value []byte) (ProducerPage, error) {
	_, slot, err := ParseProducerPageKey(key)
	if err != nil {
		return ProducerPage{}, err
	}
	body, err := unseal(key, value, pageVersion)
	if err != nil {
		return ProducerPage{}, err
	}
	if len(body) < 8 {
		return ProducerPage{}, damaged(key, "body of %d bytes", len(body))
	}
	r := reader(body)
	p := ProducerPage{Number: r.uint64()}
	if p.Number == 0 || p.Number%storage.ProducerPages != uint64(slot) || len(r) == 0 {
		return ProducerPage{}, damaged(key, "page %d makes no sense", p.Number)
	}
	for v := (varints{rest: r}); len(v.rest) > 0; {
		o := decodePageOutcome(&v)
		if v.failed || o.Previous > p.Number {
			return ProducerPage{}, damaged(key, "outcome %d of page %d makes no sense", len(p.Outcomes), p.Number)
		}
		p.Outcomes = append(p.Outcomes, o)
	}
	return p, nil
}

func decodePageOutcome(v *varints) (o PageOutcome) {
	o.Topic = storage.TopicID(v.take(math.MaxUint32))
	o.Previous = v.take(math.MaxUint64)
	o.First, o.Count = v.take(math.MaxUint64), uint32(v.take(math.MaxUint32))
	o.Hash = v.fixed()
	if o.First == 0 || o.Count == 0 || o.First > math.MaxUint64-uint64(o.Count) {
		v.failed = true
		return o
	}
	o.Parts = decodeBatchParts(v, o.Count)
	return o
}
