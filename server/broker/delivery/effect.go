package delivery

import "time"

// Effect is something the owner must do. All effects are handed out as
// pointers and are to be performed in order.
type Effect interface{ effect() }

// Upper bounds for the encoding of a Deliver beside its messages. A frame is
// filled so that FrameBytes + RunBytes per run + AttemptBytes per entry of
// Attempts + the messages' bytes stay within the session's MaxFrameBytes.
const (
	FrameBytes   = 64
	RunBytes     = 32
	AttemptBytes = 32
)

// Ceilings are the effective limits on what a session may hold; 0 = none. The
// stream's is the smaller of its window and the server's ceiling.
type Ceilings struct {
	Stream       Ceiling
	Client       Ceiling
	Subscription Ceiling
}

// Attached tells that a session was admitted. It precedes its other effects.
type Attached struct {
	Session     SessionID
	Incarnation uint32
	// Resumed is set when the session was taken up again.
	Resumed  *Resumed
	Lease    time.Duration
	Ceilings Ceilings
}

// Run is a range of offsets of a partition.
type Run struct {
	Partition uint32
	First     uint64
	Count     uint32
}

// AttemptRun says that Count messages, from the one at Index of its frame on,
// are at the same attempt, above 1.
type AttemptRun struct {
	Index   uint32
	Count   uint32
	Attempt uint32
}

// Deliver is one frame for one session: the messages of Runs in order, with
// sequences from FirstSequence on. Each run lies in one loaded segment.
type Deliver struct {
	Session       SessionID
	FirstSequence uint64
	// Messages and Bytes are what the frame holds.
	Messages uint32
	Bytes    uint64
	// ChargedBytes is the session's cumulative charge, this frame included.
	ChargedBytes uint64
	Runs         []Run
	Attempts     []AttemptRun
}

// FailureReason says why a range of a settle came to nothing.
type FailureReason uint8

const (
	// Unknown: the sequence was never given to this session.
	Unknown FailureReason = iota + 1
	// Stale: the delivery is no longer this session's.
	Stale
	// NotServed: the verdict is known but not served.
	NotServed
	// LeaseCapped: the extension was cut at the cap on leases.
	LeaseCapped
)

// Failure is a part of a settle that came to nothing.
type Failure struct {
	Number uint64
	Range  SequenceRange
	Reason FailureReason
}

// SettleResult tells that every settle and extension with a number up to
// ConfirmedThrough is durable; Failures come with the numbers newly confirmed,
// and with repeated ones, ascending by number.
type SettleResult struct {
	Session          SessionID
	ConfirmedThrough uint64
	Failures         []Failure
}

// Blocked is a set of reasons why nothing comes.
type Blocked uint32

// Reasons of a Blocked set. Those that later features bring are absent.
const (
	NoCreditMessages Blocked = 1 << iota
	NoCreditBytes
	NoMessages
	SubscriptionCap
	ClientCap
	RetryBackoff
	MessageTooLarge
	WriteStalled
	// KeysBlocked: messages wait for earlier ones of their keys.
	KeysBlocked
	// Standby: another session of a failover subscription is served.
	Standby
	// Paused: the subscription is.
	Paused
	// RateLimited: the subscription's dispatch cap is reached.
	RateLimited
	// Draining: the session, or the subscription, gives out nothing more. It comes
	// alone.
	Draining
)

// Flow is a session's heartbeat and tells what holds it back.
type Flow struct {
	Session SessionID
	// Credit is what may still be sent, in messages and bytes.
	Credit      Credit
	Outstanding Credit
	// Backlog is the number of unsettled messages of the subscription.
	Backlog uint64
	// OldestTime is the Time of the segment of the oldest unsettled message, as far as
	// it is known; 0 when unknown or when there is none.
	OldestTime int64
	Blocked    Blocked
	// NeedsBytes is the size of the message that waits for byte credit; 0: none.
	NeedsBytes uint64
	// Lease is the work lease of the deliveries to come.
	Lease    time.Duration
	Ceilings Ceilings
}

// RevokeReason says why deliveries are no longer a session's.
type RevokeReason uint8

const (
	// LeaseExpired: the work lease ended; the delivery counts as expired.
	LeaseExpired RevokeReason = iota + 1
	// KeyOrder: an earlier message of the key came back; uncharged.
	KeyOrder
	// TakenOver: another session took the exclusive subscription over; uncharged.
	TakenOver
	// QueueLeaseEnded: nothing was heard for so long that what was not started is
	// given to others; uncharged.
	QueueLeaseEnded
	// Sought: the subscription was moved; uncharged.
	Sought
	// DrainEnded: the grace of a drain or a shutdown ended; uncharged.
	DrainEnded
)

// Revoked tells that deliveries are no longer the session's.
type Revoked struct {
	Session SessionID
	Ranges  []SequenceRange
	Reason  RevokeReason
}

// Recall asks for deliveries that were not started: the client answers with a Release
// of those that it still did not start. Until then they are its own.
type Recall struct {
	Session SessionID
	Ranges  []SequenceRange
}

// GoAwayReason says why a session is asked to go.
type GoAwayReason uint8

const (
	// GoAwayShutdown: the server stops; there is no other to go to.
	GoAwayShutdown GoAwayReason = iota
	// GoAwayRebalance: all sessions are to open their streams anew.
	GoAwayRebalance
	// GoAwayStream: this one is.
	GoAwayStream
)

// GoAway tells a session that the server will end its stream within Grace.
type GoAway struct {
	Session SessionID
	Grace   time.Duration
	Reason  GoAwayReason
}

// Drained answers a Drain: nothing is outstanding, every settle is confirmed.
type Drained struct{ Session SessionID }

// EndReason says why a session ended.
type EndReason uint8

const (
	// EndClosed: the client closed its side; all is confirmed. Status OK.
	EndClosed EndReason = iota + 1
	// EndShutdown: the server shuts down. Status OK for a session that was served,
	// UNAVAILABLE for one that was refused.
	EndShutdown
	// EndRefused: another session holds the exclusive subscription.
	EndRefused
	// EndTakenOver: another session took the exclusive subscription over.
	EndTakenOver
	// EndSilent: three heartbeats were missed. Charged like a broken stream.
	EndSilent
	// EndSettleGap: a settle's number skipped one. Charged like a broken stream.
	EndSettleGap
	// EndWrongCredit: a Window in Manual, or a Grant in OnSettle. Charged likewise.
	EndWrongCredit
	// EndAttachedTwice: an Attach for a session that is attached. Charged likewise.
	EndAttachedTwice
	// EndFailuresUnread: more failures of settles wait to be told than are kept.
	// Charged likewise.
	EndFailuresUnread
	// EndSuperseded: another stream took the session up again. The session goes on.
	EndSuperseded
	// EndNotResumed: the session waited to be taken up again, in vain. Charged like a
	// broken stream; there is no stream. Or, not Served: there is no such session of an
	// exactly-once subscription, and a new one needs a new id.
	EndNotResumed
	// EndMoved: its stream was to be left, and it holds nothing or the grace is over.
	// Status OK.
	EndMoved
	// EndBadAttach: the Attach asked for a lease out of bounds.
	EndBadAttach
	// EndNeedsManual: the Attach asked for an OnSettle session of an at-most-once
	// subscription.
	EndNeedsManual
)

// EndSession tells to end a session's stream. It is the session's last effect, but for
// EndSuperseded, and for EndSilent and EndMoved when the session Waits to be taken up
// again: then it is the stream's.
type EndSession struct {
	Session     SessionID
	Incarnation uint32
	Reason      EndReason
	Waits       bool
	// Served is false when the session was never admitted.
	Served bool
}

// Load asks for the segment that holds Offset and, while they are below Bytes
// in all, those behind it. One Loaded, or a Hole over Offset, answers it.
type Load struct {
	Partition uint32
	Offset    uint64
	Bytes     uint64
}

// Unload tells that the segment is not needed any more. In a turn all Unloads come
// behind the Delivers that still name them, and before the Loads.
type Unload struct {
	Partition uint32
	Base      uint64
}

// PartitionChange is what changed in one partition.
type PartitionChange struct {
	Partition  uint32
	Generation uint64
	Floor      uint64
	Counters   Counters
	// Chunks replace the stored ones whole.
	Chunks []Chunk
	// Dropped lists ranges of chunk indexes that are below the floor now and were
	// stored; they go.
	Dropped []OffsetRange
	// Keys are those that were parked or released.
	Keys []KeyChange
}

// KeyChange says that a key is parked from now on, or not any more.
type KeyChange struct {
	Hash   uint32
	Parked bool
}

// ChangeSet is what must become durable, as one commit. It is bounded to
// MaxChangeSetBytes and MaxChangeSetKeys by estimate. Numbers count 1, 2, 3…
// for the life of a State. It stays valid until its Committed was applied.
type ChangeSet struct {
	Number     uint64
	Partitions []PartitionChange
	// DeadLetters are stored with their messages. Each one is settled by this set.
	DeadLetters []DeadLetter
	// Sessions are what changed of the sessions of an exactly-once subscription.
	Sessions []SessionChange
}

// Bounds of a change set, as the store will write it. One dead letter that is larger
// goes with nothing but its chunk and the cursors.
const (
	MaxChangeSetBytes = 256 << 10
	MaxChangeSetKeys  = 2000
)

func (*Attached) effect()     {}
func (*Deliver) effect()      {}
func (*SettleResult) effect() {}
func (*Flow) effect()         {}
func (*Revoked) effect()      {}
func (*Recall) effect()       {}
func (*GoAway) effect()       {}
func (*Drained) effect()      {}
func (*EndSession) effect()   {}
func (*Load) effect()         {}
func (*Unload) effect()       {}
func (*ChangeSet) effect()    {}
