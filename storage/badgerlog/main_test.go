package badgerlog

import (
	"log/slog"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/headrace/headrace/storage"
)

// TestMain also is the process that tests kill: see kill_test.go.
func TestMain(m *testing.M) {
	if dir := os.Getenv(victimDirVar); dir != "" {
		victim(dir, os.Stdout)
		os.Exit(1)
	}
	if dir := os.Getenv(starvedDirVar); dir != "" {
		starved(dir, os.Getenv(starvedOfVar), os.Stdout)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, forgotten()...)
}

// forgotten are goroutines that Badger forgets when its Open fails, as one test
// makes it. An engine that was not closed has others besides.
func forgotten() (all []goleak.Option) {
	for _, name := range []string{
		"badger/v4.(*DB).monitorCache", "badger/v4.(*DB).updateSize", "badger/v4/y.(*WaterMark).process",
		"ristretto/v2/z.(*AllocatorPool).freeupAllocators",
	} {
		all = append(all, goleak.IgnoreTopFunction("github.com/dgraph-io/"+name))
	}
	// Reads of some damaged values leave a lock behind, for which its Close waits.
	const badger = "github.com/dgraph-io/badger/v4."
	return append(all, goleak.IgnoreAnyFunction(badger+"(*valueLog).Close"),
		goleak.IgnoreTopFunction(badger+"(*vlogThreshold).listenForValueThresholdUpdate"))
}

// lastWords is the time that a test has to say what it waited for in vain.
const lastWords = 10 * time.Second

// nearlyOver is when the time that all tests have is about to end: how long something
// takes on a machine that others use too is no test's business. It never is where there
// is no end.
func nearlyOver(t *testing.T) <-chan time.Time {
	t.Helper()
	end, ok := t.Deadline()
	if !ok {
		return nil
	}
	return time.After(time.Until(end) - lastWords)
}

// testOptions are the defaults with what a test need not wait for.
func testOptions(dir string) Options {
	o := DefaultOptions(dir)
	o.GCInterval = 0
	return o
}

func mustOpen(tb testing.TB, o Options) *Engine {
	tb.Helper()
	return mustOpenOn(tb, o, realSystem())
}

func mustOpenOn(tb testing.TB, o Options, s system) *Engine {
	tb.Helper()
	o.Logger = slog.New(slog.NewTextHandler(tb.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	e, err := open(o, s)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = e.Close() })
	return e
}

func mustClose(tb testing.TB, e *Engine) {
	tb.Helper()
	if err := e.Close(); err != nil {
		tb.Fatal(err)
	}
}

func batch(number, epoch uint64, ops ...storage.Op) *storage.Batch {
	return &storage.Batch{Number: number, Epoch: epoch, Hash: number * 3, Ops: ops}
}

func put(key, value string) storage.Op { return storage.Op{Key: []byte(key), Value: []byte(value)} }

func mustCommit(tb testing.TB, e *Engine, b *storage.Batch) {
	tb.Helper()
	if err := e.Commit(b); err != nil {
		tb.Fatal(err)
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
