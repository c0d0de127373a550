package servertest

import (
	"testing"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/badgerlog"
	"github.com/headrace/headrace/storage/storagetest"
)

// BadgerHome is a place on disk: the real engine, in a directory of its own that is
// removed at the end of the test.
func BadgerHome(tb testing.TB) storagetest.StoreHome {
	tb.Helper()
	dir := tb.TempDir()
	return func(tb testing.TB) storage.Engine {
		tb.Helper()
		engine, err := badgerlog.Open(badgerlog.DefaultOptions(dir))
		if err != nil {
			tb.Fatalf("open Badger: %v", err)
		}
		return engine
	}
}
