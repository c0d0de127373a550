//go:build !linux

package badgerlog

import "os"

// preallocate gives a file room on the disk.
func preallocate(f *os.File, bytes int64) error { return writeZeros(f, bytes) }
