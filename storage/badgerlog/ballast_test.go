package badgerlog

import (
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headrace/headrace/storage"
)

// fullDisk is a disk of which a test says how much others have left; the ballast in
// dir comes on top when it is gone.
type fullDisk struct {
	dir string
	// free is read by the engine's loops as well.
	free atomic.Uint64
}

func newFullDisk(dir string, freeBytes uint64) *fullDisk {
	d := &fullDisk{dir: dir}
	d.free.Store(freeBytes)
	return d
}

func (d *fullDisk) system() system {
	s := realSystem()
	s.freeBytes = func(string) (uint64, error) {
		free := d.free.Load()
		if info, err := os.Stat(filepath.Join(d.dir, ballastName)); err == nil {
			return free - min(free, diskBytes(info)), nil
		}
		return free, nil
	}
	return s
}

// TestTrapDiskFullOpeningGivesUpTheBallast: on a full disk the store opens once the
// ballast is gone, and the ballast comes back only when there is room for it.
func TestTrapDiskFullOpeningGivesUpTheBallast(t *testing.T) {
	o := testOptions(t.TempDir())
	d := newFullDisk(o.Dir, o.highMarkBytes()+o.BallastBytes+1<<20)
	e := mustOpenOn(t, o, d.system())
	mustCommit(t, e, batch(1, 1, put("a", "1")))
	if got := e.Stats().BallastBytes; got < o.BallastBytes || !e.Space().AcceptsPublishes() {
		t.Errorf("with room for it the ballast is of %d bytes: %+v", got, e.Space())
	}
	mustClose(t, e)

	d.free.Store(o.BallastBytes) // The disk is full.
	e = mustOpenOn(t, o, d.system())
	if got, err := get(e, "a"); err != nil || got != "1" {
		t.Errorf("on a full disk: %q, %v", got, err)
	}
	b := batch(2, 2, put("a", "2"))
	if err := e.Commit(b); !errors.Is(err, storage.ErrNoSpace) || e.Err() != nil {
		t.Errorf("a batch: %v, %v", err, e.Err())
	}
	b.TakesReserve = true
	mustCommit(t, e, b)
	e.ballast.renew()
	d.free.Store(o.highMarkBytes() + o.BallastBytes - 1)
	e.ballast.renew()
	if got := e.Stats().BallastBytes; got != 0 {
		t.Errorf("the ballast of %d bytes is back without room for it", got)
	}
	d.free.Add(1 + 1<<20)
	e.ballast.renew()
	if !e.ballast.whole() || !e.Space().AcceptsPublishes() {
		t.Error("the ballast is not back when there is room, or takes what publishes need")
	}
	mustClose(t, e)

	// Only an opening gives it up, and only one that needs it.
	d.free.Store(o.BallastBytes + o.highMarkBytes())
	mustClose(t, mustOpenOn(t, o, d.system()))
	if !e.ballast.whole() {
		t.Error("given up without need")
	}
}

// TestTrapDiskFullWithoutBallastIsRefused: and the message says what to do.
func TestTrapDiskFullWithoutBallastIsRefused(t *testing.T) {
	o := testOptions(t.TempDir())
	o.BallastBytes = 0
	d := newFullDisk(o.Dir, 1<<40)
	mustClose(t, mustOpenOn(t, o, d.system()))
	d.free.Store(1 << 20)
	if _, err := open(o, d.system()); !errors.Is(err, storage.ErrNoSpace) {
		t.Errorf("without a ballast: %v", err)
	}
}

// TestBallastIsMadeWholeOrNotAtAll: one that could not be written is not left behind,
// and one that is half made is made again.
func TestBallastIsMadeWholeOrNotAtAll(t *testing.T) {
	o := testOptions(t.TempDir())
	o.BallastBytes = 1 << 20
	s := realSystem()
	s.preallocate = func(f *os.File, _ int64) error {
		_, err := f.WriteString("half")
		return errors.Join(err, errors.New("disk full"))
	}
	b := newBallast(&o, s)
	b.renew()
	if _, err := os.Stat(b.path); !errors.Is(err, os.ErrNotExist) || !b.warned {
		t.Errorf("after a failure: %v, warned: %t", err, b.warned)
	}
	if err := os.WriteFile(b.path, make([]byte, 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, how := range map[string]func(*os.File, int64) error{"preallocated": preallocate, "written": writeZeros} {
		b.system.preallocate = how
		b.renew()
		if b.held() < o.BallastBytes {
			t.Errorf("%s: it takes %d bytes", name, b.held())
		}
		if gone, err := b.release(); !gone || err != nil {
			t.Errorf("%s: release: %t, %v", name, gone, err)
		}
	}
	if gone, err := b.release(); gone || err != nil {
		t.Errorf("released twice: %t, %v", gone, err)
	}
}

func TestBallastComesBackByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := testOptions(t.TempDir())
		o.BallastBytes = 1 << 20
		d := newFullDisk(o.Dir, 0)
		b := newBallast(&o, d.system())
		quit := make(chan struct{})
		go b.loop(ballastInterval, quit)
		time.Sleep(ballastInterval + 1) //nolint:forbidigo // in a bubble
		synctest.Wait()
		if b.whole() {
			t.Error("made on a full disk")
		}
		d.free.Store(1 << 40)
		time.Sleep(ballastInterval) //nolint:forbidigo // in a bubble
		synctest.Wait()
		if !b.whole() {
			t.Error("not made when there is room")
		}
		close(quit)
	})
}
