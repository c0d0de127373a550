package shardlog

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// What pages of sessions take at most, beside their texts, runs, messages and failures.
const (
	sessionPageBytes  = 96
	heldRunBytes      = 24
	heldMessageBytes  = 12
	failureRangeBytes = 32
)

// pageID names a page of a subscription's sessions.
type pageID struct {
	session storage.SessionKey
	slot    uint32
}

// storedSessions is what is known of the pages of a subscription. Loop only.
type storedSessions struct {
	record.Sessions
	// pages are the versions of those stored.
	pages map[pageID]uint64
	// dirtyIn is the last batch that writes how many there are.
	dirtyIn uint64
}

// sessionsNeed bounds what changes of sessions take.
func sessionsNeed(all []storage.SessionChange) (n need) {
	if len(all) == 0 {
		return n
	}
	n = need{inline: sessionPageBytes, keys: 1}.plus(catalogNeed)
	for i := range all {
		c := &all[i]
		n = n.plus(need{inline: sessionPageBytes + len(c.Record.ClientID), keys: 1})
		if c.FailuresChanged {
			n.keys += record.MaxFailurePages
			n.inline += record.MaxFailurePages*sessionPageBytes + len(c.Record.Failures)*failureRangeBytes
		}
		for j := range c.Blocks {
			b := &c.Blocks[j]
			n.inline += sessionPageBytes + len(b.Runs)*heldRunBytes + len(b.Sizes)*heldMessageBytes
		}
		n.keys += len(c.Blocks)
		n = n.plus(deleteNeed.times(len(c.Freed)))
	}
	return n
}

// applySessions writes what changed of sessions into the open batch.
func (c *committer) applySessions(s *subscription, all []storage.SessionChange) {
	if len(all) == 0 {
		return
	}
	if !s.Sessions {
		s.Sessions = true
		c.open.rewriteSubscription(s)
	}
	c.open.rewriteSessions(s)
	for i := range all {
		c.applySession(s, &all[i])
	}
}

func (c *committer) applySession(s *subscription, change *storage.SessionChange) {
	b := c.open
	for _, slot := range change.Freed {
		b.freePage(s, pageID{change.Key, slot})
		if slot == 0 {
			b.putFailures(s, change.Key, nil)
		}
	}
	if change.Written {
		b.putPage(s, pageID{change.Key, 0}, func(key []byte) {
			b.mem = record.AppendSession(b.mem, key, b.Number, &change.Record)
		})
		if change.FailuresChanged {
			b.putFailures(s, change.Key, change.Record.Failures)
		}
	}
	for i := range change.Blocks {
		block := &change.Blocks[i]
		b.putPage(s, pageID{change.Key, block.Slot}, func(key []byte) {
			b.mem = record.AppendHeldBlock(b.mem, key, b.Number, block)
		})
	}
}

// putFailures replaces the failures of a session.
func (b *batch) putFailures(s *subscription, k storage.SessionKey, all []storage.SettleFailure) {
	slot := uint32(record.FailureSlots)
	for part := range slices.Chunk(all, record.FailuresPerPage) {
		b.putPage(s, pageID{k, slot}, func(key []byte) {
			b.mem = record.AppendSessionFailures(b.mem, key, b.Number, part)
		})
		slot++
	}
	for ; slot < record.FailureSlots+record.MaxFailurePages; slot++ {
		b.freePage(s, pageID{k, slot})
	}
}

// putPage writes a page under a new version.
func (b *batch) putPage(s *subscription, id pageID, value func(key []byte)) {
	s.sessions.forget(id)
	s.sessions.note(id, b.Number)
	start := len(b.mem)
	b.mem = record.AppendSessionKey(b.mem, record.SessionPageKey{Subscription: s.ID, Session: id.session, Slot: id.slot})
	split := len(b.mem)
	value(b.mem[start:split])
	b.put(start, split)
}

// freePage deletes a page, if it is there.
func (b *batch) freePage(s *subscription, id pageID) {
	if !s.sessions.forget(id) {
		return
	}
	start := len(b.mem)
	b.mem = record.AppendSessionKey(b.mem, record.SessionPageKey{Subscription: s.ID, Session: id.session, Slot: id.slot})
	b.remove(start)
}

// note counts a page.
func (s *storedSessions) note(id pageID, version uint64) {
	s.pages[id] = version
	s.Count(id.session, id.slot, version, 1)
}

// forget takes a page out of the count; false if there is none.
func (s *storedSessions) forget(id pageID) bool {
	version, found := s.pages[id]
	if found {
		delete(s.pages, id)
		s.Count(id.session, id.slot, version, -1)
	}
	return found
}

// rewriteSessions makes sealing write how many pages there are.
func (b *batch) rewriteSessions(s *subscription) {
	if s.sessions.dirtyIn != b.Number {
		s.sessions.dirtyIn = b.Number
		b.sessions = append(b.sessions, s)
	}
}

func (b *batch) putSessions(s *subscription) {
	start := len(b.mem)
	b.mem = record.AppendSessionKey(b.mem, record.SessionPageKey{Subscription: s.ID})
	split := len(b.mem)
	b.mem = record.AppendSessions(b.mem, b.mem[start:split], s.sessions.Sessions)
	b.put(start, split)
}

// Sessions are those of an exactly-once subscription as stored, by key. It waits for
// what was handed to the committer before. Errors: ErrNotFound, ErrDataLoss.
func (s *Store) Sessions(ctx context.Context, id storage.SubscriptionID) ([]storage.StoredSession, error) {
	var err error
	ended := s.ask(ctx, func() {
		x := s.committer.shard.subscriptions[id]
		if x == nil || x.State == storage.Deleting {
			err = storage.ErrNotFound
			return
		}
		err = x.damage
	})
	if ended != nil || err != nil {
		return nil, cmp.Or(ended, err)
	}
	read := sessionsRead{}
	if err := scan(s.engine, record.AppendSessionSubscriptionPrefix(nil, id), nil, read.page); err != nil {
		return nil, fmt.Errorf("subscription %d, sessions: %w", id, err)
	}
	return read.all, nil
}

// sessionsRead collects sessions from their pages, in order of keys.
type sessionsRead struct{ all []storage.StoredSession }

func (r *sessionsRead) page(key []byte, value storage.Value) error {
	k, err := record.ParseSessionKey(key)
	if err != nil || k.Counts() {
		return err
	}
	return value.Read(func(value []byte) error {
		p, err := record.DecodeSessionPage(key, value)
		if err == nil {
			r.add(k, &p)
		}
		return err
	})
}

func (r *sessionsRead) add(k record.SessionPageKey, p *record.SessionPage) {
	if n := len(r.all); n == 0 || r.all[n-1].Key != k.Session {
		r.all = append(r.all, storage.StoredSession{Key: k.Session})
	}
	s := &r.all[len(r.all)-1]
	switch {
	case k.Slot == 0:
		s.Stored, s.Record = true, p.Record
	case k.IsBlock():
		s.Blocks = append(s.Blocks, storage.StoredBlock{HeldBlock: p.Block, Version: p.Version})
	default:
		s.Record.Failures = append(s.Record.Failures, p.Failures...)
	}
}
