package delivery_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/headrace/headrace/server/broker/delivery"
)

// keyed makes a subscription with ordering keys.
func keyed(t *testing.T, config delivery.Config) *world {
	t.Helper()
	config.Order = delivery.OrderKey
	return newWorld(t, config, 1)
}

// publishKeys adds messages of 10 bytes with keys, 0 for none, as one segment.
func (w *world) publishKeys(keys ...int) {
	w.t.Helper()
	p := w.store.partitions[0]
	sizes := make([]uint64, len(keys))
	for i := range sizes {
		sizes[i] = 10
	}
	p.publishKeys(sizes, keys, 0, int64(w.now))
	w.do(&delivery.Head{Partition: p.id, Next: p.head})
}

// join attaches a session with features.
func (w *world) join(id delivery.SessionID, features delivery.Features) {
	w.t.Helper()
	attach := w.session(id, 1000, 1<<20)
	attach.Features = features
	w.do(attach)
}

func TestRule12OneMessageOfAKeyAtATime(t *testing.T) {
	w := keyed(t, delivery.Config{})
	w.publishKeys(1, 1, 2, 0, 0, 2, 3)
	w.join(1, 0)
	wantOffsets(t, "first", w.got(1), 0, 2, 3, 4, 6)
	w.settle(1, 1, delivery.Ack, 3, 5) // 3, 4 and the one of key 3
	wantOffsets(t, "behind nothing that was settled", w.got(1))
	w.settle(1, 2, delivery.Ack, 1, 1)
	wantOffsets(t, "behind the first", w.got(1), 1)
	w.settle(1, 3, delivery.Ack, 2, 2)
	wantOffsets(t, "behind the second", w.got(1), 5)
}

func TestRule12ASessionThatBatchesKeysGetsMore(t *testing.T) {
	w := keyed(t, delivery.Config{})
	w.publishKeys(1, 1, 2, 1)
	w.join(1, delivery.KeyBatches)
	wantOffsets(t, "at once", w.got(1), 0, 1, 2, 3)
	w.join(2, delivery.KeyBatches)
	w.publishKeys(1)
	w.window(1, 0, 0)
	w.publishKeys(1, 2)
	wantOffsets(t, "to another session", w.got(2))
	w.window(1, 1000, 1<<20)
	wantOffsets(t, "to the same session", w.got(1), 4, 5, 6)
}

func TestRule12AKeyTakesPartOfAWindowAtMost(t *testing.T) {
	w := keyed(t, delivery.Config{})
	attach := w.session(1, 6, 1<<20)
	attach.Features = delivery.KeyBatches
	w.do(attach)
	w.publishKeys(1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 2)
	wantOffsets(t, "a hot key beside others", w.got(1), 0, 1, 2, 8, 9, 10)
	w.settle(1, 1, delivery.Ack, 4, 6) // those of the others
	w.publishKeys(4)
	wantOffsets(t, "while the hot one stands still", w.got(1), 11)
	w.settle(1, 2, delivery.Ack, 1, 2)
	wantOffsets(t, "when it goes on", w.got(1), 3, 4)
	w.window(1, 12, 1<<20)
	w.settle(1, 3, delivery.Ack, 3, 3)
	wantOffsets(t, "in a larger window", w.got(1), 5, 6, 7)
}

func TestRule12AKeyTakesATenthOfALargeWindow(t *testing.T) {
	for window, most := range map[uint64]int{1: 1, 2: 1, 10: 5, 64: 32, 319: 32, 330: 33, 1000: 100} {
		w := keyed(t, delivery.Config{})
		attach := w.session(1, window, 1<<20)
		attach.Features = delivery.KeyBatches
		w.do(attach)
		w.publishKeys(slices.Repeat([]int{1}, 150)...)
		want(t, fmt.Sprintf("of one key in a window of %d", window), w.count(1), most)
	}
}

func TestRule12AKeyTakesPartOfWhatIsGrantedByHand(t *testing.T) {
	w := keyed(t, delivery.Config{})
	attach := w.session(1, 0, 0)
	attach.Features, attach.Replenish = delivery.KeyBatches, delivery.Manual
	w.do(attach)
	w.publishKeys(slices.Repeat([]int{1}, 100)...)
	w.publishKeys(2)
	w.grant(90, 1<<20)
	want(t, "of both keys", w.count(1), 32+1)
}

func TestRule12ABrokenHolderHandsTheKeyOn(t *testing.T) {
	w := keyed(t, delivery.Config{})
	w.publishKeys(1, 1, 1)
	w.join(1, delivery.KeyBatches|delivery.TellsStarted)
	want(t, "delivered", w.count(1), 3)
	w.start(1, 1)
	w.join(2, 0)
	w.detach(delivery.Broken)
	wantOffsets(t, "to the next session", w.got(2), 0)
	w.settle(2, 1, delivery.Ack, 1, 1)
	wantOffsets(t, "then", w.got(2), 1)
	want(t, "expired", w.stats().Expired, 1)
}

func TestRule12ARetryRevokesWhatIsBehind(t *testing.T) {
	for _, test := range []struct {
		name    string
		verdict delivery.Verdict
		started bool
	}{
		{"retried", delivery.Retry, false},
		{"retried, the others started", delivery.Retry, true},
		{"released", delivery.Release, true},
	} {
		w := keyed(t, delivery.Config{})
		w.publishKeys(1, 1, 2, 1)
		w.join(1, delivery.KeyBatches|delivery.TellsStarted)
		want(t, "delivered", w.count(1), 4)
		if test.started {
			w.start(1, 4)
		}
		w.settle(1, 1, test.verdict, 1, 1)
		want(t, test.name+": revocations", len(w.revoked), 1)
		want(t, test.name+": reason", w.revoked[0].Reason, delivery.KeyOrder)
		want(t, test.name+": first", w.revoked[0].Ranges[0], delivery.SequenceRange{First: 2, Last: 2})
		want(t, test.name+": second", w.revoked[0].Ranges[1], delivery.SequenceRange{First: 4, Last: 4})
		want(t, test.name+": expired", w.stats().Expired, 0)
		w.settle(1, 2, delivery.Ack, 2, 2)
		want(t, test.name+": a settle for it", w.failures()[0].Reason, delivery.Stale)
		wantOffsets(t, test.name+": meanwhile", w.got(1))
	}
}

func TestRule12NothingGoesBehindAHeadThatHasFailed(t *testing.T) {
	w := keyed(t, delivery.Config{})
	w.publishKeys(1, 1, 1)
	w.join(1, delivery.KeyBatches)
	want(t, "delivered", w.count(1), 3)
	w.settle(1, 1, delivery.Retry, 1, 1)
	w.hear(2*time.Second, 1)
	wantOffsets(t, "the head alone", w.got(1), 0)
	w.publishKeys(1)
	wantOffsets(t, "meanwhile", w.got(1))
	w.settle(1, 2, delivery.Ack, 4, 4)
	wantOffsets(t, "the next", w.got(1), 1)
	w.settle(1, 3, delivery.Ack, 5, 5)
	wantOffsets(t, "the rest", w.got(1), 2, 3)
}

func TestRule12ExpiryOfTheHeadRevokesItsSuccessors(t *testing.T) {
	w := keyed(t, delivery.Config{})
	w.publishKeys(1, 1)
	attach := w.session(1, 10, 1000)
	attach.Lease, attach.Features = 5*time.Second, delivery.KeyBatches|delivery.TellsStarted
	w.do(attach)
	w.start(1, 1)
	w.hear(4*time.Second, 1)
	w.start(2, 2)
	w.wait(time.Second)
	want(t, "expired", w.stats().Expired, 1)
	want(t, "revoked", w.revoked[len(w.revoked)-1].Reason, delivery.KeyOrder)
	want(t, "outstanding", w.stats().Outstanding, 0)
}

func TestRule12ALeaseThatEndsWhileASettleIsInFlight(t *testing.T) {
	w := keyed(t, delivery.Config{})
	w.publishKeys(1, 1)
	attach := w.session(1, 10, 1000)
	attach.Lease, attach.Features = 5*time.Second, delivery.KeyBatches
	w.do(attach)
	w.extend(1, 9*time.Second, 2, 2)
	w.window(1, 0, 0)
	settle := w.settling(1, 2, delivery.Ack, 2, 2)
	settle.At += 6 * time.Second // after the lease of the head had ended
	w.now += 7 * time.Second
	w.do(settle)
	want(t, "acked", w.stats().Acked, 1) // it was read before anything was revoked
	want(t, "expired", w.stats().Expired, 1)
}

func TestRule12OrderHoldsThroughARestart(t *testing.T) {
	w := keyed(t, delivery.Config{})
	w.publishKeys(1, 1, 1, 2)
	w.join(1, delivery.KeyBatches)
	w.do(&delivery.Settle{
		Stamp: w.stamp(1), Number: 1, Verdict: delivery.Retry, Delay: time.Minute,
		Ranges: []delivery.SequenceRange{{First: 1, Last: 1}},
	})
	w.settle(1, 2, delivery.Ack, 4, 4)
	w.delivers = nil
	w.restart()
	w.join(2, delivery.KeyBatches)
	wantOffsets(t, "before the head is due", w.got(2))
	w.hear(time.Minute, 2)
	wantOffsets(t, "the head", w.got(2), 0)
	w.settle(2, 1, delivery.Ack, 1, 1)
	wantOffsets(t, "the others", w.got(2), 1, 2)
}

func TestRule12TheKeyWhoseHeadIsDeadLettered(t *testing.T) {
	for _, test := range []struct {
		policy delivery.KeyPolicy
		dead   int
		next   []uint64
		parked int
	}{
		{delivery.BlockKey, 0, []uint64{0}, 0},
		{delivery.ParkKey, 1, nil, 1},
		{delivery.SkipKey, 1, []uint64{1}, 0},
	} {
		w := keyed(t, delivery.Config{DeadLetters: true, MaxAttempts: 1, KeyPolicy: test.policy})
		w.publishKeys(1, 1, 1)
		w.join(1, 0)
		want(t, "delivered", w.count(1), 1)
		w.holdCommits = true
		w.settle(1, 1, delivery.Retry, 1, 1)
		wantOffsets(t, "before the commit", w.got(1))
		w.holdCommits = false
		w.do(w.commit())
		w.hear(2*time.Second, 1)
		want(t, "dead letters", len(w.dead), test.dead)
		wantOffsets(t, "next", w.got(1), test.next...)
		want(t, "parked", len(w.state.ParkedKeys(nil)), test.parked)
	}
}

func TestRule12AParkedKeyIsReleased(t *testing.T) {
	w := keyed(t, delivery.Config{DeadLetters: true, KeyPolicy: delivery.ParkKey})
	w.publishKeys(7, 7, 8, 7)
	w.join(1, 0)
	want(t, "delivered", w.count(1), 2)
	w.settle(1, 1, delivery.Reject, 1, 1)
	want(t, "parked", w.state.ParkedKeys(nil)[0], delivery.ParkedKey{Hash: 7, Waiting: 2})
	want(t, "blocked", w.blocked(1)&delivery.KeysBlocked, delivery.KeysBlocked)
	w.restart()
	w.join(2, 0)
	wantOffsets(t, "after a restart", w.got(2), 2)
	w.do(&delivery.ReleaseKeys{Partition: 0, Hashes: []uint32{7}})
	wantOffsets(t, "released", w.got(2), 1)
	w.restart()
	want(t, "parked in the end", len(w.state.ParkedKeys(nil)), 0)
}

func TestRule12APartitionIsAKey(t *testing.T) {
	w := newWorld(t, delivery.Config{Mode: delivery.Exclusive, Order: delivery.OrderPartition}, 2)
	w.publish(0, 3, 10)
	w.publish(1, 2, 10)
	w.join(1, 0)
	want(t, "one of each partition", w.count(1), 2)
	takeover := w.session(2, 100, 1000)
	takeover.Takeover, takeover.Features = true, delivery.KeyBatches
	w.do(takeover)
	wantOffsets(t, "taken over", w.got(2), 0, 0, 1, 1, 2)
}

// TestRule12AHotKeyDoesNotHoldOthersUp counts turns, not time: with 100,000 keys and
// one with many messages waiting, every turn serves the others.
func TestRule12AHotKeyDoesNotHoldOthersUp(t *testing.T) {
	const hot, others = 200_000, 5000
	w := keyed(t, delivery.Config{})
	keys := make([]int, hot)
	for i := range keys {
		keys[i] = 1
	}
	for range 4 {
		w.publishKeys(keys...)
	}
	for i := range keys[:others] {
		keys[i] = 2 + i
	}
	w.publishKeys(keys[:others]...)
	attach := w.session(1, others+1, 1<<20)
	w.do(attach)
	want(t, "of the hot key and all others", w.count(1), others+1)
	if _, bytes := delivery.Keys(w.state); bytes > 4*hot*2+others*300+4096 {
		t.Fatalf("%d bytes for the keys", bytes)
	}
	turns := w.turns
	w.settle(1, 1, delivery.Ack, 2, others+1)
	w.publishKeys(keys[1 : others-1]...)
	want(t, "of the others", w.count(1), others-2)
	if turns = w.turns - turns; turns > others/60 {
		t.Fatalf("%d turns for %d messages", turns, others)
	}
}

func TestRule12OffsetsBehindKeysAreBounded(t *testing.T) {
	w := keyed(t, delivery.Config{})
	delivery.LimitKeys(w.state, 1000)
	keys := make([]int, 3000)
	for i := range keys {
		keys[i] = 1
	}
	w.publishKeys(keys...)
	w.publishKeys(2, 0)
	w.join(1, 0)
	wantOffsets(t, "the first of the key", w.got(1), 0)
	want(t, "blocked", w.blocked(1), delivery.KeysBlocked)
	for n := uint64(1); n <= 3002; n++ {
		w.settle(1, n, delivery.Ack, n, n)
	}
	want(t, "in the end", w.count(1), 3001)
}
