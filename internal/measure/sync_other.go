//go:build !linux

package measure

import "os"

// syncData makes what was written to f durable; this system has no call for the
// data alone.
func syncData(f *os.File) error { return f.Sync() }
