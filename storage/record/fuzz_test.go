package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/headrace/headrace/storage"
)

// FuzzDecode feeds any key and value to the decoder of the key's kind: it does not
// panic, what it refuses is ErrDataLoss, and what it accepts is canonical. With
// repair the checksum is made right first, so that the fuzzer gets past it.
func FuzzDecode(f *testing.F) {
	for _, r := range sampleRecords(f) {
		f.Add(r.key, r.value, false)
		f.Add(r.key, r.value, true)
	}
	f.Fuzz(func(t *testing.T, key, value []byte, repair bool) {
		if len(key) == 0 || decoders[Kind(key[0])] == nil {
			return
		}
		if repair {
			value = repaired(key, value)
		}
		_, again, err := decoders[Kind(key[0])](key, value)
		switch {
		case errors.Is(err, storage.ErrDataLoss):
		case err != nil:
			t.Fatalf("refused with %v", err)
		case len(again) > 0 && again[0] > value[0]: // an earlier version, written anew by this one
		case canonical(Kind(key[0])) && !bytes.Equal(again, value):
			t.Fatalf("accepted %x, which encodes to %x", value, again)
		}
	})
}

// canonical says whether a kind has one encoding only. Protobuf accepts fields in
// any order; a segment may hold runs that the builder would have joined.
func canonical(k Kind) bool {
	return k != KindTopic && k != KindSubscription && k != KindShard && k != KindSegment
}

// repaired gives value with right checksums: the last four bytes, and a segment's
// block checksums.
func repaired(key, value []byte) []byte {
	value = bytes.Clone(value)
	if len(value) < crcBytes {
		return value
	}
	start := 0
	if Kind(key[0]) == KindSegment {
		r := SegmentReader{}
		if r.cut(value) {
			start = len(r.bodies)
			for i := range blocksOf(start) {
				binary.BigEndian.PutUint32(r.blocks[i*4:], blockChecksum(r.bodies, i))
			}
		}
	}
	if Kind(key[0]) == KindBatch && len(value) == versionBytes+headerBodyBytes+crcBytes {
		repairHash(value)
	}
	end := len(value) - crcBytes
	binary.BigEndian.PutUint32(value[end:], checksum(key, value[start:end]))
	return value
}

func repairHash(value []byte) {
	r := reader(value[versionBytes:])
	h := Header{Number: r.uint64(), Epoch: r.uint64(), Previous: r.uint64()}
	at := r
	r.uint64()
	h.Ops, h.Messages = r.uint32(), r.uint32()
	binary.BigEndian.PutUint64(at, h.Hash())
}

// FuzzSegmentBuilder cuts bytes into appends: what a segment holds is what went in.
func FuzzSegmentBuilder(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9})
	f.Add(bytes.Repeat([]byte{0xff, 1, 0}, 100))
	f.Fuzz(func(t *testing.T, recipe []byte) {
		var b SegmentBuilder
		want := map[storage.PartitionID][]byte{}
		next := map[storage.PartitionID]storage.Offset{}
		for i := 0; i+2 < len(recipe) && i < 600; i += 3 {
			a := appendOf(recipe[i:i+3], next)
			n := b.Add(&a, 0, sampleTime)
			next[a.Partition] += storage.Offset(n)
			want[a.Partition] = append(want[a.Partition], a.Messages[:startOf(a.Ends, n)]...)
		}
		if b.Messages() == 0 {
			return
		}
		r, err := OpenSegment(segmentKey, b.Finish(segmentKey))
		if err != nil {
			t.Fatal(err)
		}
		got := map[storage.PartitionID][]byte{}
		for i := range r.Runs() {
			var s storage.Segment
			if err := r.Read(i, &s); err != nil {
				t.Fatal(err)
			}
			got[s.Partition] = append(got[s.Partition], s.Bytes...)
		}
		for p := range want {
			if !bytes.Equal(got[p], want[p]) {
				t.Fatalf("partition %v differs", p)
			}
		}
	})
}

// appendOf makes an append of three bytes: topic and keys, messages, their size.
func appendOf(recipe []byte, next map[storage.PartitionID]storage.Offset) storage.Append {
	a := storage.Append{Partition: storage.PartitionID{Topic: storage.TopicID(recipe[0] & 7)}}
	a.Base = next[a.Partition]
	for i := range 1 + int(recipe[1]) {
		a.Messages = append(a.Messages, bytes.Repeat([]byte{recipe[2] + byte(i)}, 1+int(recipe[2]))...)
		a.Ends = append(a.Ends, uint32(len(a.Messages)))
	}
	if recipe[0]&8 != 0 {
		a.KeyHashes = make([]storage.KeyHash, len(a.Ends))
		a.KeyHashes[0] = storage.KeyHash{Hash: uint32(recipe[2]), Present: true}
	}
	return a
}
