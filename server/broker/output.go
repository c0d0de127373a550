package broker

import (
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

// The words that sessions share with the delivery state machine.
type (
	// SequenceRange is a range of a session's sequences, both ends included.
	SequenceRange = delivery.SequenceRange
	// Verdict is how a delivery ends.
	Verdict = delivery.Verdict
	// Replenish is how a session gives credit.
	Replenish = delivery.Replenish
	// Blocked is a set of reasons why nothing comes.
	Blocked = delivery.Blocked
	// RevokeReason says why deliveries were taken away.
	RevokeReason = delivery.RevokeReason
	// SettleFailure is a part of a settle that came to nothing.
	SettleFailure = delivery.Failure
	// AttemptRun gives the attempt, above 1, of consecutive messages of a frame.
	AttemptRun = delivery.AttemptRun
	// PositionRun is a run of consecutive offsets of one partition.
	PositionRun = delivery.Run
)

// Limits of frames and slots.
const (
	// MaxRanges is the most ranges that a frame names.
	MaxRanges = 10_000
	// MaxUnconfirmedSettles is how many settles and extends a client may have sent
	// without a confirmation.
	MaxUnconfirmedSettles = 1024
)

// Output is what a session's send loop writes next. Exactly one field is set.
type Output struct {
	Frame        *Frame
	SettleResult *SettleResult
	Flow         *FlowState
	Revoked      *Revoked
	Recall       *Recall
	GoAway       *GoAway
	Drained      bool
}

// SettleResult tells that every settle and extend up to ConfirmedThrough is
// durable, and what did not apply among those newly confirmed.
type SettleResult struct {
	ConfirmedThrough uint64
	Failures         []SettleFailure
}

// FlowState tells why deliveries flow or do not; it is the heartbeat, too.
type FlowState struct {
	// Credit is what may still be sent, Outstanding what the session holds.
	Credit, Outstanding Amount
	// Backlog is what the subscription has not settled, outstanding included; its
	// bytes are estimated from the mean size of what is retained.
	Backlog Amount
	// OldestAge is the age of the subscription's oldest unsettled message as far as
	// it is known; 0: unknown or none.
	OldestAge time.Duration
	Blocked   Blocked
	// NeedsBytes is the size of the message that waits for byte credit; 0: none.
	NeedsBytes uint64
	// Limits are the values in force, when they changed since they were last told.
	Limits *SessionLimits
}

// Revoked tells that deliveries are no longer the session's. It never overtakes
// the frame that brought them.
type Revoked struct {
	Ranges []SequenceRange
	Reason RevokeReason
}

// Recall asks the client for deliveries that it did not start: it answers with a
// Release. It never overtakes the frame that brought them.
type Recall struct{ Ranges []SequenceRange }

// GoAwayReason says why a session is asked to leave its stream.
type GoAwayReason = delivery.GoAwayReason

// GoAway tells the client that its stream will end within Grace, and why.
type GoAway struct {
	Reason GoAwayReason
	Grace  time.Duration
}

// SessionLimits are the values in force for one session.
type SessionLimits struct {
	MaxFrameBytes int
	// MaxOutstanding is the server's ceiling on the session, ClientMaxOutstanding
	// that of its client id, SubscriptionMaxOutstanding that of all sessions
	// together; a zero unit means none.
	MaxOutstanding             Amount
	ClientMaxOutstanding       Amount
	SubscriptionMaxOutstanding Amount
	// Lease is the work lease of a delivery, MaxLease the longest with extensions.
	Lease, MaxLease time.Duration
	// ResumeWindow is how long the session of a broken stream waits to be taken up
	// again; 0: not at all, or the client did not announce that it does that.
	ResumeWindow time.Duration
}
