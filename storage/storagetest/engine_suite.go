package storagetest

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// OpenFunc opens the engine over one store. It is called again after the engine
// was closed, and then gives another engine over the same store.
type OpenFunc func(t *testing.T) storage.Engine

// RunEngineSuite runs the tests that every engine must pass. newStore gives a new,
// empty store.
func RunEngineSuite(t *testing.T, newStore func(t *testing.T) OpenFunc) {
	t.Helper()
	for _, c := range []struct {
		name string
		test func(*bench)
	}{
		{"EmptyStoreHasNothing", emptyStoreHasNothing},
		{"BatchIsVisibleWhole", batchIsVisibleWhole},
		{"PutsOverwriteAndDeletesRemove", putsOverwriteAndDeletesRemove},
		{"SnapshotDoesNotChange", snapshotDoesNotChange},
		{"CommitKeepsNoneOfTheBatch", commitKeepsNoneOfTheBatch},
		{"ErrorOfAReadIsHandedOn", errorOfAReadIsHandedOn},
		{"WalksStopWhenTold", walksStopWhenTold},
		{"WalksNest", walksNest},
		{"AscendAndDescend", ascendAndDescend},
		{"DescendPassesDeletedKeys", descendPassesDeletedKeys},
		{"LowerEpochIsFenced", lowerEpochIsFenced},
		{"LowerEpochIsFencedAfterReopen", lowerEpochIsFencedAfterReopen},
		{"ReopenFindsEverything", reopenFindsEverything},
		{"LedgerRemembersTheLastBatch", ledgerRemembersTheLastBatch},
		{"BigBatchFits", bigBatchFits},
		{"LargeValuesFit", largeValuesFit},
		{"TooLargeBatchIsRefusedWhole", tooLargeBatchIsRefusedWhole},
		{"ClosedEngineIsUnavailable", closedEngineIsUnavailable},
		{"SpaceAcceptsPublishes", spaceAcceptsPublishes},
		{"BehavesLikeTheModel", behavesLikeTheModel},
		{"ReadersSeeWholeBatchesOnly", readersSeeWholeBatchesOnly},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := &bench{t: t, open: newStore(t), epoch: 1}
			b.engine = b.open(t)
			t.Cleanup(b.close)
			c.test(b)
		})
	}
}

// bench is an engine under test with what it takes to hand it batches.
type bench struct {
	t      *testing.T
	open   OpenFunc
	engine storage.Engine
	number uint64
	epoch  uint64
}

func (b *bench) close() {
	if err := b.engine.Close(); err != nil {
		b.t.Errorf("close: %v", err)
	}
}

func (b *bench) reopen() {
	b.t.Helper()
	b.close()
	b.engine = b.open(b.t)
}

// try commits operations as the next batch.
func (b *bench) try(ops ...storage.Op) error {
	next := storage.Batch{Number: b.number + 1, Epoch: b.epoch, Hash: (b.number + 1) * 7, Ops: ops}
	err := b.engine.Commit(&next)
	if err == nil {
		b.number++
	}
	return err
}

func (b *bench) commit(ops ...storage.Op) {
	b.t.Helper()
	if err := b.try(ops...); err != nil {
		b.t.Fatalf("commit: %v", err)
	}
}

func (b *bench) view(fn func(storage.Reader) error) {
	b.t.Helper()
	if err := b.engine.View(fn); err != nil {
		b.t.Fatalf("view: %v", err)
	}
}

// want checks the value of a key; "" is for none.
func (b *bench) want(key, value string) {
	b.t.Helper()
	b.view(func(r storage.Reader) error {
		if got := get(b.t, r, key); got != value {
			b.t.Errorf("%s = %q, expected %q", key, got, value)
		}
		return nil
	})
}

func get(t *testing.T, r storage.Reader, key string) string {
	t.Helper()
	var value string
	err := r.Get([]byte(key), func(v []byte) error {
		value = string(v)
		return nil
	})
	if err != nil && !errors.Is(err, storage.ErrNotFound) {
		t.Fatalf("get %s: %v", key, err)
	}
	return value
}

func put(key, value string) storage.Op { return storage.Op{Key: []byte(key), Value: []byte(value)} }
func remove(key string) storage.Op     { return storage.Op{Key: []byte(key)} }

func emptyStoreHasNothing(b *bench) {
	b.want("a", "")
	if got := walk(b, up, "", ""); len(got) != 0 {
		b.t.Errorf("a new store holds %v", got)
	}
	if got := b.engine.Ledger(); len(got) != 0 {
		b.t.Errorf("a new store's ledger holds %v", got)
	}
	if err := b.engine.Err(); err != nil {
		b.t.Errorf("a new engine has failed: %v", err)
	}
}

func batchIsVisibleWhole(b *bench) {
	b.commit(put("a", "1"), put("b", "2"))
	b.want("a", "1")
	b.want("b", "2")
	b.commit(put("b", "3"), remove("a"), put("c", "4"))
	b.want("a", "")
	b.want("b", "3")
	b.want("c", "4")
}

func putsOverwriteAndDeletesRemove(b *bench) {
	b.commit(put("a", "1"))
	b.commit(put("a", "2"))
	b.want("a", "2")
	b.commit(remove("a"), remove("never there"))
	b.want("a", "")
	b.commit(put("a", "3"))
	b.want("a", "3")
}

func snapshotDoesNotChange(b *bench) {
	b.commit(put("a", "1"), put("b", "1"))
	b.view(func(r storage.Reader) error {
		b.commit(put("a", "2"), remove("b"), put("c", "2"))
		for key, value := range map[string]string{"a": "1", "b": "1", "c": ""} {
			if got := get(b.t, r, key); got != value {
				b.t.Errorf("%s = %q in a snapshot from before, expected %q", key, got, value)
			}
		}
		return nil
	})
}

func commitKeepsNoneOfTheBatch(b *bench) {
	large := bytes.Repeat([]byte("x"), 2*record.InlineValueBytes)
	ops := []storage.Op{put("a", "1"), {Key: []byte("b"), Value: bytes.Clone(large)}}
	b.commit(ops...)
	for _, op := range ops {
		clear(op.Key)
		clear(op.Value)
	}
	b.want("a", "1")
	b.want("b", string(large))
}

func errorOfAReadIsHandedOn(b *bench) {
	b.commit(put("a", "1"))
	mine := errors.New("mine")
	fail := func([]byte) error { return mine }
	reads := map[string]func(storage.Reader) error{
		"view": func(storage.Reader) error { return mine },
		"get":  func(r storage.Reader) error { return r.Get([]byte("a"), fail) },
		"ascend": func(r storage.Reader) error {
			return r.Ascend(nil, nil, func([]byte, storage.Value) (bool, error) { return true, mine })
		},
		"descend": func(r storage.Reader) error {
			return r.Descend(nil, nil, func([]byte, storage.Value) (bool, error) { return true, mine })
		},
		"read": func(r storage.Reader) error {
			return r.Ascend(nil, nil, func(_ []byte, v storage.Value) (bool, error) { return true, v.Read(fail) })
		},
	}
	for name, read := range reads {
		if err := b.engine.View(read); !errors.Is(err, mine) {
			b.t.Errorf("%s: %v", name, err)
		}
	}
}

func lowerEpochIsFenced(b *bench) {
	b.epoch = 5
	b.commit(put("a", "1"))
	b.epoch = 4
	if err := b.try(put("a", "2")); !errors.Is(err, storage.ErrFenced) {
		b.t.Errorf("commit of a lower epoch: %v", err)
	}
	b.want("a", "1")
	b.epoch = 6
	b.commit(put("a", "3"))
	b.want("a", "3")
}

func lowerEpochIsFencedAfterReopen(b *bench) {
	b.epoch = 5
	b.commit(put("a", "1"))
	b.reopen()
	if len(b.engine.Ledger()) == 0 {
		return // The engine has no memory of epochs; recovery reads the shard's record.
	}
	b.epoch = 4
	if err := b.try(put("a", "2")); !errors.Is(err, storage.ErrFenced) {
		b.t.Errorf("commit of a lower epoch: %v", err)
	}
}

func reopenFindsEverything(b *bench) {
	large := string(bytes.Repeat([]byte("x"), 100<<10))
	for i := range 50 {
		b.commit(put(fmt.Sprint("small", i), strconv.Itoa(i)), put(fmt.Sprint("large", i), large), put("last", strconv.Itoa(i)))
	}
	for range 2 {
		b.reopen()
		for i := range 50 {
			b.want(fmt.Sprint("small", i), strconv.Itoa(i))
			b.want(fmt.Sprint("large", i), large)
		}
		b.want("last", "49")
	}
	b.commit(put("last", "50"))
	b.want("last", "50")
	if got := len(walk(b, up, "small", "")); got != 50 {
		b.t.Errorf("%d small keys, expected 50", got)
	}
}

func ledgerRemembersTheLastBatch(b *bench) {
	for range 20 {
		b.commit(put("a", "1"))
	}
	b.reopen()
	ledger := b.engine.Ledger()
	if len(ledger) == 0 {
		return // Engines need not have a ledger.
	}
	for i := 1; i < len(ledger); i++ {
		if ledger[i].Number != ledger[i-1].Number+1 {
			b.t.Errorf("ledger is not in order: %v", ledger)
		}
	}
	want := storage.LedgerEntry{Epoch: 1, Number: 20, Hash: 140}
	if last := ledger[len(ledger)-1]; last != want {
		b.t.Errorf("last entry is %v, expected %v", last, want)
	}
}

func bigBatchFits(b *bench) {
	value := make([]byte, record.MaxBatchInlineBytes/record.MaxBatchKeys-8)
	value[0] = 1
	ops := make([]storage.Op, record.MaxBatchKeys)
	for i := range ops {
		ops[i] = storage.Op{Key: fmt.Appendf(nil, "%08d", i), Value: value}
	}
	for range 3 {
		b.commit(ops...)
	}
	b.reopen()
	if got := len(walk(b, up, "", "")); got != len(ops) {
		b.t.Errorf("%d keys, expected %d", got, len(ops))
	}
}

func largeValuesFit(b *bench) {
	value := bytes.Repeat([]byte("0123456789abcdef"), 33<<20/16)
	b.commit(storage.Op{Key: []byte("large"), Value: value})
	// As many commit segments as a batch holds.
	ops := make([]storage.Op, 32)
	for i := range ops {
		ops[i] = storage.Op{Key: fmt.Appendf(nil, "s%d", i), Value: value[:record.SegmentBytes+i]}
	}
	b.commit(ops...)
	b.reopen()
	b.view(func(r storage.Reader) error {
		for key, size := range map[string]int{"large": len(value), "s0": record.SegmentBytes, "s31": record.SegmentBytes + 31} {
			if got := get(b.t, r, key); got != string(value[:size]) {
				b.t.Errorf("%s of %d bytes comes back differently, with %d", key, size, len(got))
			}
		}
		return nil
	})
}

func tooLargeBatchIsRefusedWhole(b *bench) {
	b.commit(put("a", "1"))
	many := make([]storage.Op, record.MaxBatchKeys+1)
	for i := range many {
		many[i] = put(fmt.Sprintf("k%d", i), "1")
	}
	inline := make([]storage.Op, record.MaxBatchInlineBytes/(record.InlineValueBytes-1)+1)
	for i := range inline {
		inline[i] = storage.Op{Key: fmt.Appendf(nil, "i%d", i), Value: make([]byte, record.InlineValueBytes-1)}
	}
	all := []storage.Op{{Key: []byte("all"), Value: make([]byte, record.MaxBatchBytes)}}
	for name, ops := range map[string][]storage.Op{"keys": many, "inline bytes": inline, "bytes": all} {
		if err := b.try(append(ops, put("a", "2"))...); !errors.Is(err, storage.ErrTooLarge) {
			b.t.Errorf("too many %s: %v", name, err)
		}
	}
	if got := walk(b, up, "", ""); len(got) != 1 || got[0] != "a=1" {
		b.t.Errorf("refused batches left %d keys", len(got))
	}
	b.commit(put("a", "3"))
	b.want("a", "3")
}

func closedEngineIsUnavailable(b *bench) {
	b.commit(put("a", "1"))
	b.close()
	b.close()
	if err := b.try(put("a", "2")); !errors.Is(err, storage.ErrUnavailable) {
		b.t.Errorf("commit: %v", err)
	}
	if err := b.engine.View(func(storage.Reader) error { return nil }); !errors.Is(err, storage.ErrUnavailable) {
		b.t.Errorf("view: %v", err)
	}
	select {
	case <-b.engine.Failed():
		b.t.Errorf("closing counts as a failure: %v", b.engine.Err())
	default:
	}
}

func spaceAcceptsPublishes(b *bench) {
	if s := b.engine.Space(); !s.AcceptsPublishes() {
		b.t.Errorf("the disk has no room for the suite: %+v", s)
	}
}
