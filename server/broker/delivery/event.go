package delivery

import "time"

// SessionID is the caller's handle for a session: unique, never used again.
type SessionID uint64

// Event is something that happened to the subscription. All events are handed
// over as pointers; Apply keeps none of them.
type Event interface{ event() }

// Stamp says to which session an event belongs and when it was read. Events for
// a session that is not attached are ignored: they are late frames.
type Stamp struct {
	Session SessionID
	// Incarnation tells the streams of a session that was taken up again apart; a
	// late frame of the one before is ignored, too.
	Incarnation uint32
	At          Instant
}

// Replenish is how a session gives credit.
type Replenish uint8

const (
	// OnSettle caps what is outstanding: settling frees credit. The default.
	OnSettle Replenish = iota
	// Manual gives cumulative limits with each Grant. Credit starts at zero.
	Manual
)

// Features is what a session's client announced that it can do.
type Features uint8

const (
	// TellsStarted: the client tells which deliveries it began to work on. Without
	// it a delivery counts as started at once.
	TellsStarted Features = 1 << iota
	// KeyBatches: the client keeps the order of several messages of one key. Without
	// it a key's next message comes when the one before it is settled.
	KeyBatches
	// AnswersRecall: the client, which tells what it starts, answers a Recall.
	AnswersRecall
	// Resumes: the client may take the session up again after its stream broke.
	Resumes
)

// Attach adds a session. The answer is an Attached or an EndSession.
type Attach struct {
	Stamp
	ClientID  string
	Replenish Replenish
	// Window is the first window of an OnSettle session; ignored in Manual, but for one
	// that pulls.
	Window Credit
	// Pull: the session has no stream. It is Manual and granted its Window once; one that
	// is taken up again gets nothing more.
	Pull bool
	// MaxFrameBytes is never exceeded by a Deliver; 0 means DefaultMaxFrameBytes.
	MaxFrameBytes uint64
	// Lease is the work lease, MinLease..MaxLease; 0 means the subscription's.
	Lease time.Duration
	// Takeover ends the session that holds an exclusive subscription.
	Takeover bool
	Features Features
	// Resume takes the session up again, on a stream with another incarnation; nil: it
	// is a new one. If it is not there any more, a new one begins; but exactly once, for
	// what is stored of it may not be gone yet: that is refused with EndNotResumed.
	Resume *Resume
}

// Window replaces the window of an OnSettle session; for a Manual one it ends
// the session.
type Window struct {
	Stamp
	Credit
}

// Grant sets the cumulative limits of a Manual session: it may be sent sequences
// up to ThroughSequence and charged up to ThroughBytes. Either may go down. For
// an OnSettle session it ends the session.
type Grant struct {
	Stamp
	ThroughSequence uint64
	ThroughBytes    uint64
}

// SequenceRange is a range of a session's sequences, both ends included.
type SequenceRange struct{ First, Last uint64 }

// Started tells which deliveries the client began to work on: their work leases
// begin when it was read. What was started already, is not the session's any more
// or never was, is passed over.
type Started struct {
	Stamp
	Ranges []SequenceRange
}

// Verdict is how a delivery ends.
type Verdict uint8

const (
	// Ack: done, never again.
	Ack Verdict = iota + 1
	// Retry: a failure; counts, and comes back after a backoff.
	Retry
	// Release: given back untouched; counts nothing.
	Release
	// Reject: to the dead letters. Not served unless Config.DeadLetters: then each
	// range fails.
	Reject
)

// Settle ends deliveries. Number continues the session's series of Settle and
// Extend; a number already applied changes nothing.
type Settle struct {
	Stamp
	Number  uint64
	Ranges  []SequenceRange
	Verdict Verdict
	// Delay is a Retry's own delay, raised to MinRetryDelay and cut at
	// MaxRetryDelay; negative means none: the backoff applies.
	Delay time.Duration
	// Code and Reason of a Retry or Reject are remembered among the message's last
	// failures.
	Code   string
	Reason string
}

// Extend prolongs the leases of deliveries to Duration from when it was read;
// 0 means the session's lease. A lease is never shortened, and never held
// beyond the cap. What was not started is started by it. Number continues the
// series of Settle.
type Extend struct {
	Stamp
	Number   uint64
	Ranges   []SequenceRange
	Duration time.Duration
}

// Drain asks for no further deliveries. Drained follows when nothing is
// outstanding and every settle is confirmed; after Grace, at most MaxLease, the
// rest is released.
type Drain struct {
	Stamp
	Grace time.Duration
}

// DetachHow says how a stream ended.
type DetachHow uint8

const (
	// Clean: the client closed its side. What it holds is released uncharged; an
	// EndSession follows as soon as its settles are confirmed.
	Clean DetachHow = iota + 1
	// Broken: the stream failed. Each unsettled delivery that was started counts as
	// expired, the others as lost, and is due at once; or the session waits to be taken
	// up again, see Config.ResumeWindow. No effect for this session follows, but for what was decided on
	// earlier events of the same Apply.
	Broken
	// Gone: the server ended the stream for a reason that is not the client's
	// failure (deleted, store failed). Released uncharged. No effect follows.
	Gone
)

// Detach tells that a session's stream ended.
type Detach struct {
	Stamp
	How DetachHow
}

// Leave tells that who pulled waits no more: what there is comes now, then Drained.
type Leave struct{ Stamp }

// Heard tells that a frame with no other meaning here arrived (a heartbeat).
// Every other event that a session's client caused counts as heard, too.
type Heard struct{ Stamp }

// Writable tells whether a session's outbound queue has room. Sessions start
// writable. The caller reports false before it calls Next again.
type Writable struct {
	Stamp
	Writable bool
}

// Head tells that messages below Next are durable in a partition.
type Head struct {
	Partition uint32
	Next      uint64
}

// Segment describes messages Base, Base+1, … of a partition, whose bytes the
// caller has at hand until an Unload names it.
//
//	       Start     Ends[0]      Ends[1]
//	bytes  | message Base | message Base+1 | …
type Segment struct {
	Base  uint64
	Start uint32
	// Ends is kept and shared, never written to.
	Ends []uint32
	// Time is when the messages entered the log, in the caller's unit.
	Time int64
	// KeyHashes has the key of each message; nil when none has one. It is kept and
	// shared like Ends.
	KeyHashes []KeyHash
}

// Loaded tells that segments are at hand. It answers a Load with the segment
// that holds the asked offset first, or comes on its own right after the Head
// that announced the messages. Segments that are not wanted are unloaded again.
type Loaded struct {
	Partition uint32
	Segments  []Segment
}

// Hole tells that offsets hold no message (any more): they count as settled. It
// also answers a Load whose offset lies in one.
type Hole struct {
	Partition uint32
	First     uint64
	Last      uint64
}

// Remembered tells of the failures of a message that comes back from the dead letters.
// It comes with the Head that announces the message; what has failed since stands.
type Remembered struct {
	Partition uint32
	Offset    uint64
	History   *History
}

// ReleaseKeys lets parked keys go on: those with these hashes, or all.
type ReleaseKeys struct {
	Partition uint32
	Hashes    []uint32
	All       bool
}

// Hold has the subscription stand still: nothing is dispatched any more, what is to be
// committed is, and once it StandsStill no change set begins until a Seek, or a Hold with
// End. The owner reads nothing of clients meanwhile.
type Hold struct{ End bool }

// Seek moves the subscription, and ends a Hold: what the cursors say takes the place of
// all that is known of their partitions. What was out there is revoked, uncharged; what
// was not written down yet is forgotten, and parked keys go on. It comes while it
// StandsStill.
type Seek struct {
	At Instant
	// Cursors are of a later generation. Their Counters are not looked at.
	Cursors []Cursor
}

// Committed tells that the change set with this number is durable.
type Committed struct{ Number uint64 }

// Stalled tells that the server did not read for a while: every lease and
// liveness deadline moves by that much. It comes before the events that were
// read after the stall.
type Stalled struct{ Duration time.Duration }

// Shutdown stops dispatch for good: each session gets a GoAway, and is ended when
// it holds nothing or when Grace, at most MaxLease, is over; the rest is released
// uncharged.
type Shutdown struct {
	At    Instant
	Grace time.Duration
}

// Move asks sessions to leave their streams: each gets a GoAway, and nothing new. What a
// session holds that may be taken up again is its own: another stream takes it up, or
// at the end of Grace, at most MaxLease, its stream ends and it waits, and nothing is charged.
// Another session is ended when it holds nothing, or when Grace is over; the rest is
// released uncharged. Who drains goes already.
type Move struct {
	At Instant
	// Session is the one that is asked; 0: all.
	Session SessionID
	Grace   time.Duration
	Reason  GoAwayReason
}

// Configure replaces the configuration. Mode and order cannot change. A new lease is for
// deliveries to come, of sessions that asked for none of their own.
type Configure struct{ Config Config }

func (*Attach) event()      {}
func (*Window) event()      {}
func (*Grant) event()       {}
func (*Started) event()     {}
func (*Settle) event()      {}
func (*Extend) event()      {}
func (*Drain) event()       {}
func (*Detach) event()      {}
func (*Leave) event()       {}
func (*Heard) event()       {}
func (*Writable) event()    {}
func (*Head) event()        {}
func (*Loaded) event()      {}
func (*Hole) event()        {}
func (*ReleaseKeys) event() {}
func (*Hold) event()        {}
func (*Seek) event()        {}
func (*Remembered) event()  {}
func (*Committed) event()   {}
func (*Stalled) event()     {}
func (*Shutdown) event()    {}
func (*Move) event()        {}
func (*Configure) event()   {}
