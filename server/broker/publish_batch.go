package broker

import (
	"sync"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// maxPooledBytes is how large a batch's buffer may be to be kept.
const maxPooledBytes = 2 << 20

// batches are used again with their buffers.
var batches = sync.Pool{New: func() any { return new(PublishBatch) }}

// PublishBatch is one batch on its way from a publish stream to the store and
// back. It is pooled: take one with NewPublishBatch, fill it, hand it to Publish,
// get it back from Next, and Release it. Its buffers are kept from use to use.
//
// Filling it costs no allocation per message: append a message's wire bytes to
// Messages, then call EndMessage.
type PublishBatch struct {
	// Topic is where the batch goes. It may be nil when Err is set.
	Topic *PublishTopic
	// Messages are the messages' wire bytes as the field `messages` of a delivery
	// Batch: for each one tag, length, encoded message.
	Messages []byte
	// Ends holds for each message where its wire bytes end in Messages.
	Ends []uint32
	// KeyHashes holds for each message the hash of its ordering key; empty when none
	// has a key. EndMessage keeps it.
	KeyHashes []storage.KeyHash
	// DedupeIDs holds for each message its dedupe id; empty when none has one.
	// EndDeduped keeps it.
	DedupeIDs []storage.DedupeID
	// Sequence is where the batch stands among a producer's; nil without a producer.
	Sequence *BatchSequence
	// Refused are the messages of the batch that are at fault by themselves and were
	// left out. With a sequence or dedupe ids they belong to what is remembered.
	Refused []RefusedMessage
	// Sent is what the batch takes of the publish window, as the client counts it:
	// every message that it sent, refused ones included.
	Sent Amount
	// LastSentBytes is the size of the last message in Sent: it alone may pass the
	// end of the window.
	LastSentBytes uint64
	// OneWay: the client wants no result. The batch comes back from Next all the
	// same, so that the window can rise.
	OneWay bool
	// Note is the caller's own: what it needs to write the result.
	Note any

	// Buffered: it was accepted by a buffered topic, and is not durable yet.
	Buffered bool
	// Err is the outcome, for the batch as a whole: nil when it is durable, or
	// accepted. A batch
	// that is handed to Publish with Err set is not stored, it comes back in its
	// turn. Outcomes: ErrTopicNotFound, ErrTopicDeleted, ErrDiskFull, ErrDataLoss,
	// ErrMessageTooLarge when nothing is stored.
	Err error
	// Runs say where the messages stand, in their order, when Err is nil and Parts is
	// empty.
	Runs []PublishedRun
	// Parts say instead what became of each message, those refused among them, where
	// the store remembers it or dedupe ids decide.
	Parts []storage.BatchPart
	// LookedUp is the answer, when the batch is a question.
	LookedUp *LookedUp

	publish  storage.Publish
	produced storage.ProducerBatch
	// planned are Parts before their messages have positions.
	planned []storage.BatchPart
	// split is made when a batch is divided for the first time.
	split *batchSplit
	// refused says that the store never sees the batch.
	refused bool
	// full says whose backlog was full as a producer's batch was handed over.
	full error
	// handedAt is when the batch went to the store.
	handedAt delivery.Instant
}

// PublishedRun says where consecutive messages of a batch were stored: at
// consecutive offsets of one partition.
type PublishedRun struct {
	// Index counts the batch's messages from 0.
	Index     int
	Partition uint16
	Offset    storage.Offset
	Count     int
}

// NewPublishBatch takes an empty batch from the pool.
func NewPublishBatch() *PublishBatch {
	return batches.Get().(*PublishBatch) //nolint:forcetypeassert // the pool holds nothing else
}

// EndMessage ends the message whose wire bytes were just appended to Messages. An
// empty key means none.
func (b *PublishBatch) EndMessage(key []byte) {
	b.Ends = append(b.Ends, uint32(len(b.Messages)))
	if len(b.DedupeIDs) > 0 {
		b.DedupeIDs = append(b.DedupeIDs, storage.DedupeID{})
	}
	if len(key) == 0 && len(b.KeyHashes) == 0 {
		return
	}
	for len(b.KeyHashes) < len(b.Ends)-1 {
		b.KeyHashes = append(b.KeyHashes, storage.KeyHash{})
	}
	b.KeyHashes = append(b.KeyHashes, HashKey(key))
}

// Len is the number of messages.
func (b *PublishBatch) Len() int { return len(b.Ends) }

// Release gives the batch back to the pool. A batch that is in the store's hands
// is not to be released.
func (b *PublishBatch) Release() {
	if cap(b.Messages) > maxPooledBytes {
		return
	}
	b.reset()
	batches.Put(b)
}

// reset empties the batch and keeps its buffers.
func (b *PublishBatch) reset() {
	clear(b.publish.Appends)
	if b.split != nil {
		b.split.reset()
	}
	*b = PublishBatch{
		Messages:  b.Messages[:0],
		Ends:      b.Ends[:0],
		KeyHashes: b.KeyHashes[:0],
		DedupeIDs: b.DedupeIDs[:0],
		Refused:   b.Refused[:0],
		Runs:      b.Runs[:0],
		Parts:     b.Parts[:0],
		planned:   b.planned[:0],
		publish:   storage.Publish{Appends: b.publish.Appends[:0]},
		split:     b.split,
	}
}
