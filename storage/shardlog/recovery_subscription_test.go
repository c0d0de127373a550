package shardlog_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
	"github.com/headrace/headrace/storage/storagetest"
)

func TestDamageThatNamesASubscriptionFencesIt(t *testing.T) {
	ack := record.AckKey{Subscription: 1, Generation: 1}
	history := record.AppendHistoryKey(nil, record.HistoryKey{Subscription: 1, Generation: 1, Offset: 7})
	parked := record.AppendParkedKey(nil, record.ParkedKeyKey{Subscription: 1, Generation: 1, Hash: 7})
	dead := record.AppendDeadLetterKey(nil, 1, storage.DeadLetterID{Sequence: 1})
	session := record.AppendSessionKey(nil, sessionPage)
	block := record.AppendSessionKey(nil, record.SessionPageKey{Subscription: 1, Session: sessionPage.Session, Slot: 1})
	count := record.AppendSessionKey(nil, record.SessionPageKey{Subscription: 1})
	for name, damage := range map[string]func(d *storagetest.Disk){
		"its record is damaged":           func(d *storagetest.Disk) { d.Corrupt(record.AppendSubscriptionKey(nil, 1), flip) },
		"its record is missing":           func(d *storagetest.Disk) { d.Drop(record.AppendSubscriptionKey(nil, 1)) },
		"a cursor is damaged":             func(d *storagetest.Disk) { d.Corrupt(record.AppendCursorKey(nil, 1, 0), flip) },
		"a cursor is missing":             func(d *storagetest.Disk) { d.Drop(record.AppendCursorKey(nil, 1, 0)) },
		"an ack chunk is damaged":         func(d *storagetest.Disk) { d.Corrupt(record.AppendAckKey(nil, ack), flip) },
		"an ack chunk is missing":         func(d *storagetest.Disk) { d.Drop(record.AppendAckKey(nil, ack)) },
		"an ack chunk is older":           olderAckChunk,
		"a history is damaged":            func(d *storagetest.Disk) { d.Corrupt(history, flip) },
		"a history is missing":            func(d *storagetest.Disk) { d.Drop(history) },
		"a parked key is damaged":         func(d *storagetest.Disk) { d.Corrupt(parked, flip) },
		"a parked key is missing":         func(d *storagetest.Disk) { d.Drop(parked) },
		"a dead letter is missing":        func(d *storagetest.Disk) { d.Drop(dead) },
		"a session is damaged":            func(d *storagetest.Disk) { d.Corrupt(session, flip) },
		"a session is missing":            func(d *storagetest.Disk) { d.Drop(session) },
		"what a session holds is missing": func(d *storagetest.Disk) { d.Drop(block) },
		"the count of pages is missing":   func(d *storagetest.Disk) { d.Drop(count) },
		"the count of pages is damaged":   func(d *storagetest.Disk) { d.Corrupt(count, flip) },
		"all of its sessions are missing": func(d *storagetest.Disk) { d.Drop(session); d.Drop(block); d.Drop(count) },
		"a page of a session is older":    olderSessionPage,
		"its generation is older": editCursor(func(c *record.Cursor) {
			c.Generation, c.AckParts, c.AckSum, c.Settled = c.Generation-1, 0, 0, 0
		}),
		"it counted another ack record":       editCursor(func(c *record.Cursor) { c.AckParts++ }),
		"its ack records were others":         editCursor(func(c *record.Cursor) { c.AckSum++ }),
		"it counted another settled offset":   editCursor(func(c *record.Cursor) { c.Settled++ }),
		"it counted another dead letter":      editCursor(func(c *record.Cursor) { c.Dead++ }),
		"its dead letters were others":        editCursor(func(c *record.Cursor) { c.DeadSum++ }),
		"a dead letter is later":              editCursor(func(c *record.Cursor) { c.DeadLast-- }),
		"a part of an ack chunk stands alone": strayAckPart,
	} {
		t.Run(name, func(t *testing.T) {
			h, d, p, s := damaged(t)
			damage(d)
			h.Open()
			if _, err := h.Cursors(t.Context(), s.ID); !errors.Is(err, storage.ErrDataLoss) {
				t.Errorf("cursors: %v", err)
			}
			change := &storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Floor: 10}}}
			if err := h.Commit(change); !errors.Is(err, storage.ErrDataLoss) {
				t.Errorf("state: %v", err)
			}
			if list := h.Subscriptions(); len(list) != 1 || list[0].State != storage.Damaged {
				t.Errorf("shown as %+v", list)
			}
			h.Tick()
			if stats, err := h.Stats(p); err != nil || stats.First != 0 {
				t.Errorf("what it may need was trimmed: %+v, %v", stats, err)
			}
			h.MustPublish(p, "the topic serves")
			if err := h.DeleteSubscription(t.Context(), s.ID); err != nil {
				t.Errorf("delete it: %v", err)
			}
			h.Tick()
			h.MustPublish(p, "and is trimmed again")
			h.Tick()
			if stats, err := h.Stats(p); err != nil || stats.First != stats.Next {
				t.Errorf("held by what is gone: %+v, %v", stats, err)
			}
		})
	}
}

// olderSessionPage has a page as an earlier batch wrote it.
func olderSessionPage(d *storagetest.Disk) {
	key := record.AppendSessionKey(nil, sessionPage)
	d.Corrupt(key, func([]byte) []byte { return record.AppendSession(nil, key, 1, &storage.SessionRecord{}) })
}

func TestAMissingReplayCursorFencesItsSubscription(t *testing.T) {
	h, d, _, s := damaged(t)
	h.Open()
	body := func(l *storage.DeadLetter) []byte { return slices.Clone(l.Message) }
	done, err := h.Redrive(t.Context(), s.ID, []uint64{1}, body)
	if err != nil || len(done) != 1 {
		t.Fatalf("redrive: %+v, %v", done, err)
	}
	h.Crash()
	d.Drop(record.AppendCursorKey(nil, s.ID, storage.ReplayPartition))
	h.Open()
	if _, err := h.Cursors(t.Context(), s.ID); !errors.Is(err, storage.ErrDataLoss) {
		t.Errorf("cursors: %v", err)
	}
}

// TestADamagedDeadLetterIsNamedAndTheRestIsThere: its body is checked when it is read.
func TestADamagedDeadLetterIsNamedAndTheRestIsThere(t *testing.T) {
	h, m := memoryStore(t)
	topic := h.MustCreateTopic("orders", 1)
	s := h.MustSubscribe("billing", topic.ID, storage.Start{})
	h.MustPublish(storage.PartitionID{Topic: topic.ID}, "a", "b", "c")
	var dead []storage.DeadLetter
	for i := range 3 {
		dead = append(dead, storage.DeadLetter{Offset: storage.Offset(i), Reason: storage.DeadRejected, Message: []byte("wire")})
	}
	h.MustCommit(&storage.ChangeSet{Subscription: s.ID, Cursors: []storage.CursorChange{{Floor: 3, DeadLetters: dead}}})
	h.Crash()
	h.Damaged = true
	m.Disk().Corrupt(record.AppendDeadLetterKey(nil, s.ID, storage.DeadLetterID{Sequence: 2}), flip)
	h.Open()
	if got, err := h.DeadLetters(t.Context(), s.ID, 0); err != nil || len(got) != 1 || got[0].Sequence != 1 {
		t.Errorf("those before it: %+v, %v", got, err)
	}
	if got, err := h.DeadLetters(t.Context(), s.ID, 2); !errors.Is(err, storage.ErrDataLoss) {
		t.Errorf("the damaged one: %+v, %v", got, err)
	}
	if got, err := h.DeadLetters(t.Context(), s.ID, 3); err != nil || len(got) != 1 {
		t.Errorf("those behind it: %+v, %v", got, err)
	}
	if n, err := h.DiscardDeadLetters(t.Context(), s.ID, []uint64{2}); len(n) != 1 || err != nil {
		t.Errorf("it cannot be discarded: %v, %v", n, err)
	}
}

// olderAckChunk puts an ack chunk back to what it might have been before.
// editCursor changes the record of a cursor, under a right checksum.
func editCursor(edit func(c *record.Cursor)) func(d *storagetest.Disk) {
	return func(d *storagetest.Disk) {
		key := record.AppendCursorKey(nil, 1, 0)
		d.Corrupt(key, func(value []byte) []byte {
			c, _ := record.DecodeCursor(key, value) // It was written by the store.
			edit(&c)
			return record.AppendCursor(nil, key, &c)
		})
	}
}

// strayAckPart adds the second part of a chunk that has one: it was to be deleted.
func strayAckPart(d *storagetest.Disk) {
	key := record.AppendAckKey(nil, record.AckKey{Subscription: 1, Generation: 1, Part: 1})
	part := record.AckPart{Version: 1, Part: 1, Parts: 2}
	if err := d.Import([]storage.Op{{Key: key, Value: record.AppendAckPart(nil, key, &part)}}); err != nil {
		panic(err)
	}
}

func olderAckChunk(d *storagetest.Disk) {
	key := record.AppendAckKey(nil, record.AckKey{Subscription: 1, Generation: 1})
	d.Corrupt(key, func([]byte) []byte {
		old := record.SplitChunk(nil, &storage.Chunk{Acked: []storage.OffsetRange{{First: 5, End: 6}}}, 1)
		return record.AppendAckPart(nil, key, &old[0])
	})
}
