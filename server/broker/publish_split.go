package broker

import "github.com/headrace/headrace/storage"

// batchSplit divides a batch whose messages have keys of several partitions. Its
// buffers are kept from batch to batch.
type batchSplit struct {
	// parts are those of the batch, in the order of their first messages; more are
	// kept behind len for their buffers.
	parts []batchPart
	// of is, by partition, the index of its part plus one; 0: none.
	of [MaxPartitions]uint16
	// chosen is, by message, the index of its part.
	chosen []uint16
}

// batchPart are the messages of one partition.
type batchPart struct {
	partition uint16
	messages  []byte
	ends      []uint32
	keys      []storage.KeyHash
	ids       []storage.DedupeID
	// next is the offset of the part's next message, when offsets are told.
	next storage.Offset
}

// reset empties the split and keeps its buffers.
func (s *batchSplit) reset() {
	for i := range s.parts {
		s.of[s.parts[i].partition] = 0
	}
	s.parts, s.chosen = s.parts[:0], s.chosen[:0]
}

// assign divides the batch into appends to partitions: what has a key goes to the
// key's partition, what has only a dedupe id to that one's, what has neither to the
// producer's own, or without a producer to the one that is least loaded now. When all
// goes to one partition nothing is copied.
func (b *PublishBatch) assign(own storage.KeyHash) {
	b.publish.Appends = b.publish.Appends[:0]
	if b.Len() == 0 {
		return
	}
	t := b.Topic.topic
	unkeyed := t.unkeyedPartition(own)
	if partition, one := b.onlyPartition(unkeyed); one {
		b.publish.Appends = append(b.publish.Appends, storage.Append{
			Partition: storage.PartitionID{Topic: t.id, Partition: uint16(partition)},
			Messages:  b.Messages,
			Ends:      b.Ends,
			KeyHashes: presentKeys(b.KeyHashes),
			DedupeIDs: presentIDs(b.DedupeIDs),
		})
		return
	}
	b.divide(unkeyed)
	for i := range b.split.parts {
		part := &b.split.parts[i]
		b.publish.Appends = append(b.publish.Appends, storage.Append{
			Partition: storage.PartitionID{Topic: t.id, Partition: part.partition},
			Messages:  part.messages,
			Ends:      part.ends,
			KeyHashes: presentKeys(part.keys),
			DedupeIDs: presentIDs(part.ids),
		})
	}
}

// onlyPartition is the partition of all messages, if they have one in common.
func (b *PublishBatch) onlyPartition(unkeyed int) (int, bool) {
	if len(b.KeyHashes) == 0 && len(b.DedupeIDs) == 0 || b.Topic.topic.partitions == 1 {
		return unkeyed, true
	}
	first := b.partitionOf(0, unkeyed)
	for i := 1; i < len(b.Ends); i++ {
		if b.partitionOf(i, unkeyed) != first {
			return 0, false
		}
	}
	return first, true
}

// partitionOf is the partition of a message.
func (b *PublishBatch) partitionOf(i, unkeyed int) int {
	switch {
	case len(b.KeyHashes) > 0 && b.KeyHashes[i].Present:
		return keyPartition(b.KeyHashes[i], b.Topic.topic.partitions)
	case len(b.DedupeIDs) > 0 && b.DedupeIDs[i].Present:
		return keyPartition(storage.KeyHash{Hash: uint32(b.DedupeIDs[i].Hash)}, b.Topic.topic.partitions)
	default:
		return unkeyed
	}
}

// divide copies each message to its partition's part.
func (b *PublishBatch) divide(unkeyed int) {
	if b.split == nil {
		b.split = &batchSplit{}
	}
	start := uint32(0)
	for i, end := range b.Ends {
		index := b.split.part(b.partitionOf(i, unkeyed))
		part := &b.split.parts[index]
		part.messages = append(part.messages, b.Messages[start:end]...)
		part.ends = append(part.ends, uint32(len(part.messages)))
		if len(b.KeyHashes) > 0 {
			part.keys = append(part.keys, b.KeyHashes[i])
		}
		if len(b.DedupeIDs) > 0 {
			part.ids = append(part.ids, b.DedupeIDs[i])
		}
		b.split.chosen = append(b.split.chosen, index)
		start = end
	}
}

// part finds the index of a partition's part, or begins it.
func (s *batchSplit) part(partition int) uint16 {
	if known := s.of[partition]; known > 0 {
		return known - 1
	}
	n := len(s.parts)
	if n < cap(s.parts) {
		s.parts = s.parts[:n+1]
	} else {
		s.parts = append(s.parts, batchPart{})
	}
	part := &s.parts[n]
	*part = batchPart{
		partition: uint16(partition),
		messages:  part.messages[:0],
		ends:      part.ends[:0],
		keys:      part.keys[:0],
		ids:       part.ids[:0],
	}
	s.of[partition] = uint16(n) + 1
	return uint16(n)
}

// tellRuns fills Runs from the offsets that the store gave.
func (b *PublishBatch) tellRuns() {
	if b.tracked() {
		b.Parts = b.publish.AppendOutcome(b.Parts[:0], b.planned)
		return
	}
	appends := b.publish.Appends
	if len(appends) == 1 {
		only := &appends[0]
		b.Runs = append(b.Runs, PublishedRun{Partition: only.Partition.Partition, Offset: only.Base, Count: len(b.Ends)})
		return
	}
	for i := range b.split.parts {
		b.split.parts[i].next = appends[i].Base
	}
	for i, index := range b.split.chosen {
		part := &b.split.parts[index]
		b.tellRun(i, part.partition, part.next)
		part.next++
	}
}

// tellRun adds one message's position to the runs.
func (b *PublishBatch) tellRun(index int, partition uint16, offset storage.Offset) {
	if n := len(b.Runs); n > 0 {
		last := &b.Runs[n-1]
		if last.Partition == partition && last.Offset+storage.Offset(last.Count) == offset {
			last.Count++
			return
		}
	}
	b.Runs = append(b.Runs, PublishedRun{Index: index, Partition: partition, Offset: offset, Count: 1})
}

// presentKeys is keys, or nil when there is none.
func presentKeys(keys []storage.KeyHash) []storage.KeyHash {
	if len(keys) == 0 {
		return nil
	}
	return keys
}

// presentIDs is ids, or nil when there is none.
func presentIDs(ids []storage.DedupeID) []storage.DedupeID {
	if len(ids) == 0 {
		return nil
	}
	return ids
}

// load counts the batch's bytes on its partitions, or off them. A refused batch has
// no appends.
func (b *PublishBatch) load(sign int64) {
	for i := range b.publish.Appends {
		a := &b.publish.Appends[i]
		b.Topic.topic.inFlight[a.Partition.Partition].Add(sign * int64(len(a.Messages)))
	}
}
