package badgerlog

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// preallocate gives a file room on the disk.
func preallocate(f *os.File, bytes int64) error {
	for {
		err := unix.Fallocate(int(f.Fd()), 0, 0, bytes)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EOPNOTSUPP):
			return writeZeros(f, bytes)
		default:
			return err
		}
	}
}
