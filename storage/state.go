package storage

// chunk geometry of delivery state on disk.
const (
	// ChunkOffsets is how many offsets one ack chunk covers.
	ChunkOffsets = 1 << chunkShift
	chunkShift   = 12
)

// ChunkOf is the index of the ack chunk that covers an offset.
func ChunkOf(o Offset) uint64 { return uint64(o) >> chunkShift }

// ChangeSet is what one subscription's loop wants durable: the new state of the
// partitions that changed. A loop has at most one in the committer.
type ChangeSet struct {
	Subscription SubscriptionID
	Cursors      []CursorChange
	// Sessions are what changed of the sessions of an exactly-once subscription, each at
	// most once.
	Sessions []SessionChange
}

// CursorChange is the new delivery state of one partition.
type CursorChange struct {
	Partition uint16
	// Generation is the cursor's: a change of another one is ErrStale. 0 goes with any.
	Generation uint64
	// Floor: every message before it is settled. It never goes back within a
	// generation. Chunks that lie wholly below it are deleted by the store.
	Floor Offset
	// Counters are the new values, stored with the cursor.
	Counters Counters
	// Chunks are the ack chunks that changed, each with its whole content, in order
	// of their indexes.
	Chunks []Chunk
	// Histories are the failures of messages that failed again, each with all that is
	// kept, within BoundFailures, by offset. Whatever is settled loses its history.
	Histories []History
	// Keys are the ordering keys that are parked from now on, or no longer, by hash.
	Keys []KeyChange
	// DeadLetters are messages given up, settled by the same change. The store copies
	// them, gives them their sequences, and forwards what is to be.
	DeadLetters []DeadLetter
}

// Counters are a partition's delivery statistics since its subscription was
// created. They survive a restart as of the last change set.
type Counters struct {
	// Delivered counts deliveries; Redelivered those that were not the first one.
	Delivered, Redelivered uint64
	// Acked counts messages; Retried, Released and Expired count deliveries that
	// ended so.
	Acked, Retried, Released, Expired uint64
	// Rejected counts deliveries that ended so, DeadLettered messages given up.
	Rejected, DeadLettered uint64
	// Removed and Dropped count messages that were not settled when they went: by the
	// topic's retention, and by the cap on the backlog.
	Removed, Dropped uint64
}

// Chunk is the whole content of one ack chunk at and above the floor.
type Chunk struct {
	// Index is ChunkOf of its offsets.
	Index uint64
	// Acked are the settled ranges, sorted, disjoint, not adjacent, inside the
	// chunk.
	Acked []OffsetRange
	// Attempts are the unsettled messages that failed or expired, by offset.
	Attempts []AttemptCount
}

// AttemptCount is how often the delivery of one unsettled message came to nothing.
type AttemptCount struct {
	Offset Offset
	// Failed and Expired are the charged attempts: settled with a failure, ended with
	// their lease or session.
	Failed, Expired uint32
	// Lost counts deliveries that were not begun when their session broke.
	Lost uint32
	// Charged counts the attempts that were charged since there is a bound on them.
	Charged uint32
	// Dead says why the message was given up, until its dead letter is stored; 0: it
	// was not.
	Dead DeadReason
	// NotBefore is when the message is due again, in Unix milliseconds; 0: at once.
	NotBefore int64
}

// MaxNotBefore bounds AttemptCount.NotBefore, in Unix milliseconds.
const MaxNotBefore = 1<<48 - 1

// Cursor is the delivery state of one partition as recovery found it.
type Cursor struct {
	Partition  uint16
	Generation uint64
	Floor      Offset
	Counters   Counters
	// Dead is how many dead letters of the partition are kept, DeadLast the sequence of the
	// last that there ever was.
	Dead, DeadLast uint64
	// Holes are the ranges at and above the floor that hold no message.
	Holes  []OffsetRange
	Chunks []Chunk
	// Histories are the failures kept of unsettled messages.
	Histories []History
	// Parked are the hashes of the parked keys, ascending.
	Parked []uint32
}

// StateSlot is one subscription's place in the committer's inbox. It holds one
// change set, so that submitting never blocks. Loop only, but for Ready.
type StateSlot interface {
	// Submit hands a change set over; the slot must be idle. The store may read it
	// until it is done.
	Submit(c *ChangeSet)
	// Ready is signalled (capacity 1) when the submitted change set is done.
	Ready() <-chan struct{}
	// Done reports whether the slot is idle, and the error of the last change set:
	// ErrNoSpace (below the second mark: submit again later), ErrUnavailable,
	// ErrUnknown, ErrDataLoss (this subscription is fenced), ErrNotFound (it is
	// deleted), ErrStale (it was moved meanwhile).
	Done() (idle bool, err error)
	// Close gives the slot up; an open change set is still committed.
	Close()
}
