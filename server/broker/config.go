package broker

import (
	"log/slog"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// Defaults of Config.
const (
	DefaultOutboundMemoryBytes = 256 << 20
	DefaultPublishMemoryBytes  = 256 << 20
	DefaultMaxMessageBytes     = 1 << 20
	DefaultMaxTopics           = 100_000
	DefaultMaxSubscriptions    = 100_000
	DefaultMaxSessions         = 100_000

	// LargestMaxMessageBytes is the most that MaxMessageBytes may be set to.
	LargestMaxMessageBytes = 32 << 20
)

// HeartbeatInterval is how often each side of a stream speaks, at least; after
// three of them without a sign the client is taken for dead.
const HeartbeatInterval = delivery.HeartbeatInterval

// Config is how a Broker is set. The zero value of each field means its default;
// the zero Config is valid.
type Config struct {
	// MaxMessageBytes is the largest encoded message of any topic; default
	// DefaultMaxMessageBytes, at most LargestMaxMessageBytes.
	MaxMessageBytes int
	// OutboundMemoryBytes bounds what all sessions' outbound queues hold together;
	// above it sessions are stalled. Default DefaultOutboundMemoryBytes.
	OutboundMemoryBytes int64
	// PublishMemoryBytes is how many bytes of messages may be between receipt and
	// result before the publishers' windows shrink. Default
	// DefaultPublishMemoryBytes.
	PublishMemoryBytes int64
	// MaxSessionOutstanding is the server's ceiling on what one session holds,
	// whatever credit it gave; zero fields mean none.
	MaxSessionOutstanding Amount
	// MaxTopics, MaxSubscriptions and MaxSessions bound their numbers; defaults
	// DefaultMaxTopics, DefaultMaxSubscriptions, DefaultMaxSessions.
	MaxTopics        int
	MaxSubscriptions int
	MaxSessions      int
	// Clock gives the wall clock, for ages and for what waits over a restart; leases,
	// retries and heartbeats follow the monotonic one. Default time.Now.
	Clock storage.Clock
	// CopyLetter makes the messages that dead letters are forwarded as; default: as they
	// are.
	CopyLetter CopyLetter
	// Logger gets what an operator should know; default slog.Default().
	Logger *slog.Logger
}

// Validate says whether every field is within its bounds; the error is a
// *FieldError that names the field.
func (c Config) Validate() error {
	switch {
	case c.MaxMessageBytes < 0 || c.MaxMessageBytes > LargestMaxMessageBytes:
		return invalidField("MaxMessageBytes", "0 to 33,554,432")
	case c.OutboundMemoryBytes < 0:
		return invalidField("OutboundMemoryBytes", "at least 0")
	case c.PublishMemoryBytes < 0:
		return invalidField("PublishMemoryBytes", "at least 0")
	case c.MaxTopics < 0 || c.MaxSubscriptions < 0 || c.MaxSessions < 0:
		return invalidField("MaxTopics, MaxSubscriptions, MaxSessions", "at least 0")
	}
	return nil
}

// withDefaults returns c with every zero field set to its default.
func (c Config) withDefaults() Config {
	c.MaxMessageBytes = orDefault(c.MaxMessageBytes, DefaultMaxMessageBytes)
	c.OutboundMemoryBytes = orDefault(c.OutboundMemoryBytes, DefaultOutboundMemoryBytes)
	c.PublishMemoryBytes = orDefault(c.PublishMemoryBytes, DefaultPublishMemoryBytes)
	c.MaxTopics = orDefault(c.MaxTopics, DefaultMaxTopics)
	c.MaxSubscriptions = orDefault(c.MaxSubscriptions, DefaultMaxSubscriptions)
	c.MaxSessions = orDefault(c.MaxSessions, DefaultMaxSessions)
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.CopyLetter == nil {
		c.CopyLetter = asItIs
	}
	c.Logger = orDefault(c.Logger, slog.Default())
	return c
}

func orDefault[T comparable](value, fallback T) T {
	var zero T
	if value == zero {
		return fallback
	}
	return value
}
