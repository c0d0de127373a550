package storage

import "time"

// State is where a topic or subscription is in its life.
type State uint8

// The states of topics and subscriptions. They are stored: never renumber.
const (
	// Creating: not every partition's record is durable yet. Recovery removes it.
	Creating State = 1
	// Active: in use.
	Active State = 2
	// Deleting: being removed in steps; its name is free when it is gone.
	Deleting State = 3
	// Damaged is never stored: recovery or a read found damage and fenced it.
	Damaged State = 4
)

// Topic is what the store knows of a topic.
type Topic struct {
	ID         TopicID
	Name       string
	Partitions uint16
	State      State
	CreatedAt  time.Time
	// MinAge: no message younger than this is trimmed, but for MaxBytes.
	MinAge time.Duration
	// KeepSettled: nor is one younger than this, so that what is settled can be
	// replayed.
	KeepSettled time.Duration
	// MaxAge and MaxBytes say what goes though it is not settled: what is older, and the
	// oldest of what all partitions together keep beyond; 0: nothing.
	MaxAge   time.Duration
	MaxBytes uint64
	// DedupeWindow is how long a dedupe id counts; 0: ids are not looked at.
	// DedupeIDs bounds how many are remembered of each partition: the oldest are
	// forgotten before their time.
	DedupeWindow time.Duration
	DedupeIDs    uint32
	// Buffered: a publish is done when it is accepted. What a crash loses of it was at
	// the end; the next opening skips more offsets than can have been given. Fixed at
	// creation.
	Buffered bool
	// ReplayOf is the subscription whose redriven messages this private topic holds;
	// 0: a topic like any other.
	ReplayOf SubscriptionID
	// Definition is the broker's own description, opaque here, at most
	// MaxDefinitionBytes.
	Definition []byte
}

// KeepsFor is how long a message is kept at least, settled or not.
func (t *Topic) KeepsFor() time.Duration { return max(t.MinAge, t.KeepSettled) }

// Subscription is what the store knows of a subscription.
type Subscription struct {
	ID        SubscriptionID
	Name      string
	Topic     TopicID
	State     State
	CreatedAt time.Time
	// LastUse is when it was last used, as far as that was written down; zero: it was
	// not.
	LastUse time.Time
	// Replay is the private topic of the replay partition; 0: there is none yet.
	Replay TopicID
	// Sessions says that pages of sessions are counted, since the first was stored.
	Sessions bool
	// Snapshot is set for a snapshot: nobody receives from it.
	Snapshot *SnapshotMark
	// Definition is the broker's own description, opaque here, at most
	// MaxDefinitionBytes.
	Definition []byte
}

// MaxDefinitionBytes bounds a definition, so that it stays inline in the engine.
const MaxDefinitionBytes = 3 << 10

// Start is where a new subscription begins, resolved per partition at the commit
// that creates its cursor. What is asked below the first retained offset begins
// there; what is asked past the end is ErrNotFound.
type Start struct {
	Kind StartKind
	// Time is for StartAtTime: the first message taken in at or after it.
	Time time.Time
	// Offsets are for StartAtOffsets, by partition; others begin at latest.
	Offsets map[uint16]Offset
}

// StartKind is how a Start is meant.
type StartKind uint8

// The kinds of Start.
const (
	StartLatest StartKind = iota
	StartEarliest
	StartAtTime
	StartAtOffsets
)

// PartitionStats are figures of one partition, O(1) from cumulative counts.
type PartitionStats struct {
	// First is the first retained offset, Next the one that the next message gets.
	First, Next Offset
	// FirstTime is the log time at First, as far as it is known, NextTime that of the
	// last message.
	FirstTime, NextTime time.Time
	// RetainedMessages and RetainedBytes count from First to Next, without holes.
	RetainedMessages, RetainedBytes uint64
	// NextBytes is the cumulative size of every message ever, up to Next.
	NextBytes uint64
}

// Place is where an offset stands: what the pointer that covers it says.
type Place struct {
	// LogTime is when the message at the offset was taken in.
	LogTime time.Time
	// BytesBefore is the cumulative size of every message before the first one of
	// the offset's pointer; MessagesBefore their number.
	MessagesBefore, BytesBefore uint64
}

// Piece is what a read found at an offset: a segment that holds it, or a hole.
type Piece struct {
	// Segment holds the offset; the reader releases it. Nil for a hole.
	Segment *Segment
	// Hole is the rest of the hole, from the offset on: its offsets are settled
	// for every subscription.
	Hole OffsetRange
}
