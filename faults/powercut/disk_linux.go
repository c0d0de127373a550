package powercut

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// imageBytes is the size of the image; it is sparse.
	imageBytes = 2 << 30
	// shutdownRequest is EXT4_IOC_SHUTDOWN, and noLogFlush its flag: the journal
	// stays as it is on the disk.
	shutdownRequest = 0x8004587D
	noLogFlush      = 2
	// mountOptions keep the journal from being written by time alone, so that only
	// what the store syncs is there after a cut.
	mountOptions = "loop,commit=600"
	// A disk that is busy is unmounted later.
	busyInterval, busyTries = 50 * time.Millisecond, 100
)

// disk is an ext4 image whose power can be cut.
type disk struct {
	image, dir string
}

// newDisk makes an image with a file system in a directory, and mounts it.
func newDisk(ctx context.Context, dir string) (*disk, error) {
	d := &disk{image: filepath.Join(dir, "image"), dir: filepath.Join(dir, "mount")}
	if err := os.Mkdir(d.dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.Create(d.image)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(f.Truncate(imageBytes), f.Close()); err != nil {
		return nil, err
	}
	if err := run(ctx, "mkfs.ext4", "-q", "-F", d.image); err != nil {
		return nil, err
	}
	if err := d.mount(ctx); err != nil {
		return nil, err
	}
	return d, nil
}

// storeDir is the store's directory.
func (d *disk) storeDir() string { return filepath.Join(d.dir, "store") }

func (d *disk) mount(ctx context.Context) error {
	return run(ctx, "mount", "-o", mountOptions, d.image, d.dir)
}

// unmount must follow the end of every process that has files open. Who looks at such a
// process holds its memory, and with it the mapped files, for a moment longer.
func (d *disk) unmount(ctx context.Context) error {
	ticker := time.NewTicker(busyInterval)
	defer ticker.Stop()
	for range busyTries {
		if err := run(ctx, "umount", d.dir); err == nil {
			return nil
		}
		<-ticker.C
	}
	return run(ctx, "umount", d.dir)
}

// cut takes the power: what is not on the image now never will be.
func (d *disk) cut() error {
	f, err := os.Open(d.dir)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if err := unix.IoctlSetPointerInt(int(f.Fd()), shutdownRequest, noLogFlush); err != nil {
		return fmt.Errorf("shut the file system down: %w", err)
	}
	return nil
}

// restore gives the power back.
func (d *disk) restore(ctx context.Context) error {
	if err := d.unmount(ctx); err != nil {
		return err
	}
	return d.mount(ctx)
}

// newestFiles gives the highest number of each kind of Badger's files, by extension.
func (d *disk) newestFiles() map[string]int {
	newest := map[string]int{".mem": 0, ".sst": 0, ".vlog": 0}
	entries, _ := os.ReadDir(filepath.Join(d.storeDir(), "badger")) // None before the store was made.
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		number, err := strconv.Atoi(strings.TrimSuffix(e.Name(), ext))
		if last, ok := newest[ext]; ok && err == nil {
			newest[ext] = max(last, number)
		}
	}
	return newest
}

func run(ctx context.Context, name string, args ...string) error {
	if out, err := exec.CommandContext(ctx, name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return nil
}
