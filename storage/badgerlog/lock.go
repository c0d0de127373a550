package badgerlog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/headrace/headrace/storage"
)

const lockName = "LOCK"

// dirLock is the flock on a store's directory. The kernel drops it with the
// process, however that ends.
type dirLock struct{ dir *os.File }

// lockDir locks a directory, or says that another process has it. Nothing is
// written yet: the directory may be somebody else's.
func lockDir(path string) (*dirLock, error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("badgerlog: %w", err)
	}
	err = unix.Flock(int(dir.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return &dirLock{dir}, nil
	}
	_ = dir.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, fmt.Errorf("%w: %s%s: stop that process, or use another directory", storage.ErrLocked, path, owner(path))
	}
	return nil, fmt.Errorf("badgerlog: lock %s: %w", path, err)
}

// sign writes the process id into the store, for whoever finds it locked.
func (l *dirLock) sign() error {
	return os.WriteFile(filepath.Join(l.dir.Name(), lockName), fmt.Appendf(nil, "%d\n", os.Getpid()), 0o600)
}

func (l *dirLock) unlock() error { return l.dir.Close() }

// owner gives " (process n)" when the lock's file says so.
func owner(path string) string {
	pid, err := os.ReadFile(filepath.Join(path, lockName))
	if err != nil || len(pid) == 0 {
		return ""
	}
	return " (process " + strings.TrimSpace(string(pid)) + ")"
}
