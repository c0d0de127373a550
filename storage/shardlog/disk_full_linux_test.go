package shardlog_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/shardlog"
	"github.com/headrace/headrace/storage/storagetest"
)

// smallDisk is a file system of its own, which a test may fill.
type smallDisk struct {
	t     *testing.T
	mount string
}

// newSmallDisk mounts an ext4 file system of 700 MiB, none of it kept for root.
func newSmallDisk(t *testing.T) *smallDisk {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("NOT TESTED: a full disk. Mounting one needs root; run this test as root.")
	}
	dir := t.TempDir()
	image, mount := filepath.Join(dir, "image"), filepath.Join(dir, "mount")
	for _, command := range []string{
		"truncate -s 700M " + image, "mkfs.ext4 -q -m 0 " + image, "mkdir " + mount, "mount -o loop " + image + " " + mount,
	} {
		words := strings.Fields(command)
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", command, err, out)
		}
	}
	t.Cleanup(func() {
		if err := unix.Unmount(mount, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return &smallDisk{t, mount}
}

func (d *smallDisk) free() uint64 {
	d.t.Helper()
	var s unix.Statfs_t
	if err := unix.Statfs(d.mount, &s); err != nil {
		d.t.Fatal(err)
	}
	return s.Bavail * uint64(s.Bsize)
}

// fill makes a foreign file that leaves about as much as is said, or nothing at all.
func (d *smallDisk) fill(name string, left uint64) {
	d.t.Helper()
	f, err := os.Create(filepath.Join(d.mount, name))
	if err != nil {
		d.t.Fatal(err)
	}
	const indexBytes = 1 << 20 // What the file system itself may need for the file.
	size := int64(d.free() - max(left, indexBytes))
	err = unix.Fallocate(int(f.Fd()), 0, 0, size)
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
	_, err := os.Stat(filepath.Join(d.mount, "store", "ballast"))
	return err == nil
}

// fullDiskTest is a store on a small disk, one topic and one subscription.
type fullDiskTest struct {
	*storagetest.StoreHarness
	t    *testing.T
	disk *smallDisk
	p    storage.PartitionID
	s    storage.Subscription
	// stored counts the messages.
	stored int
}

var bigBody = strings.Repeat("x", 1<<20)

// publishUntilRefused publishes until the disk is below the high mark.
func (x *fullDiskTest) publishUntilRefused() {
	x.t.Helper()
	for range 1000 {
		err := x.Publish(&storage.Publish{Appends: []storage.Append{storagetest.NewAppend(x.p, bigBody)}})
		if errors.Is(err, storage.ErrNoSpace) {
			return
		}
		if err != nil {
			x.t.Fatalf("publish: %v", err)
		}
		x.stored++
	}
	x.t.Fatal("a disk of 700 MiB takes 1000 MiB")
}

func (x *fullDiskTest) mustBeRefused(when string) {
	x.t.Helper()
	err := x.Publish(&storage.Publish{Appends: []storage.Append{storagetest.NewAppend(x.p, "no")}})
	if !errors.Is(err, storage.ErrNoSpace) {
		x.t.Errorf("%s: publish: %v", when, err)
	}
}

// check reads everything.
func (x *fullDiskTest) check(when string) {
	x.t.Helper()
	if got := len(x.Bodies(x.p)); got != x.stored {
		x.t.Errorf("%s: %d messages, %d were stored", when, got, x.stored)
	}
}

// TestTrapDiskFullOnASmallDisk fills a real disk by publishes, then by others' files:
// publishes are refused, acks go on, then everything waits; the store goes on by
// itself, and a restart on the full disk opens by the ballast.
func TestTrapDiskFullOnASmallDisk(t *testing.T) {
	d := newSmallDisk(t)
	h := storagetest.NewStoreHarness(t, homeIn(filepath.Join(d.mount, "store")), shardlog.Options{})
	p := storage.PartitionID{Topic: h.MustCreateTopic("orders", 1).ID}
	x := &fullDiskTest{h, t, d, p, h.MustSubscribe("billing", p.Topic, storage.Start{}), 0}
	if !d.hasBallast() {
		t.Fatal("there is no ballast on a disk with room")
	}
	const early = 50 << 20
	d.fill("early", d.free()-early)
	x.publishUntilRefused()
	mark := x.Engine.Space().HighMarkBytes
	if free := d.free(); free > mark || free < mark-16<<20 {
		t.Errorf("publishes end at %d MiB, the mark is %d MiB", free>>20, mark>>20)
	}
	x.MustCommit(floorOf(x.s, 1)) // Acks go on.

	d.fill("foreign", 60<<20)
	slot := submit(h, floorOf(x.s, 2))
	x.mustBeRefused("below the low mark")
	if idle, err := slot.Done(); idle {
		t.Errorf("below the low mark an ack does not wait: %v", err)
	}
	d.remove("foreign")
	select {
	case <-slot.Ready():
	case <-time.After(30 * time.Second):
		t.Fatal("an ack still waits when there is room")
	}
	if _, err := slot.Done(); err != nil {
		t.Errorf("the ack that waited: %v", err)
	}

	d.fill("foreign", 60<<20)
	x.Stop()
	d.fill("rest", 0)
	if free := d.free(); free > 0 {
		t.Errorf("%d bytes are free on a full disk", free)
	}
	for _, opening := range []string{"by the ballast", "on what the ballast left"} {
		x.Open()
		x.check(opening)
		x.mustBeRefused(opening)
		if d.hasBallast() {
			t.Errorf("%s: there is a ballast on a full disk", opening)
		}
		x.Stop()
	}

	x.Open()
	for _, name := range []string{"early", "foreign", "rest"} {
		d.remove(name)
	}
	x.MustCommit(floorOf(x.s, 3))
	x.MustPublish(p, "again")
	x.stored++
	x.Reopen()
	x.check("at the end")
}
