package badgerlog

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dgraph-io/badger/v4"

	"github.com/headrace/headrace/storage"
)

// collectorOf is a collector of files to rewrite, with commits that take a time.
func collectorOf(files int, commits *time.Duration) *collector {
	return &collector{
		collect: func() error {
			if files == 0 {
				return badger.ErrNoRewrite
			}
			files--
			return nil
		},
		finish:        func() error { return nil },
		holdBack:      100 * time.Millisecond,
		enough:        100,
		short:         func() bool { return false },
		kick:          make(chan struct{}, 1),
		commitAverage: func() time.Duration { return *commits },
		log:           testOptions("").Logger,
		stop:          newFailStop(testOptions("").Logger),
	}
}

func TestCollectionGoesOnUntilNothingIsLeft(t *testing.T) {
	commits := time.Millisecond
	c := collectorOf(7, &commits)
	c.run(nil)
	if c.rewrites.Load() != 7 || c.runs.Load() != 1 || c.errors.Load() != 0 {
		t.Errorf("%d rewrites in %d runs, %d errors", c.rewrites.Load(), c.runs.Load(), c.errors.Load())
	}
}

// TestCollectionIsHeldBackWhileCommitsAreSlow: for some intervals, not for ever,
// and then one file at a time.
func TestCollectionIsHeldBackWhileCommitsAreSlow(t *testing.T) {
	commits := time.Second
	c := collectorOf(7, &commits)
	for range maxHeldBack {
		c.run(nil)
	}
	if c.rewrites.Load() != 0 || c.heldBack.Load() != maxHeldBack {
		t.Errorf("%d rewrites, held back %d times", c.rewrites.Load(), c.heldBack.Load())
	}
	c.run(nil)
	if c.rewrites.Load() != 1 {
		t.Errorf("%d rewrites after %d intervals", c.rewrites.Load(), maxHeldBack)
	}
	commits = time.Millisecond
	c.run(nil)
	if c.rewrites.Load() != 7 {
		t.Errorf("%d rewrites with fast commits", c.rewrites.Load())
	}
}

// TestCollectionComesAtOnce for enough dead bytes, and where the disk is short for any.
func TestCollectionComesAtOnce(t *testing.T) {
	for _, c := range []struct {
		dead  uint64
		short bool
		want  bool
	}{{100, false, true}, {99, false, false}, {1, true, true}, {0, true, false}} {
		commits := time.Millisecond
		collects := collectorOf(0, &commits)
		collects.short = func() bool { return c.short }
		collects.discarded(c.dead)
		if got := len(collects.kick) == 1; got != c.want {
			t.Errorf("%d bytes dead, short %t: it comes at once: %t", c.dead, c.short, got)
		}
	}
}

func TestCollectionEndsWithTheEngine(t *testing.T) {
	commits := time.Millisecond
	quit := make(chan struct{})
	c := collectorOf(7, &commits)
	rewrite := c.collect
	c.collect = func() error {
		if c.rewrites.Load() == 2 {
			close(quit)
		}
		return rewrite()
	}
	c.run(quit)
	if c.rewrites.Load() != 3 {
		t.Errorf("%d rewrites, told to end in the third", c.rewrites.Load())
	}
}

func TestCollectionThatFailsIsCountedAndTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		commits := time.Millisecond
		c := collectorOf(0, &commits)
		c.collect = func() error { return errors.New("failed") }
		quit := make(chan struct{})
		go c.loop(time.Minute, quit)
		time.Sleep(3*time.Minute + time.Second) //nolint:forbidigo // in a bubble
		close(quit)
		synctest.Wait()
		if c.errors.Load() != 3 || closed(c.stop.failed) {
			t.Errorf("%d errors in 3 minutes, failed is %t", c.errors.Load(), closed(c.stop.failed))
		}
	})
}

// TestSpaceComesBack: what is deleted leaves the disk, when memtables were flushed
// and compacted and the value log was collected.
func TestSpaceComesBack(t *testing.T) {
	const keys, valueBytes = 2000, 64 << 10
	o := testOptions(t.TempDir())
	o.ValueLogFileBytes = 64 << 20
	e := mustOpen(t, o)
	value := strings.Repeat("x", valueBytes)
	number := uint64(0)
	commit := func(ops ...storage.Op) {
		number++
		mustCommit(t, e, batch(number, 1, ops...))
	}
	for i := 0; i < keys; i += 100 {
		var puts, deletes []storage.Op
		for k := i; k < i+100; k++ {
			puts = append(puts, put(fmt.Sprint("s", k), value))
			deletes = append(deletes, storage.Op{Key: fmt.Appendf(nil, "s%d", k)})
		}
		commit(puts...)
		commit(deletes...)
	}
	before := e.Stats().ValueLogBytes
	// Small values fill the memtables with what carries the deletes to the tables.
	for i := 0; e.Stats().ValueLogBytes > before/2; i++ {
		if i == 200 {
			t.Fatalf("the value log has %d MiB of %d, %+v", e.Stats().ValueLogBytes>>20, before>>20, e.Stats())
		}
		var fill []storage.Op
		for k := range 400 {
			fill = append(fill, put(fmt.Sprint("f", k), strings.Repeat("y", 3000)))
		}
		commit(fill...)
		e.collector.run(nil)
	}
	if e.Stats().GCRewrites == 0 {
		t.Error("no file was rewritten")
	}
}
