package broker

import (
	"github.com/cespare/xxhash/v2"

	"github.com/headrace/headrace/storage"
)

// BatchSequence is where a batch stands among those of a producer to its topic.
type BatchSequence struct {
	// First is the sequence of the first message, Count how many there are, refused
	// ones included.
	First uint64
	Count int
	// Hash is over what the messages carry: the same batch sent again has the same.
	Hash uint64
	// Follows says that the stream sent the messages just before these to the topic.
	Follows bool
}

// RefusedMessage is a message that is at fault by itself.
type RefusedMessage struct {
	// Index counts the batch's messages from 0, refused ones included.
	Index int
	// Refusal says why, in the caller's terms.
	Refusal storage.Refusal
}

// EndDeduped is EndMessage for a message with a dedupe id, which is not empty;
// payload is what the message carries.
func (b *PublishBatch) EndDeduped(key, id, payload []byte) {
	for len(b.DedupeIDs) < len(b.Ends) {
		b.DedupeIDs = append(b.DedupeIDs, storage.DedupeID{})
	}
	known := len(b.DedupeIDs)
	b.EndMessage(key)
	b.DedupeIDs = append(b.DedupeIDs[:known], storage.DedupeID{
		Hash: xxhash.Sum64(id), Payload: xxhash.Sum64(payload), Present: true,
	})
}

// tracked says that the outcome of the batch is told message by message.
func (b *PublishBatch) tracked() bool { return b.Sequence != nil || len(b.DedupeIDs) > 0 }

// plan notes which of the batch's messages goes into which append, and which into
// none.
func (b *PublishBatch) plan() {
	b.planned = b.planned[:0]
	refused, index := b.Refused, 0
	for i := range b.Ends {
		for ; len(refused) > 0 && refused[0].Index == index; index++ {
			b.planRefused(refused[0])
			refused = refused[1:]
		}
		b.planStored(b.appendOf(i))
		index++
	}
	for _, r := range refused {
		b.planRefused(r)
	}
}

// appendOf is the index of the append that holds a message.
func (b *PublishBatch) appendOf(i int) uint16 {
	if len(b.publish.Appends) == 1 {
		return 0
	}
	return b.split.chosen[i]
}

func (b *PublishBatch) planStored(at uint16) {
	if n := len(b.planned); n > 0 && b.planned[n-1].Fate == storage.Stored && b.planned[n-1].Append == at {
		b.planned[n-1].Count++
		return
	}
	b.planned = append(b.planned, storage.BatchPart{Count: 1, Fate: storage.Stored, Append: at})
}

func (b *PublishBatch) planRefused(r RefusedMessage) {
	if n := len(b.planned); n > 0 && b.planned[n-1].Fate == storage.Refused && b.planned[n-1].Refusal == r.Refusal {
		b.planned[n-1].Count++
		return
	}
	b.planned = append(b.planned, storage.BatchPart{Count: 1, Refusal: r.Refusal})
}

// number makes the batch one of a producer's for the store.
func (b *PublishBatch) number(p storage.Producer) {
	b.produced = storage.ProducerBatch{
		Producer: p, Topic: b.Topic.topic.id,
		First: b.Sequence.First, Count: uint32(b.Sequence.Count), Hash: b.Sequence.Hash,
		Follows: b.Sequence.Follows, Parts: b.planned,
	}
	b.publish.Producer = &b.produced
}
