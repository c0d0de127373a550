package storagetest

import (
	"errors"
	"testing"

	"github.com/headrace/headrace/storage"
)

func TestMemoryPassesTheEngineSuite(t *testing.T) {
	RunEngineSuite(t, func(*testing.T) OpenFunc {
		disk := NewDisk()
		return func(t *testing.T) storage.Engine {
			t.Helper()
			return mustOpen(t, disk)
		}
	})
}

func mustOpen(t *testing.T, d *Disk) *Memory {
	t.Helper()
	m, err := OpenMemory(d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

func batch(number uint64, ops ...storage.Op) *storage.Batch {
	return &storage.Batch{Number: number, Epoch: 1, Ops: ops}
}

func TestDiskHasOneEngineAtATime(t *testing.T) {
	disk := NewDisk()
	m := mustOpen(t, disk)
	if _, err := OpenMemory(disk); !errors.Is(err, storage.ErrLocked) {
		t.Errorf("second open: %v", err)
	}
	mustOpen(t, m.Crash())
}

func TestPlannedFaults(t *testing.T) {
	for name, c := range map[string]struct {
		fault   Fault
		applied bool
		final   bool
	}{
		"unknown, applied":     {Fault{Err: storage.ErrUnknown, Applied: true}, true, true},
		"unknown, not applied": {Fault{Err: storage.ErrUnknown}, false, true},
		"unavailable":          {Fault{Err: storage.ErrUnavailable}, false, true},
		"no space":             {Fault{Err: storage.ErrNoSpace}, false, false},
		"fenced":               {Fault{Err: storage.ErrFenced}, false, false},
	} {
		m := mustOpen(t, NewDisk())
		m.FailBatch(2, c.fault)
		if err := m.Commit(batch(1, put("a", "1"))); err != nil {
			t.Fatal(err)
		}
		if err := m.Commit(batch(2, put("a", "2"))); !errors.Is(err, c.fault.Err) {
			t.Errorf("%s: %v", name, err)
		}
		if applied := value(m.Disk(), "a") == "2"; applied != c.applied {
			t.Errorf("%s: applied is %t", name, applied)
		}
		if final := m.Err() != nil; final != c.final {
			t.Errorf("%s: failed with %v", name, m.Err())
		}
		if c.final {
			<-m.Failed()
			if err := m.Commit(batch(3)); !errors.Is(err, storage.ErrUnavailable) {
				t.Errorf("%s: commit after it: %v", name, err)
			}
		}
	}
}

func value(d *Disk, key string) string {
	v, _ := d.snapshot().get([]byte(key))
	return string(v)
}

// TestCrashLosesTheCommitThatWaits: nothing of it is stored, and its committer is
// told.
func TestCrashLosesTheCommitThatWaits(t *testing.T) {
	m := mustOpen(t, NewDisk())
	if err := m.Commit(batch(1, put("a", "1"))); err != nil {
		t.Fatal(err)
	}
	reached, release := m.Block()
	result := make(chan error)
	go func() { result <- m.Commit(batch(2, put("a", "2"))) }()
	<-reached
	disk := m.Crash()
	release()
	if err := <-result; !errors.Is(err, storage.ErrUnavailable) {
		t.Errorf("the commit that waited: %v", err)
	}
	if got := value(disk, "a"); got != "1" {
		t.Errorf("a = %s after the crash", got)
	}
}

func TestDamageToADisk(t *testing.T) {
	m := mustOpen(t, NewDisk())
	for i := range uint64(3) {
		if err := m.Commit(batch(i+1, put("a", string(rune('1'+i))), put("b", "x"))); err != nil {
			t.Fatal(err)
		}
	}
	disk := m.Disk()
	disk.Rewind(1)
	if got := value(disk, "a"); got != "2" {
		t.Errorf("a = %s after the last batch is lost", got)
	}
	if got := m.Ledger(); len(got) != 3 {
		t.Errorf("the ledger forgot what was lost: %v", got)
	}
	disk.Corrupt([]byte("a"), func(v []byte) []byte { v[0] ^= 1; return v })
	disk.Drop([]byte("b"))
	if value(disk, "a") != "3" || value(disk, "b") != "" || disk.Len() != 1 {
		t.Errorf("a = %q, b = %q, %d keys", value(disk, "a"), value(disk, "b"), disk.Len())
	}
}
