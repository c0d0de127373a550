package badgerlog

import (
	"os"

	"golang.org/x/sys/unix"
)

// readMappings reads the kernel's table of what the process has mapped.
func readMappings() ([]byte, error) { return os.ReadFile("/proc/self/maps") }

// adviseAppends tells the kernel whether a mapping is appended to. Its answer does not
// matter.
func adviseAppends(m mapping, appended bool) {
	advice := uintptr(unix.MADV_NORMAL)
	if appended {
		advice = unix.MADV_RANDOM
	}
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, m.start, m.length, advice) //nolint:dogsled // an answer that does not matter
}
