package history

import (
	"fmt"
	"time"
)

// Kind is what an event says. The fields that it uses are named behind it; all
// others are 0.
type Kind uint8

// The harness writes these. A kill is written before its signal is sent.
const (
	// ServerLaunched: life Life of the server begins to start.
	ServerLaunched Kind = iota + 1
	// ServerServing: life Life serves.
	ServerServing
	// ServerKilled: life Life is about to be killed.
	ServerKilled
	// ClientKilled: client Client is about to be killed.
	ClientKilled
	// Drained: every subscription says that nothing is left.
	Drained
)

// An administrator writes these.
const (
	// SubscriptionMade: Subscription exists on Topic: exclusive when Exclusive is 1,
	// with the lease Lease and backoffs from MinBackoff to MaxBackoff, in nanoseconds. It
	// keeps ordering keys in order when Ordered is 1.
	SubscriptionMade Kind = iota + 16
	// TopicDeleted: the server said that Topic is deleted.
	TopicDeleted
	// SubscriptionDeleted: the server said that Subscription is deleted.
	SubscriptionDeleted
	// FloorSeen: the floor of Subscription in Partition is Offset. It was asked for after
	// the one before was seen.
	FloorSeen
	// HeadSeen: the next offset of Partition of Topic is Offset; likewise.
	HeadSeen
	// WentUnsettled: the server says that retention, or a cap on the backlog, took Count
	// messages of Subscription that were not settled; likewise.
	WentUnsettled
)

// A publisher writes these.
const (
	// Publishing: Count messages of Publisher from Number on are about to be sent to
	// Topic.
	Publishing Kind = iota + 32
	// Published: they are stored in Partition from Offset on.
	Published
	// Refused: they are not stored.
	Refused
	// Unknown: they may be stored.
	Unknown
)

// A subscriber writes these.
const (
	// SessionOpening: Session of Client is about to be opened on Subscription. It is
	// MANUAL when Manual is 1; else its first window is Count messages and Bytes bytes.
	SessionOpening Kind = iota + 48
	// SessionOpened: the server said so.
	SessionOpened
	// WindowSet: a window of Count messages and Bytes bytes is about to be sent.
	WindowSet
	// Granted: a grant through Last and Bytes is about to be sent.
	Granted
	// Delivered: number Number of Publisher, published to Topic, came as Sequence from
	// Partition and Offset, as attempt Attempt. It is Bytes long, and with it Charged
	// bytes were charged. It is the first of its frame when Frame is its Sequence.
	Delivered
	// Damaged: what came as Sequence from Partition and Offset is not what anybody
	// published. The rest is as for Delivered.
	Damaged
	// Settling: settle Settle is about to be sent, or a part of it: Sequence to Last get
	// Verdict, with Delay in nanoseconds, plus one; 0 is none.
	Settling
	// SettleFailed: Sequence to Last were not reached by Settle.
	SettleFailed
	// Confirmed: all settles up to Settle are durable.
	Confirmed
	// Revoked: Sequence to Last were taken away: Charged is 1 when their leases ended.
	Revoked
	// SessionClosing: the session is about to be closed in order.
	SessionClosing
	// SessionEnded: its stream has ended.
	SessionEnded
)

// Verdicts of a Settling or Answering event.
const (
	Ack uint64 = iota + 1
	Retry
	Release
	Reject
)

// Instant is a time on the machine's monotonic clock, in nanoseconds since it was
// started.
type Instant int64

// Sub is the time from another instant to this one.
func (i Instant) Sub(other Instant) time.Duration { return time.Duration(i - other) }

// Event is one line of a history.
type Event struct {
	At   Instant
	Kind Kind
	Fields
}

// Fields are what an event says besides its kind. Each kind uses some.
type Fields struct {
	Life, Client                             uint64
	Topic, Partition, Offset                 uint64
	Subscription, Exclusive, Ordered         uint64
	Lease, MinBackoff, MaxBackoff, Delay     uint64
	Publisher, Number, Count                 uint64
	Session, Manual, Sequence, Last, Frame   uint64
	Attempt, Bytes, Charged, Settle, Verdict uint64
	Snapshot, Generation, Paused, Done       uint64
}

// used gives the fields that a kind uses, in the order in which they are written;
// nil for a kind that does not exist.
func (f *Fields) used(k Kind) []*uint64 {
	switch k {
	case ServerLaunched, ServerServing, ServerKilled:
		return []*uint64{&f.Life}
	case ClientKilled:
		return []*uint64{&f.Client}
	case Drained:
		return []*uint64{}
	case SubscriptionMade:
		return []*uint64{&f.Subscription, &f.Topic, &f.Exclusive, &f.Lease, &f.MinBackoff, &f.MaxBackoff, &f.Ordered}
	case TopicDeleted:
		return []*uint64{&f.Topic}
	case SubscriptionDeleted:
		return []*uint64{&f.Subscription}
	case FloorSeen:
		return []*uint64{&f.Subscription, &f.Partition, &f.Offset}
	case HeadSeen:
		return []*uint64{&f.Topic, &f.Partition, &f.Offset}
	case WentUnsettled:
		return []*uint64{&f.Subscription, &f.Count}
	case Publishing:
		return []*uint64{&f.Topic, &f.Publisher, &f.Number, &f.Count}
	case Published:
		return []*uint64{&f.Topic, &f.Publisher, &f.Number, &f.Count, &f.Partition, &f.Offset}
	case Refused, Unknown:
		return []*uint64{&f.Publisher, &f.Number, &f.Count}
	default:
		return f.usedBySession(k)
	}
}

func (f *Fields) usedBySession(k Kind) []*uint64 {
	switch k {
	case SessionOpening:
		return []*uint64{&f.Session, &f.Client, &f.Subscription, &f.Manual, &f.Count, &f.Bytes}
	case SessionOpened, SessionClosing, SessionEnded:
		return []*uint64{&f.Session}
	case WindowSet:
		return []*uint64{&f.Session, &f.Count, &f.Bytes}
	case Granted:
		return []*uint64{&f.Session, &f.Last, &f.Bytes}
	case Delivered:
		return []*uint64{
			&f.Session, &f.Sequence, &f.Frame, &f.Topic, &f.Publisher, &f.Number,
			&f.Partition, &f.Offset, &f.Attempt, &f.Bytes, &f.Charged,
		}
	case Damaged:
		return []*uint64{&f.Session, &f.Sequence, &f.Frame, &f.Partition, &f.Offset, &f.Attempt, &f.Bytes, &f.Charged}
	case Settling:
		return []*uint64{&f.Session, &f.Settle, &f.Sequence, &f.Last, &f.Verdict, &f.Delay}
	case SettleFailed:
		return []*uint64{&f.Session, &f.Settle, &f.Sequence, &f.Last}
	case Confirmed:
		return []*uint64{&f.Session, &f.Settle}
	case Revoked:
		return []*uint64{&f.Session, &f.Sequence, &f.Last, &f.Charged}
	default:
		return f.usedByUser(k)
	}
}

// MessageID names a message before any server has seen it: which publisher made it,
// and as which one.
type MessageID struct {
	Publisher uint64
	// Number counts the publisher's messages from 1.
	Number uint64
}

// String gives "publisher/number".
func (id MessageID) String() string { return fmt.Sprintf("%d/%d", id.Publisher, id.Number) }

// Place is where a message stands.
type Place struct{ Topic, Partition, Offset uint64 }

// String gives "topic.partition-offset".
func (p Place) String() string { return fmt.Sprintf("%d.%d-%d", p.Topic, p.Partition, p.Offset) }
