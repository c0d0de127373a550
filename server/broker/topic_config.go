package broker

import (
	"time"

	"github.com/headrace/headrace/storage"
)

// Defaults and bounds of topics.
const (
	DefaultPartitions = 1
	MaxPartitions     = 256
	DefaultMinAge     = 10 * time.Minute
	// MaxMinAge keeps a typing error from filling the disk.
	MaxMinAge = 10 * 365 * 24 * time.Hour
	// MaxKeepSettled does, too.
	MaxKeepSettled = MaxMinAge
	// MaxDedupeWindow and MaxDedupeIDs bound what is remembered of messages.
	MaxDedupeWindow = 7 * 24 * time.Hour
	MaxDedupeIDs    = 1_000_000
)

// TopicConfig is what a client says of a topic.
type TopicConfig struct {
	// Name, Partitions (1 to MaxPartitions) and Buffered are fixed at creation.
	Name       Name
	Partitions int
	// Buffered: a publish has its result when it is accepted, before it is durable.
	Buffered bool
	// MinAge: no message younger than this is removed, but for MaxBytes; 0 to MaxMinAge.
	MinAge time.Duration
	// KeepSettled: nor is one younger than this, so that what is settled can be
	// replayed; 0 to MaxKeepSettled.
	KeepSettled time.Duration
	// MaxAge and MaxBytes remove what is older, and the oldest of what is beyond, settled
	// or not; 0: nothing. MaxAge is at least MinAge, MaxBytes at least MinMaxBytes and
	// MaxMessageBytes.
	MaxAge   time.Duration
	MaxBytes uint64
	// MaxMessageBytes is the largest encoded message, 1 to the broker's limit.
	MaxMessageBytes int
	// DedupeWindow is how long a dedupe id counts: 0 (ids are not looked at) to
	// MaxDedupeWindow. DedupeIDs bounds those remembered of a partition, 1 to
	// MaxDedupeIDs.
	DedupeWindow time.Duration
	DedupeIDs    int
	// Labels are free: at most MaxLabels of at most MaxLabelsBytes together.
	Labels map[string]string
}

// NewTopicConfig gives a topic's configuration with every field at its default.
func (b *Broker) NewTopicConfig(name Name) TopicConfig {
	return TopicConfig{
		Name:            name,
		Partitions:      DefaultPartitions,
		MinAge:          DefaultMinAge,
		MaxMessageBytes: min(DefaultMaxMessageBytes, b.config.MaxMessageBytes),
		DedupeWindow:    storage.DefaultDedupeWindow,
		DedupeIDs:       storage.DefaultDedupeIDs,
	}
}

// Topic is a topic as the broker knows it.
type Topic struct {
	TopicConfig
	CreatedAt time.Time
	// State is storage.Active or storage.Damaged.
	State storage.State
}

// validate says whether c is within its bounds. maxMessageBytes is the broker's.
func (c TopicConfig) validate(maxMessageBytes int) error {
	switch {
	case c.Partitions < 1 || c.Partitions > MaxPartitions:
		return invalidField("partitions", "1 to 256")
	case c.MaxMessageBytes < 1 || c.MaxMessageBytes > maxMessageBytes:
		return invalidField("max_message_bytes", "1 to the server's limit")
	case c.DedupeWindow < 0 || c.DedupeWindow > MaxDedupeWindow:
		return invalidField("dedupe_window", "0 to 7 days")
	case c.DedupeIDs < 1 || c.DedupeIDs > MaxDedupeIDs:
		return invalidField("dedupe_max_ids", "1 to 1000000")
	}
	if err := c.validateRetention(); err != nil {
		return err
	}
	return validateLabels(c.Labels)
}
