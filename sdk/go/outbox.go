package headrace

import (
	"context"
	"sync"
	"time"

	"github.com/headrace/headrace/sdk/go/internal/wire"
)

// resultSlab is how many futures are allocated at once.
const resultSlab = 32

// outboxConfig is what the options of Dial set for publishing.
type outboxConfig struct {
	producer       string // the producer's id; empty: none.
	lasting        bool   // the producer was used before this client.
	batchMessages  int
	batchBytes     int
	batchDelay     time.Duration
	bufferMessages int
	bufferBytes    int
	overflowError  bool
}

// outbox holds what was published and has no result yet: batches that wait to be
// sent and, in its flight, batches that wait for their result. Publishers put
// messages in, the publisher's loop takes batches out and brings results.
//
//	publish ─► open batch of the topic ─► sealed ─► flight ─► done
//
// Its mutex is held for the copy of a message at most, never for I/O.
type outbox struct {
	config outboxConfig
	bodies *bodyPool
	// wake tells the publisher's loop to look again. Capacity 1: it looks at
	// everything, so one signal stands for any number.
	wake chan struct{}

	mu       sync.Mutex
	topics   map[string]*topicOutbox
	open     fifo[*publishBatch]     // by age; those sealed meanwhile are skipped.
	sealed   fifo[*publishBatch]     // in the order in which they are sent.
	flight   *flight                 // nil while no stream is open.
	producer map[string]*topicFlight // with a producer: what was sent to each topic, over all streams.
	dead     error                   // why the producer can publish nothing any more.
	messages int                     // accepted without a result.
	bytes    int                     // their encoded size.
	waiters  fifo[*roomWaiter]       // publishers that wait for room, the oldest first.
	slab     []PublishResult         // futures not yet given out.
	limit    uint64                  // of an encoded message in bytes; 0: not known.
	closed   bool
}

// topicOutbox is what the outbox knows of one topic.
type topicOutbox struct {
	open     *publishBatch // nil, or the batch that takes messages.
	expected int           // how long the body of the batch before was.
	accepted uint64        // messages.
}

func newOutbox(config outboxConfig) *outbox {
	return &outbox{
		config: config,
		bodies: newBodyPool(config.batchBytes),
		wake:   make(chan struct{}, 1),
		topics: make(map[string]*topicOutbox),
	}
}

func (o *outbox) publish(ctx context.Context, topic string, m Message) *PublishResult {
	result, err := o.accept(ctx, topic, m, false)
	if err != nil {
		return &PublishResult{err: err}
	}
	return result
}

func (o *outbox) publishOneWay(ctx context.Context, topic string, m Message) error {
	_, err := o.accept(ctx, topic, m, true)
	return err
}

// accept puts a message into its topic's batch, when there is room.
func (o *outbox) accept(ctx context.Context, topic string, m Message, oneWay bool) (*PublishResult, error) {
	encoded := wire.Message{
		Data: m.Data, Attributes: m.Attributes, OrderingKey: m.OrderingKey, ContentType: m.ContentType, DedupeID: m.DedupeID,
	}
	if err := checkText(topic, &encoded); err != nil {
		return nil, err
	}
	size := encoded.Size()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.limit > 0 && uint64(size) > o.limit {
		return nil, tooLarge(topic, size, o.limit)
	}
	if err := o.makeRoom(ctx, size); err != nil {
		return nil, err
	}
	return o.add(topic, &encoded, size, oneWay), nil
}

// checkText refuses what would break the frame for the messages beside it.
func checkText(topic string, m *wire.Message) error {
	if !validTopicText(topic) {
		return &Error{Reason: "INVALID_NAME", Field: "topic", Message: "the topic's name is empty or not UTF-8"}
	}
	if field := m.InvalidText(); field != "" {
		return &Error{Reason: "MALFORMED_MESSAGE", Field: field, Message: "publish to " + topic + ": " + field + " is not UTF-8"}
	}
	return nil
}

// add puts a message into the topic's open batch and returns its future. The
// lock is held and there is room.
func (o *outbox) add(topic string, m *wire.Message, size int, oneWay bool) *PublishResult {
	b := o.batchFor(topic, wire.FramedSize(size), oneWay)
	index := b.count
	b.add(m, size)
	o.topics[topic].accepted++
	if b.count >= o.config.batchMessages || len(b.body) >= o.config.batchBytes {
		o.seal(b)
	}
	if oneWay {
		return nil
	}
	return o.future(b, index)
}

// batchFor returns the open batch for a message that takes framed bytes.
func (o *outbox) batchFor(topic string, framed int, oneWay bool) *publishBatch {
	t := o.topics[topic]
	if t == nil {
		t = &topicOutbox{}
		o.topics[topic] = t
	}
	if b := t.open; b != nil {
		if b.oneWay == oneWay && len(b.body)+framed <= o.config.batchBytes {
			return b
		}
		o.seal(b)
	}
	t.open = newPublishBatch(topic, oneWay, o.bodies.body(max(framed, t.expected)))
	t.open.at = t.accepted
	o.dropSealed()
	o.open.push(t.open)
	o.signal()
	return t.open
}

// seal ends a batch: it takes no more messages and is next to be sent.
func (o *outbox) seal(b *publishBatch) {
	b.sealed = true
	t := o.topics[b.topic]
	t.open, t.expected = nil, min(len(b.body), o.config.batchBytes)
	o.sealed.push(b)
	o.signal()
}

// dropSealed removes batches from the front of open that were sealed meanwhile.
func (o *outbox) dropSealed() {
	for o.open.len() > 0 && o.open.front().sealed {
		o.open.pop()
	}
}

func (o *outbox) future(b *publishBatch, index int) *PublishResult {
	if len(o.slab) == 0 {
		o.slab = make([]PublishResult, resultSlab)
	}
	r := &o.slab[0]
	o.slab = o.slab[1:]
	r.batch, r.index = b, index
	return r
}

// signal wakes the publisher's loop. It never blocks.
func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// finish completes a batch: its results are set, or err failed all of it. The
// lock is held.
func (o *outbox) finish(b *publishBatch, err error) {
	b.err = err
	b.body = nil
	b.dropBuffer()
	close(b.done)
	o.giveBack(b.count, b.bytes)
	if o.closed {
		o.signal() // The last one lets the loop end.
	}
}

// failWaiting fails everything that was not sent. The lock is held.
func (o *outbox) failWaiting(err error) {
	o.sealAll("")
	for o.sealed.len() > 0 {
		o.finish(o.sealed.pop(), err)
	}
}

// sealAll seals the open batch of a topic, or of all topics when it is empty.
// The lock is held.
func (o *outbox) sealAll(topic string) {
	for _, b := range o.open.all() {
		if !b.sealed && (topic == "" || b.topic == topic) {
			o.seal(b)
		}
	}
	o.dropSealed()
}

func tooLarge(topic string, size int, limit uint64) *Error {
	return &Error{
		Reason: "MESSAGE_TOO_LARGE", Limit: limit, Field: "messages",
		Message: "publish to " + topic + ": the encoded message has " + bytesText(uint64(size)) +
			", the limit is " + bytesText(limit),
	}
}
