//go:build !linux

package badgerlog

import "os"

// syncData makes what was written to a file of fixed size durable.
func syncData(f *os.File) error { return f.Sync() }
