package broker

import (
	"sync/atomic"

	"github.com/headrace/headrace/storage"
)

// replayPartition is the subscription's own partition, as the state machine and
// clients know it.
const replayPartition = uint32(storage.ReplayPartition)

// route says where the partitions of a subscription lie: those of its topic, and its
// own replay partition, once it has one. It numbers them from 0 without a gap, the
// replay partition last.
type route struct {
	topic      storage.TopicID
	partitions int
	// replay is the private topic of the replay partition; 0: there is none yet.
	replay atomic.Uint32
}

// places is how many partitions there are or may be.
func (r *route) places() int { return r.partitions + 1 }

// place numbers a partition.
func (r *route) place(partition uint32) int {
	if partition == replayPartition {
		return r.partitions
	}
	return int(partition)
}

// partition is the reverse of place.
func (r *route) partition(place int) uint32 {
	if place == r.partitions {
		return replayPartition
	}
	return uint32(place)
}

// exists is false for a replay partition that is still to come.
func (r *route) exists(place int) bool { return place < r.partitions || r.replay.Load() != 0 }

// id is the partition's name in the store.
func (r *route) id(partition uint32) storage.PartitionID {
	if partition == replayPartition {
		return storage.PartitionID{Topic: storage.TopicID(r.replay.Load())}
	}
	return storage.PartitionID{Topic: r.topic, Partition: uint16(partition)}
}

// of is the reverse of id.
func (r *route) of(id storage.PartitionID) uint32 {
	if id.Topic != r.topic {
		return replayPartition
	}
	return uint32(id.Partition)
}
