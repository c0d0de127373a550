package measure

import (
	"os"

	"golang.org/x/sys/unix"
)

// syncData makes what was written to f durable, without its times.
func syncData(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return err
		}
	}
}
