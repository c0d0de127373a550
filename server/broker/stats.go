package broker

import (
	"time"

	"github.com/headrace/headrace/storage"
)

// TopicStats are figures of a topic at one moment.
type TopicStats struct {
	Topic      Name
	Partitions []storage.PartitionStats
	// Retained is what is kept, all partitions together.
	Retained Amount
	// Published is what was stored since the broker started.
	Published Amount
	// Subscriptions is how many the topic has.
	Subscriptions int
}

// SubscriptionStats are figures of a subscription at one moment. Counters count
// from the creation of the subscription.
type SubscriptionStats struct {
	Subscription Name
	Topic        Name
	// Backlog is what is not settled, outstanding included. Its bytes are exact to
	// a segment where nothing past the floor is settled, else estimated by the mean.
	Backlog     Amount
	Outstanding Amount
	// OldestUnackedAge is the age of the oldest unsettled message; 0 when none.
	OldestUnackedAge time.Duration
	Delivered        uint64
	Redelivered      uint64
	Acked            uint64
	Retried          uint64
	Released         uint64
	Expired          uint64
	Rejected         uint64
	// DeadLettered counts messages that became dead letters, DeadLetters those kept.
	DeadLettered uint64
	DeadLetters  uint64
	// Forwarded and NotForwarded count dead letters that were, and that could not be, since
	// the broker serves the subscription.
	Forwarded, NotForwarded uint64
	// Removed and Dropped count messages that were not settled when they went: by the
	// topic's retention, and by the cap on the backlog.
	Removed uint64
	Dropped uint64
	// ParkedKeys counts the keys that wait to be released, WaitingBehindKeys the
	// messages that were found to wait behind earlier ones of their keys.
	ParkedKeys, WaitingBehindKeys uint64
	// BusyShare is the share of time that the owner loop worked since the last
	// snapshot, 0 to 1.
	BusyShare  float64
	Partitions []SubscriptionPartitionStats
	Sessions   []SessionStats
}

// SubscriptionPartitionStats are a subscription's figures in one partition.
type SubscriptionPartitionStats struct {
	Partition uint16
	// Floor: every message before it is settled. Next is the partition's next offset.
	Floor, Next storage.Offset
	// SettledPastFloor counts messages.
	SettledPastFloor uint64
	Backlog          Amount
}

// SessionStats are figures of one open session.
type SessionStats struct {
	// Session is the session's public name; not its id.
	Session     string
	ClientID    string
	Labels      map[string]string
	OpenedAt    time.Time
	Credit      Amount
	Outstanding Amount
	Blocked     Blocked
	// WithoutCredit is for how long the session has had no credit, to about a second;
	// 0 when it has some.
	WithoutCredit time.Duration
	// Away: its stream broke; it waits for ResumableFor to be taken up again.
	Away         bool
	ResumableFor time.Duration
	Delivered    uint64
	Acked        uint64
}
