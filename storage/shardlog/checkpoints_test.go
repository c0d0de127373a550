package shardlog

import (
	"testing"

	"github.com/headrace/headrace/storage"
)

// TestHeadsAreWrittenDownWithin4096Batches moves many partitions at once, some of
// them again and again.
func TestHeadsAreWrittenDownWithin4096Batches(t *testing.T) {
	x := newTopic(storage.Topic{Partitions: MaxPartitions})
	var c checkpoints
	behind := map[*partition]uint64{}
	for number := uint64(1); number < 3*maxCheckpointBatches; number++ {
		b := &batch{Batch: storage.Batch{Number: number}}
		for i, p := range x.partitions {
			if number == 1 || (i < 10 && number%7 == 0) {
				c.note(p, number)
				if behind[p] == 0 {
					behind[p] = number
				}
			}
		}
		c.renew(b)
		for _, p := range b.partitions {
			delete(behind, p)
		}
		for p, since := range behind {
			if number-since >= maxCheckpointBatches {
				t.Fatalf("partition %v moved in batch %d and has no checkpoint in %d", p.id, since, number)
			}
		}
	}
}

func TestManyPointersBringCheckpointsForward(t *testing.T) {
	x := newTopic(storage.Topic{Partitions: 2})
	var c checkpoints
	c.note(x.partitions[0], 1)
	for range maxCheckpointPointers {
		c.note(x.partitions[1], 2)
	}
	b := &batch{Batch: storage.Batch{Number: 3}}
	c.renew(b)
	if len(b.partitions) == 0 || b.partitions[0] != x.partitions[0] {
		t.Error("recovery would have to compare too many pointers")
	}
}
