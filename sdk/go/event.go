package headrace

import "time"

// EventKind is what happened to a stream.
type EventKind int

// The kinds of events.
const (
	// PublishOpened: the publish stream is open.
	PublishOpened EventKind = iota + 1
	// PublishBroken: the publish stream broke. Err says why; it is opened again after
	// Wait. Count messages that were under way are given up: one-way ones, and without
	// a producer those that failed with ErrUnknownOutcome.
	PublishBroken
	// SessionOpened: a subscriber's session began. Handlers of one before it that broke
	// are cancelled.
	SessionOpened
	// SessionResumed: a subscriber's session goes on over another stream, with Count
	// deliveries that it still holds; their handlers never noticed.
	SessionResumed
	// SessionBroken: the stream of a subscriber's session broke. Err says why; another
	// is opened after Wait. Handlers go on where the session can be taken up again.
	SessionBroken
	// SessionDrained: a subscriber's session ended because it was stopped. Err
	// is nil when it ended in order.
	SessionDrained
	// GoAwayReceived: the server asked for the end of a stream; Detail is its
	// reason, such as "SHUTDOWN".
	GoAwayReceived
	// DeliveriesLost: Count deliveries were revoked; Detail is the reason, such
	// as "LEASE_EXPIRED". With "STOPPED" they come to nobody again: a subscription that
	// delivers at most once had sent them, and the receiver ended before a handler began.
	DeliveriesLost
	// DeliveriesRecalled: Count deliveries that nobody had begun were given back, for
	// another subscriber had nothing to do.
	DeliveriesRecalled
	// SettlesDropped: Count deliveries were settled after they had been lost. Nothing
	// is sent of that; the messages come again. Of a subscription that delivers at most
	// once: they were retried, rejected or released, and do not come again.
	SettlesDropped
	// SettlesFailed: Count deliveries could not be settled or extended because
	// they were stale; the messages may come again.
	SettlesFailed
	// FlowChanged: why deliveries do not come has changed; Detail lists the
	// causes, such as "NO_MESSAGES", the first one first, and is empty when they
	// can come.
	FlowChanged
)

var eventKindNames = [...]string{
	PublishOpened: "publish opened", PublishBroken: "publish broken",
	SessionOpened: "session opened", SessionResumed: "session resumed", SessionBroken: "session broken", SessionDrained: "session drained",
	GoAwayReceived: "go away", DeliveriesLost: "deliveries lost",
	DeliveriesRecalled: "deliveries recalled", SettlesDropped: "settles dropped",
	SettlesFailed: "settles failed", FlowChanged: "flow changed",
}

// String returns the kind's name, for people.
func (k EventKind) String() string {
	if k < 1 || int(k) >= len(eventKindNames) {
		return "unknown event"
	}
	return eventKindNames[k]
}

// Event is a change in the state of a stream, for [WithEvents].
type Event struct {
	// Kind is what happened.
	Kind EventKind
	// Subscription is the full name of the subscription; empty for the publish
	// stream.
	Subscription string
	// Err is why a stream broke, or nil.
	Err error
	// Wait is how long the client waits before it opens a stream again.
	Wait time.Duration
	// Count is how many deliveries the event is about.
	Count int
	// Detail is what the kind says.
	Detail string
}
