package shardlog

import (
	"testing"

	"github.com/headrace/headrace/storage"
)

// cached puts a segment of ten offsets and 612 bytes into the cache.
func cached(c *segmentCache, base storage.Offset) {
	s := c.blank(60)
	s.Partition, s.Base = storage.PartitionID{Topic: 1}, base
	s.Bytes, s.Ends = make([]byte, 60), make([]uint32, 10)
	c.put(s).Release()
}

func has(c *segmentCache, topic storage.TopicID, at storage.Offset) bool {
	s := c.find(storage.PartitionID{Topic: topic}, at)
	if s == nil {
		return false
	}
	defer s.Release()
	return s.Base <= at && at < s.End()
}

func TestTheCacheFindsByOffset(t *testing.T) {
	c := newSegmentCache(10_000)
	for _, base := range []storage.Offset{20, 0, 40} {
		cached(c, base)
	}
	for at, want := range map[storage.Offset]bool{0: true, 9: true, 10: false, 25: true, 39: false, 49: true, 50: false} {
		if has(c, 1, at) != want {
			t.Errorf("offset %d: found %v", at, !want)
		}
	}
	if has(c, 2, 0) {
		t.Error("found in another partition")
	}
}

func TestTheCacheIsBoundedAndForgetsWhatIsLeastUsed(t *testing.T) {
	c := newSegmentCache(3 * 612)
	for i := range storage.Offset(3) {
		cached(c, 10*i)
	}
	has(c, 1, 0)
	cached(c, 30)
	if !has(c, 1, 0) || has(c, 1, 10) || !has(c, 1, 20) || !has(c, 1, 30) {
		t.Error("the least recently used segment is the one to go")
	}
	if c.bytes > 3*612 {
		t.Errorf("%d bytes", c.bytes)
	}
}

func TestTwoReadersOfTheSameSegmentKeepOne(t *testing.T) {
	c := newSegmentCache(10_000)
	cached(c, 0)
	cached(c, 0)
	if c.order.Len() != 1 || c.bytes != 612 {
		t.Errorf("%d segments, %d bytes", c.order.Len(), c.bytes)
	}
}

func TestAReaderKeepsWhatTheCacheForgets(t *testing.T) {
	c := newSegmentCache(612)
	cached(c, 0)
	held := c.find(storage.PartitionID{Topic: 1}, 0)
	cached(c, 10)
	if has(c, 1, 0) || len(c.idle) != 0 {
		t.Error("forgotten, and its memory not reused while it is held")
	}
	held.Release()
	if len(c.idle) != 1 {
		t.Error("its memory is to be reused")
	}
}
