package shardlog

import "github.com/headrace/headrace/storage"

// Head is the offset that the partition's next durable message will have; 0 for a
// partition that does not exist. It never blocks.
func (s *Store) Head(id storage.PartitionID) storage.Offset {
	p, err := s.directory.partition(id)
	if err != nil {
		return 0
	}
	return storage.Offset(p.marks.head.Load())
}

// Watch signals wake, which has capacity 1, each time the partition's head rose,
// until cancel is called. A partition that does not exist never wakes.
func (s *Store) Watch(id storage.PartitionID, wake chan<- struct{}) (cancel func()) {
	p, err := s.directory.partition(id)
	if err != nil {
		return func() {}
	}
	return p.watchers.add(wake)
}

// Tail gives the segment that holds an offset from memory, with a reference for
// the caller, or nil when it is not there. It never blocks nor reads the disk.
func (s *Store) Tail(id storage.PartitionID, at storage.Offset) *storage.Segment {
	p, err := s.directory.partition(id)
	if err != nil {
		return nil
	}
	x := p.ring.Find(at)
	if x == nil {
		s.metrics.ringMisses.Add(1)
		return nil
	}
	s.metrics.ringHits.Add(1)
	return x
}

// Stats are a partition's figures. It never blocks. Errors: ErrNotFound,
// ErrDataLoss when the partition is fenced.
func (s *Store) Stats(id storage.PartitionID) (storage.PartitionStats, error) {
	p, err := s.directory.partition(id)
	if err != nil {
		return storage.PartitionStats{}, err
	}
	return p.marks.stats(), p.err()
}
