package badgerlog

import (
	"log/slog"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/headrace/headrace/storage"
)

// TestMain also is the process that tests kill: see kill_test.go.
func TestMain(m *testing.M) {
	if dir := os.Getenv(victimDirVar); dir != "" {
		os.Exit(victim(dir))
	}
	goleak.VerifyTestMain(m)
}

// testOptions are the defaults with what a test need not wait for.
func testOptions(dir string) Options {
	o := DefaultOptions(dir)
	o.GCInterval = 0
	return o
}

func mustOpen(t testing.TB, o Options) *Engine { return mustOpenOn(t, o, realSystem()) }

func mustOpenOn(t testing.TB, o Options, s system) *Engine {
	t.Helper()
	o.Logger = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	e, err := open(o, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func mustClose(t testing.TB, e *Engine) {
	t.Helper()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}

func batch(number, epoch uint64, ops ...storage.Op) *storage.Batch {
	return &storage.Batch{Number: number, Epoch: epoch, Hash: number * 3, Ops: ops}
}

func put(key, value string) storage.Op { return storage.Op{Key: []byte(key), Value: []byte(value)} }

func mustCommit(t testing.TB, e *Engine, b *storage.Batch) {
	t.Helper()
	if err := e.Commit(b); err != nil {
		t.Fatal(err)
	}
}

// get gives the value of a key.
func get(e *Engine, key string) (value string, err error) {
	err = e.View(func(r storage.Reader) error {
		return r.Get([]byte(key), func(v []byte) error {
			value = string(v)
			return nil
		})
	})
	return value, err
}
