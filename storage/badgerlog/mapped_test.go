package badgerlog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/headrace/headrace/storage"
)

// TestTrapAPageThatCannotBeReadEndsTheProcess: it is a panic of the goroutine that
// reads, and the engine fails.
func TestTrapAPageThatCannotBeReadEndsTheProcess(t *testing.T) {
	e := mustOpen(t, testOptions(t.TempDir()))
	mustCommit(t, e, batch(1, 1, put("a", "1")))
	// A file that is shorter than its mapping has pages that nobody can read.
	f, err := os.Create(filepath.Join(t.TempDir(), "short"))
	if err != nil {
		t.Fatal(err)
	}
	page, err := unix.Mmap(int(f.Fd()), 0, os.Getpagesize(), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	err = e.View(func(storage.Reader) error { return fmt.Errorf("read %d", page[0]) })
	if !errors.Is(err, storage.ErrUnavailable) || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("view: %v", err)
	}
	<-e.Failed()
	if err := errors.Join(unix.Munmap(page), f.Close()); err != nil {
		t.Error(err)
	}
}
