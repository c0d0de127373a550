package storage

import (
	"time"
	"unicode/utf8"
)

// MaxDeadLetters is how many dead letters one call takes away.
const MaxDeadLetters = 1000

// Bounds of what is kept of failures.
const (
	// MaxFailures is how many of a message's last failures are kept.
	MaxFailures = 8
	// MaxFailureReasonBytes, MaxFailureCodeBytes and MaxFailureClientBytes bound the
	// texts of one failure.
	MaxFailureReasonBytes = 1 << 10
	MaxFailureCodeBytes   = 255
	MaxFailureClientBytes = 255
	// MaxHistoryBytes bounds all failures kept of one message, so that they stay
	// inline in the engine.
	MaxHistoryBytes = 3 << 10
	// failureBytes is what a failure takes beside its texts.
	failureBytes = 16
)

// Failure is one delivery of a message that came to nothing.
type Failure struct {
	Time time.Time
	// Client is the client id of the session.
	Client string
	Kind   FailureKind
	// Code and Reason are what the client gave with its settle.
	Code, Reason string
}

// FailureKind is how a delivery came to nothing. The kinds are stored: never
// renumber.
type FailureKind uint8

// The kinds of failures.
const (
	// FailureRetried: settled as failed.
	FailureRetried FailureKind = 1
	// FailureExpired: the work lease ended, or the session broke after the work had
	// begun.
	FailureExpired FailureKind = 2
	// FailureLost: the session broke before the work had begun.
	FailureLost FailureKind = 3
	// FailureRejected: settled as hopeless.
	FailureRejected FailureKind = 4
)

// History is the failures kept of one message, the oldest first.
type History struct {
	Offset   Offset
	Failures []Failure
}

// BoundFailures keeps of all failures the newest that fit MaxFailures and
// MaxHistoryBytes. Texts above their own bounds are cut, and so is the reason of
// the oldest one that is kept.
func BoundFailures(all []Failure) []Failure {
	all = all[max(0, len(all)-MaxFailures):]
	room := MaxHistoryBytes
	for i := len(all) - 1; i >= 0; i-- {
		f := &all[i]
		f.Client, f.Code = cut(f.Client, MaxFailureClientBytes), cut(f.Code, MaxFailureCodeBytes)
		room -= failureBytes + len(f.Client) + len(f.Code)
		if room < 0 {
			return all[i+1:]
		}
		f.Reason = cut(f.Reason, min(MaxFailureReasonBytes, room))
		room -= len(f.Reason)
	}
	return all
}

// cut shortens a text to at most n bytes, between characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// DeadLetter is a message that a subscription has given up, with its body.
type DeadLetter struct {
	// Sequence counts a subscription's dead letters from 1, over all partitions. Set
	// by the store; who tells it must know it.
	Sequence uint64
	// Partition and Offset are where the message stood.
	Partition uint16
	Offset    Offset
	// LogTime is when the log took the message in, DeadTime when it was given up.
	LogTime, DeadTime time.Time
	Reason            DeadReason
	// Failed, Expired and Lost are the counts as they were, as in AttemptCount.
	Failed, Expired, Lost uint32
	// Failures are the last ones, the oldest first, within BoundFailures.
	Failures []Failure
	// Key is the hash of the message's ordering key.
	Key KeyHash
	// Message is the message's wire bytes, as in Append.Messages.
	Message []byte
	// Forward is what became of it beside; nil: nothing was to.
	Forward *Forward
}

// DeadReason is why a message was given up. The reasons are stored: never renumber.
type DeadReason uint8

// The reasons.
const (
	// DeadAttempts: it failed as often as is allowed.
	DeadAttempts DeadReason = 1
	// DeadDeliveries: it was lost unbegun with broken sessions as often as is allowed.
	DeadDeliveries DeadReason = 2
	// DeadRejected: a client said that it is hopeless.
	DeadRejected DeadReason = 3
	// DeadBacklog: the backlog was above its cap.
	DeadBacklog DeadReason = 4
)

// DeadLetterID names a dead letter of a subscription.
type DeadLetterID struct {
	Sequence  uint64
	Partition uint16
}

// ID is the dead letter's.
func (d *DeadLetter) ID() DeadLetterID { return DeadLetterID{d.Sequence, d.Partition} }

// ReplayPartition stands for a subscription's private replay partition, in the
// place of a partition of its topic.
const ReplayPartition uint16 = 1<<16 - 1

// Redriven is a dead letter on its way back to delivery.
type Redriven struct {
	ID DeadLetterID
	// Message is what is delivered: the message's wire bytes with its first id and
	// times. Key is the hash of its ordering key.
	Message []byte
	Key     KeyHash
	// Failures go along, within BoundFailures.
	Failures []Failure
	// Topic and Offset are where the message stands in the replay partition. Set by the
	// store.
	Topic  TopicID
	Offset Offset
}
