package badgerlog

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// nextData finds the first bytes of a file that are no hole, from some offset on.
// There are none when from is not below to.
func nextData(f *os.File, at, size int64) (from, to int64, err error) {
	from, err = unix.Seek(int(f.Fd()), at, unix.SEEK_DATA)
	if errors.Is(err, unix.ENXIO) {
		return size, size, nil
	}
	if err != nil {
		return 0, 0, err
	}
	to, err = unix.Seek(int(f.Fd()), from, unix.SEEK_HOLE)
	return from, to, err
}
