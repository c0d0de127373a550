package storagetest

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/headrace/headrace/internal/testscale"
	"github.com/headrace/headrace/storage"
)

// sessionSteps is how much random work is done.
var sessionSteps = testscale.Sizes{Full: 2000, Ordinary: 200, Race: 60}

// storeKeepsSessions writes pages of sessions at random, with orderly stops and crashes in
// the middle, and compares the store with a model.
func storeKeepsSessions(t *testing.T, h *StoreHarness) {
	t.Helper()
	seed := *storeSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("repeat with -storage.seed=%d", seed)
	m := &sessionModel{h: h, rand: rand.New(rand.NewPCG(seed, 2)), sessions: map[storage.SessionKey]*modelSession{}}
	m.id = h.MustSubscribe("billing", h.MustCreateTopic("orders", 1).ID, storage.Start{}).ID
	for range sessionSteps.Now() {
		m.step()
		if t.Failed() {
			return
		}
	}
	m.compare()
	m.remove()
}

// sessionModel is what a store should hold of a subscription's sessions.
type sessionModel struct {
	h        *StoreHarness
	rand     *rand.Rand
	id       storage.SubscriptionID
	sessions map[storage.SessionKey]*modelSession
}

type modelSession struct {
	stored bool
	record storage.SessionRecord
	blocks map[uint32]storage.HeldBlock
}

func (m *sessionModel) step() {
	switch n := m.rand.IntN(100); {
	case n < 80:
		m.change()
	case n < 85:
		m.h.Tick()
	case n < 89:
		m.h.Reopen()
	case n < 94:
		m.h.Crash()
		m.h.Open()
	default:
		m.compare()
	}
}

// change changes some sessions in one commit.
func (m *sessionModel) change() {
	set := &storage.ChangeSet{Subscription: m.id}
	for range 1 + m.rand.IntN(3) {
		key := storage.SessionKey{byte(1 + m.rand.IntN(5))}
		if !slices.ContainsFunc(set.Sessions, func(c storage.SessionChange) bool { return c.Key == key }) {
			set.Sessions = append(set.Sessions, m.changeOf(key))
		}
	}
	m.h.MustCommit(set)
}

func (m *sessionModel) changeOf(key storage.SessionKey) storage.SessionChange {
	x := m.sessions[key]
	if x == nil {
		x = &modelSession{blocks: map[uint32]storage.HeldBlock{}}
		m.sessions[key] = x
	}
	c := storage.SessionChange{Key: key, Written: m.rand.IntN(4) > 0}
	if c.Written {
		m.rewrite(&c, x)
	}
	for slot := uint32(1); slot < 8; slot++ {
		switch m.rand.IntN(8) {
		case 0, 1:
			b := m.block(slot)
			c.Blocks, x.blocks[slot] = append(c.Blocks, b), b
		case 2:
			c.Freed = append(c.Freed, slot) // it may not be there
			delete(x.blocks, slot)
		}
	}
	if !c.Written && m.rand.IntN(3) == 0 {
		c.Freed = append(c.Freed, 0)
		x.stored, x.record = false, storage.SessionRecord{}
	}
	if !x.stored && len(x.blocks) == 0 {
		delete(m.sessions, key)
	}
	return c
}

// rewrite changes the session itself.
func (m *sessionModel) rewrite(c *storage.SessionChange, x *modelSession) {
	failures := x.record.Failures
	x.stored, x.record = true, storage.SessionRecord{
		ClientID: "worker", Sent: m.rand.Uint64(), Charged: m.rand.Uint64(), Applied: m.rand.Uint64(), Failures: failures,
	}
	if c.FailuresChanged = m.rand.IntN(3) == 0; c.FailuresChanged {
		x.record.Failures = nil
		for range m.rand.IntN(storage.MaxSessionFailures + 1) {
			x.record.Failures = append(x.record.Failures, storage.SettleFailure{Number: m.rand.Uint64(), First: 1, Last: 2, Reason: 3})
		}
	}
	if c.Record = x.record; !c.FailuresChanged {
		c.Record.Failures = nil
	}
}

func (m *sessionModel) block(slot uint32) storage.HeldBlock {
	b := storage.HeldBlock{Slot: slot, First: m.rand.Uint64(), Until: m.rand.Int64()}
	n := 1 + m.rand.IntN(storage.MaxHeldMessages)
	keyed := m.rand.IntN(2) == 0
	for range n {
		b.Sizes = append(b.Sizes, m.rand.Uint32())
		if keyed {
			b.Keys = append(b.Keys, storage.KeyHash{Hash: m.rand.Uint32(), Present: true})
		}
	}
	for left := n; left > 0; {
		count := 1 + m.rand.IntN(left)
		b.Runs = append(b.Runs, storage.HeldRun{Generation: 1, First: storage.Offset(m.rand.Uint64()), Count: uint8(count)})
		left -= count
	}
	b.Live = m.rand.Uint64() >> (storage.MaxHeldMessages - n)
	b.Started = b.Live & m.rand.Uint64()
	return b
}

func (m *sessionModel) compare() {
	got, err := m.h.Sessions(m.h.t.Context(), m.id)
	if err != nil {
		m.h.t.Errorf("sessions: %v", err)
	}
	var want []storage.StoredSession
	for _, key := range slices.SortedFunc(maps.Keys(m.sessions), func(a, b storage.SessionKey) int { return cmp.Compare(a[0], b[0]) }) {
		x := m.sessions[key]
		s := storage.StoredSession{Key: key, Stored: x.stored, Record: x.record}
		for _, slot := range slices.Sorted(maps.Keys(x.blocks)) {
			s.Blocks = append(s.Blocks, storage.StoredBlock{HeldBlock: x.blocks[slot]})
		}
		want = append(want, s)
	}
	for i := range got {
		for j := range got[i].Blocks {
			if got[i].Blocks[j].Version == 0 {
				m.h.t.Error("a block has no version")
			}
			got[i].Blocks[j].Version = 0
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		m.h.t.Errorf("sessions: %s", diff)
	}
}

// remove deletes the subscription: its sessions go with it.
func (m *sessionModel) remove() {
	before := m.h.report().SessionPages
	if err := m.h.DeleteSubscription(m.h.t.Context(), m.id); err != nil {
		m.h.t.Fatal(err)
	}
	m.h.Tick()
	if after := m.h.report().SessionPages; before == 0 && len(m.sessions) > 0 || after != 0 {
		m.h.t.Errorf("%d pages of sessions before the removal, %d after it", before, after)
	}
}
