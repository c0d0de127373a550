package shardlog_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/badgerlog"
	"github.com/headrace/headrace/storage/storagetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStoreOnMemory(t *testing.T) {
	storagetest.RunStoreSuite(t, func(testing.TB) storagetest.StoreHome { return storagetest.MemoryHome() })
}

func TestStoreOnBadger(t *testing.T) {
	storagetest.RunStoreSuite(t, badgerHome)
}

// badgerHome is a directory of the test's own.
func badgerHome(tb testing.TB) storagetest.StoreHome {
	tb.Helper()
	return homeIn(tb.TempDir())
}

// homeIn is a directory with a Badger engine.
func homeIn(dir string) storagetest.StoreHome {
	return func(tb testing.TB) storage.Engine {
		tb.Helper()
		engine, err := badgerlog.Open(badgerlog.DefaultOptions(dir))
		if err != nil {
			tb.Fatalf("open Badger: %v", err)
		}
		return engine
	}
}
