package badgerlog

import (
	"errors"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4/options"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
	"github.com/headrace/headrace/storage/storagetest"
)

func TestEnginePassesTheEngineSuite(t *testing.T) {
	storagetest.RunEngineSuite(t, func(t *testing.T) storagetest.OpenFunc {
		t.Helper()
		dir := t.TempDir()
		return func(t *testing.T) storage.Engine {
			t.Helper()
			return mustOpen(t, testOptions(dir))
		}
	})
}

func TestOptionsAreValidated(t *testing.T) {
	good := DefaultOptions("dir")
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Options){
		"no directory":           func(o *Options) { o.Dir = "" },
		"no shards":              func(o *Options) { o.Shards = 0 },
		"memtable too small":     func(o *Options) { o.MemTableBytes = 8 << 20 },
		"no memtables":           func(o *Options) { o.MemTables = 0 },
		"stall at once":          func(o *Options) { o.LevelZeroStall = o.LevelZeroTables },
		"one compactor":          func(o *Options) { o.Compactors = 1 },
		"value log too small":    func(o *Options) { o.ValueLogFileBytes = 1 << 20 },
		"value log too large":    func(o *Options) { o.ValueLogFileBytes = 2 << 30 },
		"rotates at once":        func(o *Options) { o.RotateBytes = 1 << 20 },
		"negative GC interval":   func(o *Options) { o.GCInterval = -1 },
		"discard ratio of 1":     func(o *Options) { o.GCDiscardRatio = 1 },
		"no time for commits":    func(o *Options) { o.CommitTimeout = 0 },
		"no descriptor interval": func(o *Options) { o.DescriptorInterval = 0 },
		"no logger":              func(o *Options) { o.Logger = nil },
		"no clock":               func(o *Options) { o.Clock = nil },
	} {
		o := DefaultOptions("dir")
		spoil(&o)
		if err := o.Validate(); err == nil {
			t.Errorf("%s is legal", name)
		}
		if _, err := Open(o); err == nil {
			t.Errorf("%s opens", name)
		}
	}
}

// TestCommitThatHangsIsUnknown: a commit blocks for a bounded time only.
func TestCommitThatHangsIsUnknown(t *testing.T) {
	o := testOptions(t.TempDir())
	o.CommitTimeout = time.Nanosecond
	e := mustOpen(t, o)
	// With a nanosecond every commit hangs, but for one that ends together with it.
	for number := uint64(1); e.Err() == nil; number++ {
		if err := e.Commit(batch(number, 1, put("a", "1"))); err != nil && !errors.Is(err, storage.ErrUnknown) {
			t.Fatalf("commit that hangs: %v", err)
		}
	}
	<-e.Failed()
	if err := e.Commit(batch(99, 1, put("a", "2"))); !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("commit after it: %v", err)
	}
}

func TestEmptyKeysAndValuesAreRefused(t *testing.T) {
	e := mustOpen(t, testOptions(t.TempDir()))
	for _, op := range []storage.Op{{Key: []byte("a"), Value: []byte{}}, {Value: []byte("1")}} {
		if err := e.Commit(batch(1, 1, put("b", "1"), op)); err == nil {
			t.Errorf("%v is legal", op)
		}
	}
	if _, err := get(e, "b"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("part of a refused batch is there: %v", err)
	}
	mustCommit(t, e, batch(1, 1, put("b", "1")))
}

func TestStatsCount(t *testing.T) {
	e := mustOpen(t, testOptions(t.TempDir()))
	for i := range uint64(3) {
		mustCommit(t, e, batch(i+1, 1, put("a", "1"), put("b", string(make([]byte, 8<<10)))))
	}
	s := e.Stats()
	if s.Commits != 3 || s.Ops != 6 || s.Bytes != 3*(2+1+8<<10) || s.LedgerWrites != 3 || s.CommitTime <= 0 {
		t.Errorf("counted %+v", s)
	}
	if s.LogBytes == 0 || s.ValueLogBytes < 3*8<<10 || s.FreeBytes == 0 || s.Descriptors == 0 || s.DescriptorLimit < minDescriptors {
		t.Errorf("measured %+v", s)
	}
}

// TestBadgerIsTunedForDurability: what must never be traded for speed.
func TestBadgerIsTunedForDurability(t *testing.T) {
	o := DefaultOptions("dir")
	b := o.badger("dir", nil)
	if !b.SyncWrites || b.InMemory || b.ReadOnly || b.BypassLockGuard || b.ChecksumVerificationMode != options.NoVerification {
		t.Errorf("got %+v", b)
	}
	if b.ValueThreshold != record.InlineValueBytes || b.MaxLevels < 7 || b.NumVersionsToKeep != 1 {
		t.Errorf("got %+v", b)
	}
}

// TestCloseWhileInUse: closing, twice and from several sides, waits for commits and
// reads that are under way, and refuses those that come later.
func TestCloseWhileInUse(t *testing.T) {
	for range 5 {
		e := mustOpen(t, testOptions(t.TempDir()))
		begun, ended := make(chan struct{}, 2), make(chan error, 2)
		use := func(call func(number uint64) error) {
			begun <- struct{}{}
			for number := uint64(1); ; number++ {
				if err := call(number); err != nil {
					ended <- err
					return
				}
			}
		}
		go use(func(number uint64) error { return e.Commit(batch(number, 1, put("a", "1"))) })
		go use(func(uint64) error {
			return e.View(func(r storage.Reader) error {
				err := r.Get([]byte("a"), func([]byte) error { return nil })
				if errors.Is(err, storage.ErrNotFound) {
					err = nil
				}
				return err
			})
		})
		<-begun
		<-begun
		closings := make(chan error, 2)
		for range 2 {
			go func() { closings <- e.Close() }()
		}
		for range 2 {
			if err := <-closings; err != nil {
				t.Errorf("close: %v", err)
			}
			if err := <-ended; !errors.Is(err, storage.ErrUnavailable) {
				t.Errorf("a call during closing: %v", err)
			}
		}
	}
}
