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
func badgerHome(t testing.TB) storagetest.StoreHome { return homeIn(t.TempDir()) }

// homeIn is a directory with a Badger engine.
func homeIn(dir string) storagetest.StoreHome {
	return func(t testing.TB) storage.Engine {
		engine, err := badgerlog.Open(badgerlog.DefaultOptions(dir))
		if err != nil {
			t.Fatalf("open Badger: %v", err)
		}
		return engine
	}
}
