package badgerlog

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/headrace/headrace/storage"
)

const (
	ballastName = "ballast"
	// ballastInterval is how often it is looked whether a ballast that was given up
	// can be made again.
	ballastInterval = 5 * time.Second
)

// ballast is a file that only takes room, so that there is some to give up when the
// store has to be opened on a full disk. Only an opening gives it up: a server that
// runs would soon have used it.
type ballast struct {
	path   string
	bytes  uint64
	high   uint64
	system system
	log    *slog.Logger
	// warned: the operator knows that it cannot be made. One goroutine at a time.
	warned bool
}

func newBallast(o *Options, s system) *ballast {
	return &ballast{
		path: filepath.Join(o.Dir, ballastName), bytes: o.BallastBytes, high: o.highMarkBytes(),
		system: s, log: o.Logger,
	}
}

// makeRoom refuses to open on a disk that Badger could not open on, even once the
// ballast is given up.
func (b *ballast) makeRoom(need uint64) error {
	dir := filepath.Dir(b.path)
	err := checkRoom(b.system, dir, need)
	if !errors.Is(err, storage.ErrNoSpace) {
		return err
	}
	switch gone, removeErr := b.release(); {
	case removeErr != nil:
		return errors.Join(err, removeErr)
	case !gone:
		return err
	}
	b.log.Warn("The disk is full: the ballast was given up to open the store. Make room.", "bytes", b.bytes)
	return checkRoom(b.system, dir, need)
}

// release removes the ballast, and returns when its room is free. It says whether
// there was one.
func (b *ballast) release() (gone bool, err error) {
	err = os.Remove(b.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("badgerlog: give up the ballast: %w", err)
	}
	return true, syncDir(filepath.Dir(b.path))
}

// renew makes the ballast when there is none and the disk has more room than it
// takes to accept publishes.
func (b *ballast) renew() {
	if b.bytes == 0 || b.whole() {
		return
	}
	free, err := b.system.freeBytes(filepath.Dir(b.path))
	if err != nil || free < b.high+b.bytes {
		return
	}
	err = b.write()
	switch {
	case err == nil:
		b.warned = false
	case !b.warned:
		b.warned = true
		b.log.Warn("The ballast cannot be made; a store on a full disk may not open without it.", "error", err)
	}
}

// whole says whether the ballast takes the room that it should. One that a crash
// left half made does not.
func (b *ballast) whole() bool { return b.held() >= b.bytes }

// held is the room that the ballast takes.
func (b *ballast) held() uint64 {
	info, err := os.Stat(b.path)
	if err != nil {
		return 0
	}
	return diskBytes(info)
}

// write makes the ballast, or nothing.
func (b *ballast) write() error {
	f, err := os.OpenFile(b.path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("badgerlog: ballast: %w", err)
	}
	err = errors.Join(b.system.preallocate(f, int64(b.bytes)), f.Sync(), f.Close())
	if err != nil {
		_, removeErr := b.release()
		return fmt.Errorf("badgerlog: ballast: %w", errors.Join(err, removeErr))
	}
	return syncDir(filepath.Dir(b.path))
}

// loop makes the ballast again, once there is room, until quit is closed.
func (b *ballast) loop(interval time.Duration, quit <-chan struct{}) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			b.renew()
		case <-quit:
			return
		}
	}
}

// writeZeros gives a file room on the disk where the system has no other way.
func writeZeros(f *os.File, bytes int64) error {
	block := make([]byte, 1<<20)
	for at := int64(0); at < bytes; {
		n, err := f.WriteAt(block[:min(int64(len(block)), bytes-at)], at)
		if err != nil {
			return err
		}
		at += int64(n)
	}
	return nil
}
