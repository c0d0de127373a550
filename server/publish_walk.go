package server

import (
	"encoding/binary"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/headrace/headrace/server/broker"
	"github.com/headrace/headrace/server/wire"
)

// refusedMessage is a message of a batch that is at fault by itself.
type refusedMessage struct {
	// index counts the batch's messages from 0, refused ones included.
	index   int
	failure wire.Failure
}

// batchWalker turns a publish frame's batch into what the store takes. It is used
// again for each frame, by one goroutine.
type batchWalker struct {
	walker wire.Walker
	// hash is over what the messages of a producer's batch carry.
	hash xxhash.Digest
}

// walk puts the messages of in, as received at a time, into out, and returns those
// that it refuses. A batch without a topic keeps nothing: only the window counts.
func (w *batchWalker) walk(in wire.Batch, at time.Time, out *broker.PublishBatch) (refused []refusedMessage) {
	out.Sent = broker.Amount{Messages: uint64(in.Count), Bytes: uint64(in.Bytes)}
	publishTime := wire.NewPublishTime(at)
	if out.Sequence != nil {
		w.hash.Reset()
	}
	index := 0
	for body, ok := in.Next(); ok; body, ok = in.Next() {
		out.LastSentBytes = uint64(len(body))
		if out.Topic != nil {
			if failure := w.message(body, &publishTime, out); !failure.OK() {
				refused = append(refused, refusedMessage{index: index, failure: failure})
			}
		}
		index++
	}
	if out.Sequence != nil {
		out.Sequence.Hash = w.hash.Sum64()
	}
	if out.Sequence != nil || len(out.DedupeIDs) > 0 {
		out.Refused = refusedForStore(out.Refused, refused)
	}
	return refused
}

// sum takes what a message carries into the hash of its batch: data alone, since a
// client that encodes a message again may do it in another order.
func (w *batchWalker) sum(data []byte) {
	var length [8]byte
	binary.LittleEndian.PutUint64(length[:], uint64(len(data)))
	_, _ = w.hash.Write(length[:]) // It never fails.
	_, _ = w.hash.Write(data)
}

// message appends one message, or says why not.
func (w *batchWalker) message(body []byte, at *wire.PublishTime, out *broker.PublishBatch) wire.Failure {
	w.walker.Limits.MaxMessageBytes = out.Topic.MaxMessageBytes()
	m, failure := w.walker.Walk(body)
	if out.Sequence != nil {
		w.sum(m.Data)
	}
	if !failure.OK() {
		return failure
	}
	out.Messages = m.AppendTo(out.Messages, at)
	if len(m.DedupeID) > 0 {
		out.EndDeduped(m.Key, m.DedupeID, m.Data)
	} else {
		out.EndMessage(m.Key)
	}
	return failure
}
