package badgerlog

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/headrace/headrace/storage"
)

// errUnreadable is returned when a page of one of Badger's files cannot be read.
var errUnreadable = errors.New("one of badger's files cannot be read: its disk reports an error, or it was cut")

// readMapped runs what reads Badger's files, and makes an error of what would end the
// process: the files are mapped, and a page that the disk cannot give is a fault.
//
// The engine fails, for nobody knows what Badger left locked. Badger's own goroutines,
// which write and compact, are out of reach: there the process dies, and the trace of
// the Go runtime is what it says last.
func (e *Engine) readMapped(read func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if crash := recover(); crash != nil {
			err = e.crashed(crash)
		}
	}()
	return read()
}

// blockCrash is how Badger's message begins when a damaged block makes it panic.
const blockCrash = "==== Recovered===="

// crashed makes an error of a panic on a damaged block or value, or on a page that
// cannot be read. Other panics go on.
func (e *Engine) crashed(crash any) error {
	if isFault(crash) {
		return fmt.Errorf("%w: %w", storage.ErrUnavailable, e.stop.trip("%w", errUnreadable))
	}
	if c, ok := crash.(valueCrash); ok {
		return fmt.Errorf("%w: %w", storage.ErrDataLoss, e.stop.trip("badger crashed on the damaged value of key %x: %w", c.key, c.cause))
	}
	text, ok := crash.(string)
	if !ok || !strings.HasPrefix(text, blockCrash) {
		panic(crash)
	}
	return fmt.Errorf("%w: %w", storage.ErrDataLoss, e.stop.trip("badger crashed on a damaged block: %s", text))
}

// fault is what the runtime's errors are of memory that could not be read: they tell
// its address.
type fault interface{ Addr() uintptr }

func isFault(crash any) bool {
	_, ok := crash.(fault)
	return ok
}
