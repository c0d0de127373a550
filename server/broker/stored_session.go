package broker

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// sessionKey is the name of a session in the store, which does not tell its id.
func sessionKey(id string) (k storage.SessionKey) {
	sum := sha256.Sum256([]byte("headrace session " + id))
	copy(k[:], sum[:])
	return k
}

// storedName is the name of a session of an exactly-once subscription in the store.
type storedName struct {
	key storage.SessionKey
	// stored says that it was written.
	stored bool
}

// nameSession gives a session of an exactly-once subscription a name in the store. Owner loop
// only, like the rest of this file.
func (l *loop) nameSession(m *member) {
	if l.changes.sessions != nil {
		l.changes.sessions[m.handle] = &storedName{key: sessionKey(m.id)}
	}
}

// unname forgets the name of a session that the store never knew.
func (l *loop) unname(handle delivery.SessionID) {
	if n := l.changes.sessions[handle]; n != nil && !n.stored {
		delete(l.changes.sessions, handle)
	}
}

// recoverSessions makes members of what is stored of an exactly-once subscription's
// sessions: they wait to be taken up again.
func (l *loop) recoverSessions(stored []storage.StoredSession, next func() (delivery.SessionID, string)) []delivery.StoredSession {
	handed, due := make([]delivery.StoredSession, 0, len(stored)), l.clock.dueTimesNow()
	for i := range stored {
		from := &stored[i]
		handle, publicName := next()
		m := &member{handle: handle, publicName: publicName, clientID: from.Record.ClientID, openedAt: due.wall}
		l.members.byHandle[handle], l.members.byKey[from.Key] = m, m
		m.key = from.Key
		l.changes.sessions[handle] = &storedName{key: from.Key, stored: true}
		handed = append(handed, recoveredSession(handle, from, due))
	}
	return handed
}

func recoveredSession(handle delivery.SessionID, from *storage.StoredSession, due dueTimes) delivery.StoredSession {
	r := &from.Record
	to := delivery.StoredSession{
		Session: handle, Stored: from.Stored,
		Record: delivery.SessionRecord{ClientID: r.ClientID, Sent: r.Sent, Charged: r.Charged, Applied: r.Applied},
	}
	for _, f := range r.Failures {
		to.Record.Failures = append(to.Record.Failures, delivery.Failure{
			Number: f.Number, Range: SequenceRange{First: f.First, Last: f.Last}, Reason: delivery.FailureReason(f.Reason),
		})
	}
	for i := range from.Blocks {
		b := &from.Blocks[i]
		block := delivery.HeldBlock{
			Slot: b.Slot, First: b.First, Messages: uint8(len(b.Sizes)), Live: b.Live, Started: b.Started,
			Until: due.leased(b.Until), Sizes: b.Sizes,
		}
		for _, r := range b.Runs {
			block.Runs = append(block.Runs, delivery.HeldRun{
				Partition: uint32(r.Partition), Generation: r.Generation, First: uint64(r.First), Count: r.Count,
			})
		}
		for _, k := range b.Keys {
			block.Keys = append(block.Keys, delivery.KeyHash(k))
		}
		to.Blocks = append(to.Blocks, delivery.StoredBlock{HeldBlock: block, Version: b.Version})
	}
	return to
}

// leased is when a lease ends that was stored to end then: what is left of it by the
// wall clock, which cannot make it longer than a lease can be.
func (d dueTimes) leased(millis int64) delivery.Instant {
	left := time.UnixMilli(millis).Sub(d.wall)
	return d.now + min(max(left, 0), delivery.MaxLease)
}

// storedSessions makes the store's form of what changed of sessions.
func (c *changeSet) storedSessions(from []delivery.SessionChange, due dueTimes) (all []storage.SessionChange) {
	for i := range from {
		change := &from[i]
		name := c.sessions[change.Session]
		to := storage.SessionChange{
			Key: name.key, Written: change.Written, FailuresChanged: change.FailuresChanged, Freed: change.Freed,
			Record: storedRecord(&change.Record),
		}
		for j := range change.Blocks {
			to.Blocks = append(to.Blocks, storedBlock(&change.Blocks[j], due))
		}
		name.stored = name.stored || change.Written
		for _, slot := range change.Freed {
			if slot == 0 { // the last of it
				delete(c.sessions, change.Session)
			}
		}
		all = append(all, to)
	}
	return all
}

func storedRecord(r *delivery.SessionRecord) storage.SessionRecord {
	to := storage.SessionRecord{ClientID: r.ClientID, Sent: r.Sent, Charged: r.Charged, Applied: r.Applied}
	for _, f := range r.Failures {
		to.Failures = append(to.Failures, storage.SettleFailure{
			Number: f.Number, First: f.Range.First, Last: f.Range.Last, Reason: uint8(f.Reason),
		})
	}
	return to
}

func storedBlock(b *delivery.HeldBlock, due dueTimes) storage.HeldBlock {
	to := storage.HeldBlock{
		Slot: b.Slot, First: b.First, Live: b.Live, Started: b.Started,
		Until: due.wall.Add(b.Until - due.now).UnixMilli(), Sizes: b.Sizes,
	}
	for _, r := range b.Runs {
		to.Runs = append(to.Runs, storage.HeldRun{
			Partition: uint16(r.Partition), Generation: r.Generation, First: storage.Offset(r.First), Count: r.Count,
		})
	}
	for _, k := range b.Keys {
		to.Keys = append(to.Keys, storage.KeyHash(k))
	}
	return to
}

// storedSessions reads the sessions of a subscription; one that does not deliver exactly
// once has none.
func (b *Broker) storedSessions(ctx context.Context, id storage.SubscriptionID, c SubscriptionConfig) ([]storage.StoredSession, error) {
	if c.Guarantee != ExactlyOnce {
		return nil, nil
	}
	sessions, err := b.store.Sessions(ctx, id)
	return sessions, storeError(err)
}

// machine makes the state machine of a subscription from what is stored.
func (b *Broker) machine(
	l *loop, id storage.SubscriptionID, c SubscriptionConfig, cursors []storage.Cursor, sessions []storage.StoredSession,
) *delivery.State {
	config, recovered := b.machineConfig(c, id), l.recoverCursors(cursors)
	if c.Guarantee != ExactlyOnce {
		return delivery.New(config, recovered)
	}
	l.changes.sessions = map[delivery.SessionID]*storedName{}
	return delivery.Recover(config, recovered, l.now, l.recoverSessions(sessions, b.nextSession))
}
