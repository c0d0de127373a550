package server

import (
	headracev1 "github.com/headrace/headrace/gen/go/headrace/v1"
	"github.com/headrace/headrace/server/wire"
)

const (
	// maxBatchMessages bounds the messages of one batch.
	maxBatchMessages = 10_000
	// minMaxBatchBytes is what a batch may always have; where one message may be
	// larger, so may a batch.
	minMaxBatchBytes = 2 << 20
	// maxStreamTopics bounds the topics that one publish stream writes to, since the
	// next sequence of each is remembered.
	maxStreamTopics = 65_536
)

// publishLimits are the limits of everything that is published.
type publishLimits struct {
	message       wire.Limits
	maxBatchBytes int
}

func newPublishLimits(maxMessageBytes int) publishLimits {
	l := publishLimits{message: wire.DefaultLimits(), maxBatchBytes: max(minMaxBatchBytes, maxMessageBytes)}
	l.message.MaxMessageBytes = maxMessageBytes
	return l
}

// check says whether a batch is within its bounds as a whole.
func (l publishLimits) check(b *wire.Batch) error {
	switch {
	case b.Count < 1 || b.Count > maxBatchMessages:
		return batchSize("messages", maxBatchMessages, b.Count)
	case b.Bytes > l.maxBatchBytes:
		return batchSize("bytes", l.maxBatchBytes, b.Bytes)
	}
	return nil
}

func (l publishLimits) proto() *headracev1.PublishLimits {
	return &headracev1.PublishLimits{
		MaxMessageBytes:        uint64(l.message.MaxMessageBytes),
		MaxBatchMessages:       maxBatchMessages,
		MaxBatchBytes:          uint64(l.maxBatchBytes),
		MaxAttributes:          uint32(l.message.MaxAttributes),
		MaxAttributeKeyBytes:   uint32(l.message.MaxAttributeKeyBytes),
		MaxAttributeValueBytes: uint32(l.message.MaxAttributeValueBytes),
		MaxOrderingKeyBytes:    uint32(l.message.MaxOrderingKeyBytes),
		MaxContentTypeBytes:    uint32(l.message.MaxContentTypeBytes),
		MaxDedupeIdBytes:       uint32(l.message.MaxDedupeIDBytes),
	}
}
