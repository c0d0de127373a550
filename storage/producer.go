package storage

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"time"
)

const (
	// ProducerPages is how many pages of outcomes a producer keeps: a ring overwritten
	// in place. A page has at least one batch, so that of this many of the newest
	// batches, to whatever topics, the outcomes are remembered.
	ProducerPages = 4096
	// ProducerIdle is how long a producer that nobody uses is remembered.
	ProducerIdle = 7 * 24 * time.Hour
	// MaxProducers bounds the producers that are remembered. For one more, the one
	// that was idle for longest is forgotten.
	MaxProducers = 100_000
)

// ProducerID names a producer: a hash of the name that its client gave it.
type ProducerID [16]byte

// NewProducerID gives the id of a producer's name: the first half of its SHA-256.
func NewProducerID(name string) ProducerID {
	sum := sha256.Sum256([]byte(name))
	return ProducerID(sum[:len(ProducerID{})])
}

// String gives the id in hexadecimal, for messages to operators.
func (id ProducerID) String() string { return hex.EncodeToString(id[:]) }

// Producer is a producer whose epoch was raised: it is remembered until it is
// closed, and for ProducerIdle after that.
type Producer struct {
	ID ProducerID
	// Epoch counts the openings of the producer. What an opening before this one has
	// not stored yet is never stored.
	Epoch uint64
}

// ProducerBatch makes a publish a batch of a producer's. Sequences count the
// producer's messages to one topic from 1, without gaps.
type ProducerBatch struct {
	Producer Producer
	// Topic is the topic of all appends; there may be none.
	Topic TopicID
	// First is the sequence of the batch's first message, Count how many it has:
	// those that are refused count too.
	First uint64
	Count uint32
	// Hash is over the batch as the client sent it.
	Hash uint64
	// Follows says that the batch continues what the producer sent before it since it
	// was opened: where it does not fit, one of those was refused.
	Follows bool
	// Parts say what becomes of the messages, in their order. Their counts add up to
	// Count. The store sets where they stand.
	Parts []BatchPart

	// Again is set before completion: the batch was stored before, and its outcome is
	// to be had by ProducerOutcomes.
	Again bool
}

// Last is the sequence of the batch's last message.
func (b *ProducerBatch) Last() uint64 { return b.First + uint64(b.Count) - 1 }

// Fate is what became of a message.
type Fate uint8

// The fates. They are stored: never renumber.
const (
	// Refused: the message is at fault by itself and uses up its sequence.
	Refused Fate = 0
	// Duplicate: an earlier message has its dedupe id, and the position is that one's.
	Duplicate Fate = 1
	// Stored: the message stands at the position.
	Stored Fate = 2
)

// BatchPart are consecutive messages of a batch with one fate.
type BatchPart struct {
	Count uint32
	Fate  Fate
	// Append is the index of the append that holds the messages, when they are to be
	// stored.
	Append uint16
	// Partition and Offset are where the first of them stands, unless they are
	// refused; the others follow it.
	Partition uint16
	Offset    Offset
	// Refusal is why they are refused.
	Refusal Refusal
}

// Refusal is why a message was refused, in the broker's terms: opaque here, but for
// DedupeConflict.
type Refusal struct {
	Reason uint16
	Field  uint8
	Limit  uint64
}

// DedupeConflict is the Refusal.Reason of a message whose dedupe id stands for
// another payload: the store is who refuses it. Stored: never renumber.
const DedupeConflict = math.MaxUint16

// ProducerOutcome is what became of a batch that was stored before.
type ProducerOutcome struct {
	// First is the sequence of the batch's first message, Count how many it has.
	First uint64
	Count uint32
	// Hash is over the batch as the client sent it.
	Hash  uint64
	Parts []BatchPart
}

// Last is the sequence of the batch's last message.
func (o *ProducerOutcome) Last() uint64 { return o.First + uint64(o.Count) - 1 }
