package shardlog

import (
	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// What one record of a kind takes of a batch, key and value; upper bounds.
var (
	pointerNeed   = need{inline: 80, keys: 1}
	segmentNeed   = need{inline: 32, keys: 1}
	partitionNeed = need{inline: 112, keys: 1}
	cursorNeed    = need{inline: 160, keys: 1}
	deleteNeed    = need{inline: record.MaxKeyBytes, keys: 1}
	catalogNeed   = need{inline: storage.MaxDefinitionBytes + 2*maxNameBytes, keys: 1}
	shardNeed     = need{inline: 4096, keys: 1}
)

func (n need) times(k int) need { return need{n.bodies * k, n.inline * k, n.keys * k} }

// put adds the change whose key is mem[start:split] and whose value is the rest.
func (b *batch) put(start, split int) {
	b.Ops = append(b.Ops, storage.Op{Key: b.mem[start:split:split], Value: b.mem[split:len(b.mem):len(b.mem)]})
}

// remove adds the deletion of the key mem[start:].
func (b *batch) remove(start int) {
	b.Ops = append(b.Ops, storage.Op{Key: b.mem[start:len(b.mem):len(b.mem)]})
}

func (b *batch) putPointer(p storage.PartitionID, base storage.Offset, x *record.Pointer) {
	start := len(b.mem)
	b.mem = record.AppendPointerKey(b.mem, p, base)
	split := len(b.mem)
	b.mem = record.AppendPointer(b.mem, b.mem[start:split], x)
	b.put(start, split)
}

func (b *batch) deletePointer(p storage.PartitionID, base storage.Offset) {
	start := len(b.mem)
	b.mem = record.AppendPointerKey(b.mem, p, base)
	b.remove(start)
}

// putSegment finishes a chunk under its number in the batch.
func (b *batch) putSegment(c *chunk, number uint16) {
	start := len(b.mem)
	b.mem = record.AppendSegmentKey(b.mem, b.Number, number)
	key := b.mem[start:len(b.mem):len(b.mem)]
	b.Ops = append(b.Ops, storage.Op{Key: key, Value: c.Finish(key)})
}

func (b *batch) deleteSegment(at segmentID) {
	start := len(b.mem)
	b.mem = record.AppendSegmentKey(b.mem, at.batch, at.chunk)
	b.remove(start)
}

func (b *batch) putPartition(p *partition) {
	x := p.record(b.Number)
	start := len(b.mem)
	b.mem = record.AppendPartitionKey(b.mem, p.id)
	split := len(b.mem)
	b.mem = record.AppendPartition(b.mem, b.mem[start:split], &x)
	b.put(start, split)
}

func (b *batch) deletePartition(p storage.PartitionID) {
	start := len(b.mem)
	b.mem = record.AppendPartitionKey(b.mem, p)
	b.remove(start)
}

func (b *batch) putCursor(c *cursor) {
	start := len(b.mem)
	b.mem = record.AppendCursorKey(b.mem, c.subscription.ID, c.partition)
	split := len(b.mem)
	b.mem = record.AppendCursor(b.mem, b.mem[start:split], &c.Cursor)
	b.put(start, split)
}

func (b *batch) deleteCursor(s storage.SubscriptionID, partition uint16) {
	start := len(b.mem)
	b.mem = record.AppendCursorKey(b.mem, s, partition)
	b.remove(start)
}

func (b *batch) putAckPart(c *cursor, x *record.AckPart) {
	start := len(b.mem)
	b.mem = record.AppendAckKey(b.mem, c.ackKey(x.Chunk, x.Part))
	split := len(b.mem)
	b.mem = record.AppendAckPart(b.mem, b.mem[start:split], x)
	b.put(start, split)
}

func (b *batch) deleteAckPart(c *cursor, chunk uint64, part uint8) {
	b.deleteAckKey(c.ackKey(chunk, part))
}

func (b *batch) deleteAckKey(k record.AckKey) {
	start := len(b.mem)
	b.mem = record.AppendAckKey(b.mem, k)
	b.remove(start)
}

func (c *cursor) ackKey(chunk uint64, part uint8) record.AckKey {
	return record.AckKey{
		Subscription: c.subscription.ID, Partition: c.partition,
		Generation: c.Generation, Chunk: chunk, Part: part,
	}
}

func (b *batch) putTopic(t *storage.Topic) {
	start := len(b.mem)
	b.mem = record.AppendTopicKey(b.mem, t.ID)
	split := len(b.mem)
	b.mem = encoded(record.AppendTopic(b.mem, b.mem[start:split], t))
	b.put(start, split)
}

func (b *batch) deleteTopic(id storage.TopicID) {
	start := len(b.mem)
	b.mem = record.AppendTopicKey(b.mem, id)
	b.remove(start)
}

func (b *batch) putSubscription(s *storage.Subscription) {
	start := len(b.mem)
	b.mem = record.AppendSubscriptionKey(b.mem, s.ID)
	split := len(b.mem)
	b.mem = encoded(record.AppendSubscription(b.mem, b.mem[start:split], s))
	b.put(start, split)
}

func (b *batch) deleteSubscription(id storage.SubscriptionID) {
	start := len(b.mem)
	b.mem = record.AppendSubscriptionKey(b.mem, id)
	b.remove(start)
}

func (b *batch) putShard(s *record.Shard) {
	start := len(b.mem)
	b.mem = record.AppendShardKey(b.mem)
	split := len(b.mem)
	b.mem = encoded(record.AppendShard(b.mem, b.mem[start:split], s))
	b.put(start, split)
}

// encoded asserts that a catalog record encodes: its names were checked when it
// came in.
func encoded(mem []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return mem
}

// putHeader adds the batch's link in the chain, which comes last: it counts the
// operations.
func (b *batch) putHeader(previous uint64) {
	h := record.Header{
		Number: b.Number, Epoch: b.Epoch, Previous: previous,
		Ops: uint32(len(b.Ops) + 1), Messages: uint32(b.messages),
	}
	b.Hash = h.Hash()
	start := len(b.mem)
	b.mem = record.AppendBatchKey(b.mem, b.Number)
	split := len(b.mem)
	b.mem = record.AppendHeader(b.mem, b.mem[start:split], &h)
	b.put(start, split)
}
