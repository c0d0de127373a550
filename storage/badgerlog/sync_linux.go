package badgerlog

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// syncData makes what was written to a file of fixed size durable.
func syncData(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
