package record

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/storage"
)

// decoders decode a record and encode it again, by kind.
var decoders = map[Kind]func(key, value []byte) (any, []byte, error){
	KindBatch: func(k, v []byte) (any, []byte, error) {
		h, err := DecodeHeader(k, v)
		return h, AppendHeader(nil, k, &h), err
	},
	KindSegment: reencodeSegment,
	KindPointer: func(k, v []byte) (any, []byte, error) {
		p, err := DecodePointer(k, v)
		return p, AppendPointer(nil, k, &p), err
	},
	KindPartition: func(k, v []byte) (any, []byte, error) {
		p, err := DecodePartition(k, v)
		return p, AppendPartition(nil, k, &p), err
	},
	KindCursor: func(k, v []byte) (any, []byte, error) {
		c, err := DecodeCursor(k, v)
		return c, AppendCursor(nil, k, &c), err
	},
	KindAck: func(k, v []byte) (any, []byte, error) {
		p, err := DecodeAckPart(k, v)
		return p, AppendAckPart(nil, k, &p), err
	},
	KindProducer: reencodeProducer,
	KindDedupe: func(k, v []byte) (any, []byte, error) {
		d, err := DecodeDedupe(k, v)
		if err != nil {
			return nil, nil, err
		}
		return d, AppendDedupe(nil, k, &d), nil
	},
	KindHistory: func(k, v []byte) (any, []byte, error) {
		h, err := DecodeHistory(k, v)
		return h, AppendHistory(nil, k, &h), err
	},
	KindDeadLetter: func(k, v []byte) (any, []byte, error) {
		d, err := DecodeDeadLetter(k, v)
		return d, AppendDeadLetter(nil, k, &d), err
	},
	KindParked: func(k, v []byte) (any, []byte, error) {
		p, err := DecodeParked(k, v)
		return p, AppendParked(nil, k, &p), err
	},
	KindSession: reencodeSession,
	KindTopic: func(k, v []byte) (any, []byte, error) {
		t, err := DecodeTopic(k, v)
		if err != nil {
			return nil, nil, err
		}
		again, err := AppendTopic(nil, k, &t)
		return t, again, err
	},
	KindSubscription: func(k, v []byte) (any, []byte, error) {
		s, err := DecodeSubscription(k, v)
		if err != nil {
			return nil, nil, err
		}
		again, err := AppendSubscription(nil, k, &s)
		return s, again, err
	},
	KindShard: func(k, v []byte) (any, []byte, error) {
		s, err := DecodeShard(k, v)
		if err != nil {
			return nil, nil, err
		}
		again, err := AppendShard(nil, k, &s)
		return s, again, err
	},
}

// reencodeProducer decodes a record of a producer by the form of its key.
func reencodeProducer(k, v []byte) (any, []byte, error) {
	switch {
	case len(k) > 1 && k[1] == producerTopicForm:
		p, err := DecodeProducerTopic(k, v)
		again := AppendProducerTopic(nil, k, &p)
		return p, again, err
	case len(k) > 1 && k[1] == producerPageForm:
		p, err := DecodeProducerPage(k, v)
		again := AppendProducerPage(nil, k, &p)
		return p, again, err
	default:
		p, err := DecodeProducer(k, v)
		again := AppendProducer(nil, k, &p)
		return p, again, err
	}
}

// reencodeSession decodes a page of a session by its slot.
func reencodeSession(k, v []byte) (any, []byte, error) {
	at, err := ParseSessionKey(k)
	if err == nil && at.Counts() {
		s, err := DecodeSessions(k, v)
		return s, AppendSessions(nil, k, s), err
	}
	p, err := DecodeSessionPage(k, v)
	switch {
	case err != nil:
		return nil, nil, err
	case at.IsBlock():
		return p, AppendHeldBlock(nil, k, p.Version, &p.Block), nil
	case at.IsFailures():
		return p, AppendSessionFailures(nil, k, p.Version, p.Failures), nil
	default:
		return p, AppendSession(nil, k, p.Version, &p.Record), nil
	}
}

// reencodeSegment reads every run of a segment and builds the segment again.
func reencodeSegment(key, value []byte) (any, []byte, error) {
	r, err := OpenSegment(key, value)
	if err != nil {
		return nil, nil, err
	}
	var b SegmentBuilder
	for i := range r.Runs() {
		var s storage.Segment
		if err := r.Read(i, &s); err != nil {
			return nil, nil, err
		}
		a := storage.Append{Partition: s.Partition, Base: s.Base, Messages: s.Bytes, Ends: s.Ends, KeyHashes: s.KeyHashes}
		b.Add(&a, 0, s.LogTime)
	}
	return nil, b.Finish(key), nil
}

func TestEveryRecordRoundTrips(t *testing.T) {
	for name, r := range sampleRecords(t) {
		_, again, err := decoders[Kind(r.key[0])](r.key, r.value)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !bytes.Equal(again, r.value) {
			t.Errorf("%s: encodes to\n%x, decoded from\n%x", name, again, r.value)
		}
	}
}

func TestDecodedIsWhatWasEncoded(t *testing.T) {
	want := map[string]any{
		"b header": sampleHeader, "m pointer": samplePointer, "m hole": sampleHole,
		"p partition": sampleRecord, "c cursor": sampleCursor,
		"r history": sampleHistory, "q dead letter": sampleDeadLetter, "k parked": sampleParked, "t topic": sampleTopic,
		"u subscription": sampleSubscription, "z shard": sampleShard,
	}
	records := sampleRecords(t)
	for name, v := range want {
		r := records[name]
		got, _, err := decoders[Kind(r.key[0])](r.key, r.value)
		if diff := cmp.Diff(v, got); err != nil || diff != "" {
			t.Errorf("%s: %v, -want +got:\n%s", name, err, diff)
		}
	}
}

// TestEveryFlippedBitIsDataLoss: no bit of a value matters to nobody.
func TestEveryFlippedBitIsDataLoss(t *testing.T) {
	for name, r := range sampleRecords(t) {
		for bit := range len(r.value) * 8 {
			value := bytes.Clone(r.value)
			value[bit/8] ^= 1 << (bit % 8)
			if _, _, err := decoders[Kind(r.key[0])](r.key, value); !errors.Is(err, storage.ErrDataLoss) {
				t.Fatalf("%s: bit %d flipped: %v", name, bit, err)
			}
		}
	}
}

// TestEveryCutValueIsDataLoss: a failed read that comes back short, or empty with
// no error, is found.
func TestEveryCutValueIsDataLoss(t *testing.T) {
	for name, r := range sampleRecords(t) {
		for size := range len(r.value) {
			if _, _, err := decoders[Kind(r.key[0])](r.key, r.value[:size]); !errors.Is(err, storage.ErrDataLoss) {
				t.Fatalf("%s cut to %d bytes: %v", name, size, err)
			}
		}
	}
}

// TestValueUnderAnotherKeyIsDataLoss: a value that was read for a wrong key is
// found.
func TestValueUnderAnotherKeyIsDataLoss(t *testing.T) {
	for name, r := range sampleRecords(t) {
		key := bytes.Clone(r.key)
		if len(key) == 1 {
			continue // The shard's record has no other key.
		}
		key[1] ^= 1
		if _, _, err := decoders[Kind(key[0])](key, r.value); !errors.Is(err, storage.ErrDataLoss) {
			t.Errorf("%s under another key: %v", name, err)
		}
	}
}

func TestKeyOfAnotherKindIsDataLoss(t *testing.T) {
	records := sampleRecords(t)
	for kind, decode := range decoders {
		for name, r := range records {
			if Kind(r.key[0]) == kind {
				continue
			}
			if _, _, err := decode(r.key, r.value); !errors.Is(err, storage.ErrDataLoss) {
				t.Errorf("decoder of %q on %s: %v", byte(kind), name, err)
			}
		}
	}
}

// TestStateValuesStayInline: only commit segments may be larger than the engine
// keeps inline.
func TestStateValuesStayInline(t *testing.T) {
	const inlineBytes = 4 << 10
	topic := sampleTopic
	topic.Definition = make([]byte, storage.MaxDefinitionBytes)
	key := AppendTopicKey(nil, topic.ID)
	value, err := AppendTopic(nil, key, &topic)
	if err != nil || len(value) >= inlineBytes {
		t.Errorf("largest topic has %d bytes, %v", len(value), err)
	}
	for name, r := range sampleRecords(t) {
		if len(r.value) >= inlineBytes {
			t.Errorf("%s has %d bytes", name, len(r.value))
		}
	}
}

// TestAPartitionOfTheFirstVersionIsRead: it knows no holes.
func TestAPartitionOfTheFirstVersionIsRead(t *testing.T) {
	key := AppendPartitionKey(nil, storage.PartitionID{Topic: 0x01020304, Partition: 0x0506})
	value, err := hex.DecodeString("010000000000000001000000000000000a18998b01859eb659000000000000000800000000000003200000000000000014" +
		"18998b01c1398059000000000000001200000000000007080000000000040003f84a666f")
	if err != nil {
		t.Fatal(err)
	}
	want := sampleRecord
	want.Holes = Holes{}
	got, err := DecodePartition(key, value)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
