package storage

// Append is a run of messages for one partition, in publish order.
type Append struct {
	Partition PartitionID
	// Messages are the messages' wire bytes as the field `messages` of a delivery
	// Batch: for each one the field's tag, its length, the encoded message.
	Messages []byte
	// Ends holds for each message where its wire bytes end in Messages, in bytes.
	Ends []uint32
	// KeyHashes holds for each message the hash of its ordering key (see KeyHash),
	// or is nil when none of them has a key.
	KeyHashes []KeyHash
	// DedupeIDs holds for each message its dedupe id, or is nil when none has one.
	DedupeIDs []DedupeID

	// Base is the offset given to the first message that is stored. Set before
	// completion.
	Base Offset
	// Twins are the messages that are not stored because of their dedupe ids, in
	// order; the others have consecutive offsets. Set before completion; the memory
	// is used again.
	Twins []Twin
}

// KeyHash is the 32-bit hash of an ordering key together with whether there is a
// key at all.
type KeyHash struct {
	Hash    uint32
	Present bool
}

// Publish is what enters the committer as one: the appends of one frame. All of
// it is committed in one batch. The sender owns it again once it is done.
type Publish struct {
	Appends []Append
	// Producer, when not nil, makes it a batch of a producer's.
	Producer *ProducerBatch
	// Full: a backlog of the topic's is full, so that nothing new is stored; what was
	// stored before still has its answer.
	Full bool
	// Buffered: it is done although nothing of it is durable yet, because it is of
	// topics that are buffered. Set before completion.
	Buffered bool
	// Err is the outcome, set before completion: nil when every append is durable, or
	// is to be (Buffered), ErrNoSpace, ErrBacklogFull, ErrTooLarge, ErrUnavailable or
	// ErrNotFound (a topic is gone) when
	// nothing is stored, ErrUnknown when it may be, ErrDataLoss when a partition is
	// fenced. Of a producer's batch also ErrStaleProducer, ErrSequenceGap,
	// ErrBatchChanged and ErrOutcomeForgotten, the last of which says nothing of what
	// may have been stored by an earlier publish.
	Err error
}

// Bytes is the size of all messages.
func (p *Publish) Bytes() int {
	n := 0
	for i := range p.Appends {
		n += len(p.Appends[i].Messages)
	}
	return n
}

// PublishQueue is one stream's way into the committer. The committer serves all
// queues fairly, by bytes. One goroutine puts, one goroutine takes completions;
// they may be two.
type PublishQueue interface {
	// Put queues a publish. It blocks while the queue is full (publishes or bytes)
	// and returns false when stop is closed or the store no longer takes work;
	// then p was not queued.
	Put(p *Publish, stop <-chan struct{}) bool
	// Ready is signalled (capacity 1, merged) when the head of the queue may have
	// been completed.
	Ready() <-chan struct{}
	// Done takes the oldest publish off the queue if it is completed, else nil.
	// Publishes complete in the order in which they were put.
	Done() *Publish
	// Close gives the queue up once what was put is done. It may be called while
	// publishes are still open; they are completed, and nobody is told.
	Close()
}
