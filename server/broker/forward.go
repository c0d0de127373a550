package broker

import (
	"bytes"
	"errors"
	"log/slog"
	"sync/atomic"

	"github.com/headrace/headrace/storage"
)

// Origin is where forwarded messages come from.
type Origin struct{ Subscription, Topic Name }

// CopyLetter makes the message that is forwarded of a dead letter: its wire bytes, as in
// storage.Append, and the size of what its publisher sent, to which the topic's
// MaxMessageBytes applies. The dead letter knows its sequence. It is called by owner
// loops, and does not keep what it is given.
type CopyLetter func(d *storage.DeadLetter, from Origin) (message []byte, size int)

// asItIs is the CopyLetter that changes nothing.
func asItIs(d *storage.DeadLetter, _ Origin) (message []byte, size int) {
	return bytes.Clone(d.Message), len(d.Message)
}

// forwarding has a subscription's dead letters forwarded to a topic. Owner loop only.
type forwarding struct {
	catalog *catalog
	copy    CopyLetter
	from    Origin
	logger  *slog.Logger
	counts  *forwardCounts
	// to is the topic; empty: none.
	to Name
	// last is the sequence of the last dead letter.
	last uint64
	// failing is why the last one could not be forwarded; 0: it could, or none was to be.
	failing storage.ForwardFailure
}

// forwardCounts count dead letters since the broker serves the subscription.
type forwardCounts struct{ forwarded, failed atomic.Uint64 }

// newForwarding is that of a subscription as it was stored.
func (b *Broker) newForwarding(s *subscription, config *SubscriptionConfig, cursors []storage.Cursor) forwarding {
	f := forwarding{
		catalog: b.catalog, copy: b.config.CopyLetter, from: Origin{Subscription: s.name, Topic: config.Topic},
		logger: b.config.Logger, counts: &s.forwards, to: config.DeadLetterTopic,
	}
	for i := range cursors {
		f.last = max(f.last, cursors[i].DeadLast)
	}
	return f
}

// address numbers the dead letters of a change set, and says where they are forwarded to.
func (f *forwarding) address(set *storage.ChangeSet) {
	for i := range set.Cursors {
		for j := range set.Cursors[i].DeadLetters {
			d := &set.Cursors[i].DeadLetters[j]
			f.last++
			d.Sequence, d.Partition = f.last, set.Cursors[i].Partition
			if f.to != "" {
				d.Forward = f.forward(d)
			}
		}
	}
}

// forward makes the copy of a dead letter for the topic, if that takes it.
func (f *forwarding) forward(d *storage.DeadLetter) *storage.Forward {
	t, err := f.catalog.topic(f.to)
	if err != nil {
		return &storage.Forward{Failure: storage.ForwardTopicGone}
	}
	out := &storage.Forward{Failure: t.forwardFailure()}
	out.Copy.Partition = storage.PartitionID{Topic: t.id, Partition: t.forwardPartition(d.Key)}
	if out.Failure != 0 {
		return out
	}
	message, size := f.copy(d, f.from)
	if size > t.config.Load().MaxMessageBytes {
		out.Failure = storage.ForwardTooLarge
		return out
	}
	out.Copy.Messages, out.Copy.Ends = message, []uint32{uint32(len(message))}
	if d.Key.Present {
		out.Copy.KeyHashes = []storage.KeyHash{d.Key}
	}
	return out
}

// forwardFailure is why nothing can be forwarded to a topic, as far as it is known before.
func (t *topic) forwardFailure() storage.ForwardFailure {
	switch err := t.usable(); {
	case errors.Is(err, ErrTopicDeleted):
		return storage.ForwardTopicGone
	case err != nil:
		return storage.ForwardDamaged
	case t.full.err() != nil:
		return storage.ForwardBacklogFull
	default:
		return 0
	}
}

// forwardPartition is the partition of a key, like that of a producer; without one it is
// the least loaded.
func (t *topic) forwardPartition(key storage.KeyHash) uint16 {
	return uint16(t.unkeyedPartition(key))
}

// forwardFailures name the failures for the operator.
var forwardFailures = map[storage.ForwardFailure]string{
	storage.ForwardTopicGone:   "the topic is gone",
	storage.ForwardBacklogFull: "a backlog of the topic is full",
	storage.ForwardTooLarge:    "the message is too large for the topic",
	storage.ForwardDamaged:     "the topic is damaged",
	storage.ForwardNoSpace:     "the disk is full",
}

// committed counts what became of a change set's dead letters, and tells the operator
// when it begins to go wrong, or to go wrong otherwise.
func (f *forwarding) committed(set *storage.ChangeSet) {
	for i := range set.Cursors {
		for j := range set.Cursors[i].DeadLetters {
			d := &set.Cursors[i].DeadLetters[j]
			if d.Forward == nil {
				continue
			}
			if d.Forward.Failure == 0 {
				f.counts.forwarded.Add(1)
			} else {
				f.counts.failed.Add(1)
				f.warn(d)
			}
			f.failing = d.Forward.Failure
		}
	}
}

func (f *forwarding) warn(d *storage.DeadLetter) {
	if d.Forward.Failure != f.failing {
		f.logger.Warn("Dead letters are not forwarded; the subscription keeps them.",
			"subscription", f.from.Subscription, "topic", f.to, "sequence", d.Sequence, "because", forwardFailures[d.Forward.Failure])
	}
}
