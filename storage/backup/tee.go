package backup

import (
	"errors"
	"sync"

	"github.com/headrace/headrace/storage"
)

// maxTeeBytes bounds what of committed batches waits to be written; the largest one
// fits.
const maxTeeBytes = 128 << 20

// ErrTooSlow is returned when a backup is written more slowly than batches are
// committed, and too many of them wait.
var ErrTooSlow = errors.New("backup: too slow for what is committed meanwhile")

// tee holds the batches that were committed and not yet written to the backup. It is
// safe for concurrent use.
type tee struct {
	mu     sync.Mutex
	bodies [][]byte
	bytes  int
	// over: too much waited, and all of it was dropped.
	over bool
	// full is closed when over becomes true.
	full chan struct{}
}

func newTee() *tee { return &tee{full: make(chan struct{})} }

// add takes a committed batch in. It never waits.
func (t *tee) add(b *storage.Batch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	body := encodeBatch(b)
	if t.bytes+len(body) > maxTeeBytes {
		t.over, t.bodies, t.bytes = true, nil, 0
		close(t.full)
		return
	}
	t.bodies = append(t.bodies, body)
	t.bytes += len(body)
}

// take gives what waits, in order.
func (t *tee) take() ([][]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return nil, ErrTooSlow
	}
	bodies := t.bodies
	t.bodies, t.bytes = nil, 0
	return bodies, nil
}
