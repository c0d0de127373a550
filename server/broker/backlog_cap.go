package broker

import (
	"errors"
	"fmt"
)

// BacklogAction is what happens when a backlog is above its cap.
type BacklogAction uint8

const (
	// RejectPublish refuses publishes to the topic, as long as the backlog is full.
	RejectPublish BacklogAction = iota
	// DropOldest settles the oldest messages.
	DropOldest
	// BuryOldest makes the oldest messages that nobody got yet dead letters.
	BuryOldest
)

// BacklogCap bounds what a subscription has not settled of its topic; a unit that is 0
// is not bounded.
type BacklogCap struct {
	Max    Amount
	Action BacklogAction
}

// some says whether there is a bound.
func (c BacklogCap) some() bool { return c.Max != Amount{} }

// above is by how much a backlog is above the cap.
func (c BacklogCap) above(backlog Amount) (over Amount) {
	if c.Max.Messages > 0 && backlog.Messages > c.Max.Messages {
		over.Messages = backlog.Messages - c.Max.Messages
	}
	if c.Max.Bytes > 0 && backlog.Bytes > c.Max.Bytes {
		over.Bytes = backlog.Bytes - c.Max.Bytes
	}
	return over
}

// fills says whether a backlog leaves no room for another message.
func (c BacklogCap) fills(backlog Amount) bool {
	return c.Max.Messages > 0 && backlog.Messages >= c.Max.Messages || c.Max.Bytes > 0 && backlog.Bytes >= c.Max.Bytes
}

func (c SubscriptionConfig) validateBacklogCap() error {
	switch {
	case c.BacklogCap.Action > BuryOldest:
		return invalidField("backlog_cap.action", "a BacklogAction")
	case !c.BacklogCap.some() && c.BacklogCap.Action != RejectPublish:
		return invalidField("backlog_cap.max", "at least 1 message or 1 byte")
	case c.BacklogCap.Action == BuryOldest && c.Order != OrderNone:
		return invalidField("backlog_cap.action", "dead letters at the cap need order NONE")
	}
	return nil
}

// ErrBacklogFull is returned when a subscription's backlog is at its cap, and its action
// is to refuse publishes; the error is a *BacklogFullError where it is known which one.
var ErrBacklogFull = errors.New("broker: backlog full")

// BacklogFullError says whose backlog is full. It matches ErrBacklogFull.
type BacklogFullError struct{ Subscription Name }

// Error tells the subscription.
func (e *BacklogFullError) Error() string {
	return fmt.Sprintf("%v: subscription %s", ErrBacklogFull, e.Subscription)
}

// Unwrap makes a BacklogFullError match ErrBacklogFull.
func (e *BacklogFullError) Unwrap() error { return ErrBacklogFull }
