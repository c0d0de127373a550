package broker

import (
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// Standing is where a message stands.
type Standing = delivery.Standing

// MessageExplanation says where a message stands, and why.
type MessageExplanation struct {
	Partition uint32
	Offset    uint64
	Standing  Standing
	// Attempt is that of its delivery, or the next one's.
	Attempt               uint32
	Failed, Expired, Lost uint32
	Failures              []storage.Failure
	// Holder is set of one that is outstanding.
	Holder *Holder
	// Due is when one that waits is due; zero: it waits for no time.
	Due time.Time
	// Ahead counts the messages of its partition that come before one that is fresh.
	Ahead uint64
	// Key is set of one that waits for its key.
	Key *KeyExplanation
	// DeadLetter is the sequence of the dead letter that it is; 0: none was found.
	DeadLetter uint64
	// MoreLetters: it may be a dead letter all the same, for not all were looked at.
	MoreLetters bool
	// Forward is what became of forwarding that; nil: nothing was to.
	Forward *storage.Forward
	// Trimmed: it was removed from the topic.
	Trimmed bool
}

// Holder is the session that holds a delivery.
type Holder struct {
	Session, ClientID string
	HeldDelivery
}

// HeldDelivery is a delivery that a session holds.
type HeldDelivery struct {
	Sequence  uint64
	Partition uint32
	Offset    uint64
	Since     time.Time
	Started   bool
	LeaseEnd  time.Time
}

// KeyExplanation says how an ordering key stands in one partition.
type KeyExplanation struct {
	Partition    uint32
	Busy, Parked bool
	// Session holds Outstanding messages of it; empty: nobody does.
	Session     string
	Outstanding uint64
	// Next is the offset that goes next, if HasNext; NextDue is zero when it waits for
	// no time.
	Next    uint64
	HasNext bool
	NextDue time.Time
	Waiting uint64
}

// SessionExplanation says how a session stands.
type SessionExplanation struct {
	Stats        SessionStats
	BlockedSince time.Time
	// Away: its stream broke; it waits until AwayUntil to be taken up again.
	Away      bool
	AwayUntil time.Time
	Holding   []HeldDelivery
}

// FlowExplanation says what holds a subscription up as a whole.
type FlowExplanation struct {
	Backlog, Outstanding Amount
	Waiting, Fresh       uint64
	Paused               bool
	// RateLimitedUntil and NextRetry are zero when nothing waits for that.
	RateLimitedUntil, NextRetry time.Time
	// Oldest is the oldest unsettled message, nil when there is none.
	Oldest   *MessageExplanation
	Sessions []SessionStats
}
