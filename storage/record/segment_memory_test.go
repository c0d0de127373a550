package record

import (
	"testing"
	"time"

	"github.com/headrace/headrace/storage"
)

func TestASegmentIsAtMostAsLargeAsItsBound(t *testing.T) {
	for _, size := range []uint32{0, 1, 100, 1 << 10, BlockBytes, 1 << 20} {
		for _, keyed := range []bool{false, true} {
			var b SegmentBuilder
			for p := uint16(0); ; p++ {
				a := &storage.Append{
					Partition: storage.PartitionID{Topic: 1, Partition: p},
					Messages:  make([]byte, size), Ends: []uint32{size},
				}
				if keyed {
					a.KeyHashes = []storage.KeyHash{{Hash: 1, Present: true}}
				}
				if b.Add(a, 0, time.Unix(1, 0)) == 0 {
					break
				}
			}
			bound := MaxSegmentBytes(b.Bytes(), len(b.Runs()), b.Messages())
			if n := len(b.Finish(AppendSegmentKey(nil, 1, 0))); n > bound {
				t.Errorf("messages of %d bytes, keyed %v: %d bytes, bound %d", size, keyed, n, bound)
			}
		}
	}
}

func TestAReservedBufferIsNotReplaced(t *testing.T) {
	var b SegmentBuilder
	b.Reserve(4 << 10)
	before := b.MemoryBytes()
	a := &storage.Append{Messages: make([]byte, 2<<10), Ends: []uint32{2 << 10}}
	b.Add(a, 0, time.Unix(1, 0))
	value := b.Finish(AppendSegmentKey(nil, 1, 0))
	if before < 4<<10 || cap(value) != before {
		t.Errorf("reserved %d, holds a buffer of %d", before, cap(value))
	}
}
