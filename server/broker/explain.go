package broker

import (
	"context"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// maxSearchedLetters is among how many dead letters a settled message is looked for.
const maxSearchedLetters = 1_000_000

// maxOrderingKeyBytes bounds an ordering key.
const maxOrderingKeyBytes = 1024

// ExplainMessage says where a message stands. Errors: ErrSubscriptionNotFound,
// ErrPartitionNotFound, ErrDataLoss, ctx's, and why the subscription ended.
func (b *Broker) ExplainMessage(ctx context.Context, name Name, partition uint32, offset uint64) (MessageExplanation, error) {
	s, err := b.catalog.subscription(name)
	if err != nil {
		return MessageExplanation{}, err
	}
	var e MessageExplanation
	known := false
	if err := b.ask(ctx, s, func(l *loop) { e, known = l.explainMessage(partition, offset) }); err != nil {
		return MessageExplanation{}, err
	}
	if !known {
		return MessageExplanation{}, ErrPartitionNotFound
	}
	if e.Standing == delivery.IsSettled {
		err = b.explainSettled(ctx, s, &e)
	}
	return e, err
}

// explainSettled says more of a message that is settled.
func (b *Broker) explainSettled(ctx context.Context, s *subscription, e *MessageExplanation) error {
	if s.route.exists(s.route.place(e.Partition)) {
		figures, err := b.store.Stats(s.route.id(e.Partition))
		if err != nil {
			return storeError(err)
		}
		e.Trimmed = storage.Offset(e.Offset) < figures.First
	}
	if s.deadLetters.Load() == 0 {
		return nil
	}
	letter, more, err := b.store.FindDeadLetter(ctx, s.id, uint16(e.Partition), storage.Offset(e.Offset), maxSearchedLetters)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return subscriptionError(err)
	case letter != nil:
		e.ofLetter(letter)
	}
	e.MoreLetters = more
	return nil
}

// ofLetter takes over what a dead letter says.
func (e *MessageExplanation) ofLetter(d *storage.DeadLetter) {
	e.DeadLetter, e.Forward = d.Sequence, d.Forward
	e.Failed, e.Expired, e.Lost, e.Failures = d.Failed, d.Expired, d.Lost, d.Failures
}

// ExplainKey says how an ordering key stands: in its partition of the topic, and in the
// replay partition if it is busy there. Errors: as ExplainMessage's, but for
// ErrPartitionNotFound.
func (b *Broker) ExplainKey(ctx context.Context, name Name, key string) ([]KeyExplanation, error) {
	s, err := b.catalog.subscription(name)
	if err != nil {
		return nil, err
	}
	if key == "" || len(key) > maxOrderingKeyBytes {
		return nil, invalidField("ordering_key", "1 to 1,024 bytes")
	}
	hash := HashKey([]byte(key))
	var all []KeyExplanation
	err = b.ask(ctx, s, func(l *loop) {
		all = append(all, l.explainKey(uint32(keyPartition(hash, s.route.partitions)), hash.Hash))
		if again := l.explainKey(replayPartition, hash.Hash); again.Busy {
			all = append(all, again)
		}
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// ExplainSession says how a session, by its public name, stands. Errors: as
// ExplainMessage's, ErrSessionNotFound in place of ErrPartitionNotFound.
func (b *Broker) ExplainSession(ctx context.Context, name Name, session string) (SessionExplanation, error) {
	s, err := b.catalog.subscription(name)
	if err != nil {
		return SessionExplanation{}, err
	}
	var e SessionExplanation
	known := false
	if err := b.ask(ctx, s, func(l *loop) { e, known = l.explainSession(session) }); err != nil {
		return SessionExplanation{}, err
	}
	if !known {
		return SessionExplanation{}, ErrSessionNotFound
	}
	return e, nil
}

// ExplainSubscription says why deliveries flow or do not. Errors: as ExplainMessage's,
// but for ErrPartitionNotFound.
func (b *Broker) ExplainSubscription(ctx context.Context, name Name) (FlowExplanation, error) {
	s, err := b.catalog.subscription(name)
	if err != nil {
		return FlowExplanation{}, err
	}
	var e FlowExplanation
	if err := b.ask(ctx, s, func(l *loop) { e = l.explainFlow() }); err != nil {
		return FlowExplanation{}, err
	}
	return e, nil
}

// explainMessage asks the state machine. Loop only, like all that follows.
func (l *loop) explainMessage(partition uint32, offset uint64) (MessageExplanation, bool) {
	from, known := l.state.Explain(partition, offset)
	if !known {
		return MessageExplanation{}, false
	}
	due := l.clock.dueTimesNow()
	e := MessageExplanation{
		Partition: partition, Offset: offset, Standing: from.Standing,
		Failed: from.Count.Failed, Expired: from.Count.Expired, Lost: from.Count.Lost, Ahead: from.Ahead,
		Due: due.future(from.Due),
	}
	if from.Standing != delivery.IsSettled && from.Standing != delivery.IsDying {
		e.Attempt = from.Attempt
	}
	if from.Count.History != nil {
		e.Failures = storedFailures(from.Count.History.Failures, due)
	}
	if from.Standing == delivery.IsOutstanding {
		e.Holder = l.holder(&from, due)
	}
	if from.Key.Present {
		key := l.explainKey(partition, from.Key.Hash)
		e.Key = &key
	}
	return e, true
}

// holder describes who holds a message.
func (l *loop) holder(e *delivery.Explanation, due dueTimes) *Holder {
	h := &Holder{HeldDelivery: HeldDelivery{
		Sequence: e.Sequence, Since: due.wallAt(e.Since), Started: e.Started, LeaseEnd: due.wallAt(e.Until),
	}}
	if s := l.members.stream(e.Session); s != nil {
		h.Session, h.ClientID = s.publicName, s.params.ClientID
	}
	return h
}

// future is an instant by the wall clock, zero when it is past.
func (d dueTimes) future(at delivery.Instant) time.Time {
	if at <= d.now {
		return time.Time{}
	}
	return d.wallAt(at)
}

func (l *loop) explainKey(partition, hash uint32) KeyExplanation {
	from := l.state.ExplainKey(partition, hash)
	e := KeyExplanation{
		Partition: partition, Busy: from.Busy, Parked: from.Parked, Outstanding: from.Outstanding,
		Next: from.Next, HasNext: from.HasNext, NextDue: l.clock.dueTimesNow().future(from.NextDue), Waiting: from.Waiting,
	}
	if s := l.members.stream(from.Holder); s != nil {
		e.Session = s.publicName
	}
	return e
}

func (l *loop) explainSession(publicName string) (e SessionExplanation, known bool) {
	s := l.sessionNamed(publicName)
	if s == nil {
		return e, false
	}
	from, known := l.state.ExplainSession(s.owned.handle)
	due := l.clock.dueTimesNow()
	e.Stats = s.stats(&from.Stats)
	e.BlockedSince = due.wallAt(from.Stats.BlockedSince)
	if e.Away = from.Away; e.Away {
		e.AwayUntil = due.wallAt(from.Until)
	}
	for _, h := range from.Holding {
		e.Holding = append(e.Holding, HeldDelivery{
			Sequence: h.Sequence, Partition: h.Partition, Offset: h.Offset,
			Since: due.wallAt(h.Since), Started: h.Started, LeaseEnd: due.wallAt(h.Until),
		})
	}
	return e, known
}

func (l *loop) sessionNamed(publicName string) *Session {
	for _, m := range l.members.byHandle {
		if m.publicName == publicName {
			return m.stream
		}
	}
	return nil
}

func (l *loop) explainFlow() FlowExplanation {
	l.state.Stats(&l.stats)
	from, due := l.state.ExplainFlow(), l.clock.dueTimesNow()
	taken := &snapshot{stats: l.stats, sessions: l.members.streams(), taken: due.now}
	e := FlowExplanation{
		Backlog:     Amount{Messages: l.stats.Backlog, Bytes: l.estimate(l.stats.Backlog)},
		Outstanding: Amount{Messages: l.stats.Outstanding, Bytes: l.stats.OutstandingBytes},
		Waiting:     l.stats.Waiting, Fresh: l.stats.Fresh, Paused: from.Paused, Sessions: taken.sessionStats(),
	}
	if from.RateLimited {
		e.RateLimitedUntil = due.wallAt(from.RateUntil)
	}
	if from.HasRetry {
		e.NextRetry = due.wallAt(from.NextRetry)
	}
	if from.HasOldest {
		if oldest, known := l.explainMessage(from.Partition, from.Oldest); known {
			e.Oldest = &oldest
		}
	}
	return e
}
