package broker

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
	"github.com/headrace/headrace/storage"
)

// A gauge is exact at its marks, in proportion between them, and bounded.
func TestAGaugeKnowsHowMuchLiesBeforeAnOffset(t *testing.T) {
	var g backlogGauge
	at := func(offset uint64) storage.PartitionStats {
		return storage.PartitionStats{Next: storage.Offset(offset), NextBytes: offset * 10, RetainedBytes: offset * 10, NextTime: time.Unix(0, int64(offset))}
	}
	for offset := uint64(10); offset <= 10_000; offset += 10 {
		figures := at(offset)
		g.note(&figures)
		g.note(&figures) // Twice counts once.
	}
	if len(g.marks) >= maxGaugeMarks {
		t.Errorf("%d marks", len(g.marks))
	}
	if !slices.IsSortedFunc(g.marks, func(a, b gaugeMark) int { return int(a.offset) - int(b.offset) }) {
		t.Errorf("marks %v", g.marks)
	}
	for _, offset := range []uint64{0, 5, 4321, 10_000} {
		if got := g.at(offset); got.bytes != offset*10 || got.time != int64(offset) {
			t.Errorf("before %d: %+v", offset, got)
		}
	}
	g.forget(5000)
	if got := g.at(5000).bytes; got != 50_000 || g.marks[0].offset > 5000 || g.marks[1].offset <= 5000 {
		t.Errorf("after forgetting: %d bytes, %d marks", got, len(g.marks))
	}
	if end := g.after(9_999, 9_999); end != 9_999 {
		t.Errorf("after the end: %d", end)
	}
}

func withCap(c BacklogCap) func(*SubscriptionConfig) {
	return func(config *SubscriptionConfig) { config.BacklogCap, config.Order = c, OrderNone }
}

// Without a session, the oldest messages of both partitions go as soon as there are too
// many, by messages and by bytes, counted, durably.
func TestTheOldestMessagesAreDroppedAtTheCap(t *testing.T) {
	for name, limit := range map[string]Amount{
		"messages": {Messages: 10},
		"bytes":    {Bytes: 10 * 4}, // A body of two bytes takes four.
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRoom(t, 2, withCap(BacklogCap{Max: limit, Action: DropOldest}))
				for range 4 {
					r.publish("a0", "a1", "a2", "a3", "a4")
					time.Sleep(time.Second) //nolint:forbidigo // the bubble has its own clock
				}
				synctest.Wait()
				stats := r.stats()
				if stats.Backlog.Messages != 10 || stats.Dropped != 10 || stats.Removed != 0 {
					t.Errorf("%+v", stats)
				}
				for _, p := range stats.Partitions {
					if p.Floor != 5 {
						t.Errorf("partition %d begins at %d", p.Partition, p.Floor)
					}
				}
				r.reopen()
				if stats := r.stats(); stats.Backlog.Messages != 10 || stats.Dropped != 10 {
					t.Errorf("after an opening: %+v", stats)
				}
			})
		})
	}
}

// A cap that is set on a backlog counts at once, what is outstanding goes as well, and a
// cap that is taken away bounds nothing; the last watch goes with it.
func TestACapIsChangedAtAnyTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, nil)
		r.publishMany(20)
		set := func(c BacklogCap) {
			_, err := r.UpdateSubscription(t.Context(), billingSub, func(config *SubscriptionConfig) error {
				config.BacklogCap = c
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		set(BacklogCap{Max: Amount{Messages: 4}, Action: DropOldest})
		if stats := r.stats(); stats.Backlog.Messages != 4 || stats.Dropped != 16 {
			t.Errorf("%+v", stats)
		}
		set(BacklogCap{})
		if n := r.store.watching.Load(); n != 0 {
			t.Errorf("%d watches without a cap", n)
		}
		r.publishMany(20)
		synctest.Wait()
		if stats := r.stats(); stats.Backlog.Messages != 24 || stats.Dropped != 16 {
			t.Errorf("without a cap: %+v", stats)
		}
	})
}

// While a backlog is full publishes are refused, naming the subscription, also right
// after an opening; an ack makes room.
func TestAFullBacklogRefusesPublishes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, 1, withCap(BacklogCap{Max: Amount{Messages: 3}}))
		refused := func() bool {
			b := r.batch("x")
			defer b.Release()
			if err := r.Publish(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			full := (*BacklogFullError)(nil)
			if b.Err != nil && (!errors.As(b.Err, &full) || full.Subscription != billingSub || !errors.Is(b.Err, ErrBacklogFull)) {
				t.Fatal(b.Err)
			}
			return b.Err != nil
		}
		r.publishMany(3)
		synctest.Wait()
		if !refused() {
			t.Error("a fourth message is taken")
		}
		r.reopen()
		if !refused() {
			t.Error("a fourth message is taken after an opening")
		}
		s := r.subscribe(nil)
		s.receive(3)
		s.settle(1, 1, Ack)
		s.confirm()
		synctest.Wait()
		if refused() {
			t.Error("refused though there is room")
		}
		synctest.Wait()
		if !refused() {
			t.Error("a fourth message is taken again")
		}
		if err := r.DeleteSubscription(t.Context(), billingSub); err != nil {
			t.Fatal(err)
		}
		if refused() {
			t.Error("refused for a subscription that is gone")
		}
	})
}

func TestBacklogCapsHaveBounds(t *testing.T) {
	for name, c := range map[string]SubscriptionConfig{
		"an action without a cap":    {BacklogCap: BacklogCap{Action: DropOldest}},
		"an unknown action":          {BacklogCap: BacklogCap{Max: Amount{Messages: 1}, Action: 9}},
		"dead letters with an order": {BacklogCap: BacklogCap{Max: Amount{Messages: 1}, Action: BuryOldest}, Order: OrderKey},
	} {
		if err := c.validateBacklogCap(); !errors.Is(err, ErrInvalidField) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNoMoreIsBuriedThanIsTooMuch, while what was given up is on its way to the dead
// letters: 41 of 42 messages count then, and one is too many.
func TestNoMoreIsBuriedThanIsTooMuch(t *testing.T) {
	k := &backlogKeeper{cap: BacklogCap{Max: Amount{Messages: 40}, Action: BuryOldest}, parts: make([]backlogPart, 1)}
	p := &k.parts[0]
	p.PartitionStats = delivery.PartitionStats{Head: 42, Backlog: 41, Fresh: 41, Dying: 1}
	p.gauge.marks = []gaugeMark{{}, {offset: 42, bytes: 4_200}}
	over := k.cap.above(Amount{Messages: p.Backlog})
	k.plan(over)
	if got := k.burials(over); len(got) != 1 || got[0].Messages != 1 {
		t.Errorf("%+v", got)
	}
}
