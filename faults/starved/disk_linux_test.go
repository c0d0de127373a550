package starved

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// smallDisk is an ext4 file system of its own, which a test may fill.
type smallDisk struct {
	t     *testing.T
	mount string
}

// newSmallDisk mounts a file system, none of it kept for root.
func newSmallDisk(t *testing.T, mebibytes int) *smallDisk {
	t.Helper()
	if os.Geteuid() != 0 {
		leaveOut(t, "needs root, to mount an ext4 image")
	}
	dir := t.TempDir()
	image, mount := filepath.Join(dir, "image"), filepath.Join(dir, "mount")
	for _, words := range [][]string{
		{"truncate", "-s", strconv.Itoa(mebibytes) + "M", image},
		{"mkfs.ext4", "-q", "-m", "0", image},
		{"mkdir", mount},
		{"mount", "-o", "loop", image, mount},
	} {
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", words, err, out)
		}
	}
	d := &smallDisk{t, mount}
	t.Cleanup(func() {
		if err := unix.Unmount(mount, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return d
}

func (d *smallDisk) store() string { return filepath.Join(d.mount, "store") }

func (d *smallDisk) statfs() unix.Statfs_t {
	d.t.Helper()
	var s unix.Statfs_t
	if err := unix.Statfs(d.mount, &s); err != nil {
		d.t.Fatal(err)
	}
	return s
}

func (d *smallDisk) free() int64 {
	s := d.statfs()
	return int64(s.Bavail) * s.Bsize
}

// fill makes a foreign file that leaves about as much as is said, or nothing at all.
func (d *smallDisk) fill(name string, left int64) {
	d.t.Helper()
	f, err := os.Create(filepath.Join(d.mount, name))
	if err != nil {
		d.t.Fatal(err)
	}
	const indexBytes = 1 << 20 // What the file system itself may need for the file.
	size := max(0, d.free()-max(left, indexBytes))
	if size > 0 {
		err = unix.Fallocate(int(f.Fd()), 0, 0, size)
	}
	for at := size; left == 0 && err == nil; at += 4096 {
		if _, full := f.WriteAt(make([]byte, 4096), at); full != nil {
			break
		}
	}
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		d.t.Fatalf("fill the disk: %v", err)
	}
}

// remove removes a foreign file, and returns when its room is free.
func (d *smallDisk) remove(name string) {
	d.t.Helper()
	if err := os.Remove(filepath.Join(d.mount, name)); err != nil {
		d.t.Fatal(err)
	}
	unix.Sync()
}

func (d *smallDisk) hasBallast() bool {
	_, err := os.Stat(filepath.Join(d.store(), "ballast"))
	return !errors.Is(err, fs.ErrNotExist)
}
