package badgerlog

import (
	"os"

	"github.com/dgraph-io/badger/v4"
	"golang.org/x/sys/unix"
)

// system is what an engine asks of the operating system and of Badger's door; tests
// put something else there.
type system struct {
	// freeBytes is what an unprivileged process may still write to a directory's
	// disk.
	freeBytes func(dir string) (uint64, error)
	// descriptorLimits are the soft and the hard limit of open descriptors.
	descriptorLimits   func() (soft, hard uint64, err error)
	setDescriptorLimit func(soft, hard uint64) error
	// descriptors counts the open ones.
	descriptors func() (uint64, error)
	// fileSizeLimit is the largest file that the process may write, addressLimit how
	// much it may map.
	fileSizeLimit, addressLimit func() (uint64, error)
	// preallocate gives a file room on the disk.
	preallocate func(f *os.File, bytes int64) error
	openBadger  func(badger.Options) (*badger.DB, error)
	// mappings is the kernel's table of mapped files; adviseAppends says of one
	// whether it is appended to.
	mappings      func() ([]byte, error)
	adviseAppends func(m mapping, appended bool)
}

// noLimit is what the system says when there is no limit.
const noLimit = unix.RLIM_INFINITY

func realSystem() system {
	return system{
		freeBytes:          freeBytes,
		descriptorLimits:   descriptorLimits,
		setDescriptorLimit: setDescriptorLimit,
		descriptors:        countDescriptors,
		fileSizeLimit:      func() (uint64, error) { return softLimit(unix.RLIMIT_FSIZE) },
		addressLimit:       func() (uint64, error) { return softLimit(unix.RLIMIT_AS) },
		preallocate:        preallocate,
		openBadger:         badger.Open,
		mappings:           readMappings,
		adviseAppends:      adviseAppends,
	}
}

func freeBytes(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return uint64(s.Bavail) * uint64(s.Bsize), nil //nolint:unconvert // the types differ by system
}

func descriptorLimits() (soft, hard uint64, err error) {
	var r unix.Rlimit
	err = unix.Getrlimit(unix.RLIMIT_NOFILE, &r)
	return uint64(r.Cur), uint64(r.Max), err //nolint:unconvert // the types differ by system
}

func setDescriptorLimit(soft, hard uint64) error {
	return unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: soft, Max: hard})
}

func softLimit(resource int) (uint64, error) {
	var r unix.Rlimit
	err := unix.Getrlimit(resource, &r)
	return uint64(r.Cur), err //nolint:unconvert // the types differ by system
}

// countDescriptors asks the kernel, which tells the number as the size of the
// directory; older kernels have the names read.
func countDescriptors() (uint64, error) {
	const dir = "/dev/fd/."
	if info, err := os.Stat(dir); err == nil && info.Size() > 0 {
		return uint64(info.Size()), nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return 0, err
	}
	defer func() { _ = d.Close() }()
	names, err := d.Readdirnames(-1)
	return uint64(len(names)), err
}
