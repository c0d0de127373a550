package broker

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/headrace/headrace/storage"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The names that tests use.
const (
	ordersTopic Name = "default/orders"
	billingSub  Name = "default/billing"
)

// room is a broker over a fake store, with a topic and a subscription.
type room struct {
	*Broker

	t     *testing.T
	store *fakeStore
}

// unordered configures a subscription that keeps no order.
func unordered(name, topic Name) SubscriptionConfig {
	c := NewSubscriptionConfig(name, topic)
	c.Order = OrderNone
	return c
}

// newRoom makes a broker with the topic orders and the subscription billing, which
// change may alter.
func newRoom(t *testing.T, partitions int, change func(*SubscriptionConfig)) *room {
	t.Helper()
	r := &room{t: t, store: newFakeStore(t)}
	r.open(Config{})
	topic := r.NewTopicConfig(ordersTopic)
	topic.Partitions = partitions
	if _, err := r.CreateTopic(t.Context(), topic); err != nil {
		t.Fatal(err)
	}
	config := unordered(billingSub, ordersTopic)
	if change != nil {
		change(&config)
	}
	if _, err := r.CreateSubscription(t.Context(), config, storage.Start{}); err != nil {
		t.Fatal(err)
	}
	return r
}

// open makes a broker over the store; it is closed when the test ends.
func (r *room) open(config Config) {
	r.t.Helper()
	config.Logger = slog.New(slog.DiscardHandler)
	b, err := New(r.store, config)
	if err != nil {
		r.t.Fatal(err)
	}
	r.Broker = b
	r.t.Cleanup(b.Close)
}

// reopen closes the broker and makes another one over the same store.
func (r *room) reopen() {
	r.t.Helper()
	r.Close()
	r.open(Config{})
}

// batch makes a batch of messages with the given bodies.
func (r *room) batch(bodies ...string) *PublishBatch {
	r.t.Helper()
	topic, err := r.PublishTopic(string(ordersTopic))
	if err != nil {
		r.t.Fatal(err)
	}
	b := NewPublishBatch()
	b.Topic = topic
	for _, body := range bodies {
		b.add(body, "")
	}
	return b
}

// add adds a message as it stands on the wire, and counts it as sent.
func (b *PublishBatch) add(body, key string) {
	b.Messages = append(b.Messages, 0x7a)
	b.Messages = binary.AppendUvarint(b.Messages, uint64(len(body)))
	b.Messages = append(b.Messages, body...)
	b.EndMessage([]byte(key))
	b.Sent.Messages++
	b.Sent.Bytes += uint64(len(body))
	b.LastSentBytes = uint64(len(body))
}

// publish stores messages.
func (r *room) publish(bodies ...string) {
	r.t.Helper()
	b := r.batch(bodies...)
	if err := r.Publish(r.t.Context(), b); err != nil {
		r.t.Fatal(err)
	}
	if b.Err != nil {
		r.t.Fatal(b.Err)
	}
	b.Release()
}

// publishMany stores n messages named m0, m1, … one batch each.
func (r *room) publishMany(n int) {
	r.t.Helper()
	for i := range n {
		r.publish(fmt.Sprintf("m%d", i))
	}
}

// subscribe opens a session of billing with a window of 1,000 messages.
func (r *room) subscribe(change func(*SubscribeParams)) *reader {
	r.t.Helper()
	reader, err := r.trySubscribe(change)
	if err != nil {
		r.t.Fatal(err)
	}
	return reader
}

func (r *room) trySubscribe(change func(*SubscribeParams)) (*reader, error) {
	r.t.Helper()
	params := SubscribeParams{Subscription: billingSub, Window: Amount{Messages: 1000, Bytes: 64 << 20}}
	if change != nil {
		change(&params)
	}
	session, err := r.Subscribe(r.t.Context(), params)
	if err != nil {
		return nil, err
	}
	r.t.Cleanup(func() { session.Close(CloseGone) })
	return &reader{Session: session, t: r.t}, nil
}

// stats are the figures of billing.
func (r *room) stats() SubscriptionStats {
	r.t.Helper()
	stats, err := r.SubscriptionStats(r.t.Context(), billingSub)
	if err != nil {
		r.t.Fatal(err)
	}
	return stats
}

// id is a subscription's id in the store.
func (r *room) id(name Name) storage.SubscriptionID {
	r.t.Helper()
	s, err := r.catalog.subscription(name)
	if err != nil {
		r.t.Fatal(err)
	}
	return s.id
}

// partition is the topic's first.
func (r *room) partition() storage.PartitionID {
	r.t.Helper()
	t, err := r.catalog.topic(ordersTopic)
	if err != nil {
		r.t.Fatal(err)
	}
	return storage.PartitionID{Topic: t.id}
}

// reader reads what a session hands out and remembers it.
type reader struct {
	*Session

	t        *testing.T
	received []received
	result   SettleResult
	flow     FlowState
	revoked  []Revoked
	goAway   *GoAway
	drained  bool
	settles  uint64
}

// received is one delivery.
type received struct {
	sequence uint64
	offset   uint64
	attempt  uint32
	body     string
}

// waitLimit is how long a test waits for what must come. In a bubble it is virtual.
const waitLimit = time.Minute

// step takes one output in, and says how the session ended.
func (r *reader) step() error {
	ctx, cancel := context.WithTimeout(r.t.Context(), waitLimit)
	defer cancel()
	out, err := r.Next(ctx)
	if err != nil {
		return err
	}
	switch {
	case out.Frame != nil:
		r.frame(out.Frame)
	case out.SettleResult != nil:
		r.result.ConfirmedThrough = out.SettleResult.ConfirmedThrough
		r.result.Failures = append(r.result.Failures, out.SettleResult.Failures...)
	case out.Flow != nil:
		r.flow = *out.Flow
	case out.Revoked != nil:
		r.revoked = append(r.revoked, *out.Revoked)
	case out.GoAway != nil:
		r.goAway = out.GoAway
	case out.Drained:
		r.drained = true
	}
	return nil
}

// frame takes a frame in and releases it.
func (r *reader) frame(f *Frame) {
	defer f.Release()
	sequence := f.FirstSequence
	for i, part := range f.Parts {
		for o := part.First; o < part.End; o++ {
			wire := Part{Segment: part.Segment, First: o, End: o + 1}.Wire()
			_, n := binary.Uvarint(wire[1:])
			r.received = append(r.received, received{
				sequence: sequence, offset: f.Runs[i].First + uint64(o-part.First),
				attempt: attemptOf(f, uint32(sequence-f.FirstSequence)), body: string(wire[1+n:]),
			})
			sequence++
		}
	}
}

func attemptOf(f *Frame, index uint32) uint32 {
	for _, run := range f.Attempts {
		if run.Index <= index && index < run.Index+run.Count {
			return run.Attempt
		}
	}
	return 1
}

// until reads until done says so.
func (r *reader) until(what string, done func() bool) {
	r.t.Helper()
	for !done() {
		if err := r.step(); err != nil {
			r.t.Fatalf("waiting for %s: %v (received %d)", what, err, len(r.received))
		}
	}
}

// receive reads until n deliveries came in all.
func (r *reader) receive(n int) {
	r.t.Helper()
	r.until(fmt.Sprintf("%d deliveries", n), func() bool { return len(r.received) >= n })
}

// end reads until the session has ended, and says how.
func (r *reader) end() error {
	for {
		if err := r.step(); err != nil {
			return err
		}
	}
}

// settle settles the deliveries first..last under the next number.
func (r *reader) settle(first, last uint64, verdict Verdict) {
	r.t.Helper()
	r.settles++
	err := r.Settle(Settle{Number: r.settles, Ranges: []SequenceRange{{First: first, Last: last}}, Verdict: verdict, Delay: -1})
	if err != nil {
		r.t.Fatal(err)
	}
}

// confirm reads until every settle is confirmed.
func (r *reader) confirm() {
	r.t.Helper()
	r.until("confirmation", func() bool { return r.result.ConfirmedThrough == r.settles })
}
