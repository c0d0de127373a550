package storage

import "time"

const (
	// DefaultDedupeWindow is how long a dedupe id is remembered when a topic does not
	// say.
	DefaultDedupeWindow = 10 * time.Minute
	// DefaultDedupeIDs is how many dedupe ids are remembered of one partition when a
	// topic does not say.
	DefaultDedupeIDs = 1_000_000
)

// DedupeID is what is remembered of a message that carries a dedupe id. Two
// messages of one partition with one id within the topic's window are one message.
type DedupeID struct {
	// Hash is over the id, Payload over what the message carries: one id with two
	// payloads is a conflict.
	Hash, Payload uint64
	// Present is false for a message without an id.
	Present bool
}

// Twin is a message that was not stored because of its dedupe id.
type Twin struct {
	// Index counts the messages of its append.
	Index int
	// Offset is where the first message with the id stands, in the same partition.
	Offset Offset
	// Conflict: that message carries another payload, so this one is refused.
	Conflict bool
}
