package badgerlog

import (
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"
)

const (
	// minDescriptors is the limit below which an engine does not open: Badger loses
	// keys when it cannot open a table.
	minDescriptors = 4096
	// goodDescriptors is the limit below which an operator is warned.
	goodDescriptors = 65_536
	// maxDescriptorsPercent of the limit in use make the engine fail, before Badger
	// runs into it.
	maxDescriptorsPercent = 80
)

// ErrLimits is returned when the limits of the process would make Badger lose
// records: too few descriptors, or a limit of file sizes.
var ErrLimits = errors.New("badgerlog: the process's limits endanger the store")

// checkLimits raises the limit of descriptors as far as it goes, and refuses limits
// that Badger could run into. It gives the limit of descriptors.
func checkLimits(s system, log *slog.Logger) (uint64, error) {
	size, err := s.fileSizeLimit()
	if err != nil {
		return 0, fmt.Errorf("badgerlog: read the file-size limit: %w", err)
	}
	if size != noLimit {
		return 0, fmt.Errorf("%w: file sizes are limited to %d bytes: lift the limit (ulimit -f unlimited)", ErrLimits, size)
	}
	limit, err := raiseDescriptors(s)
	switch {
	case err != nil:
		return 0, fmt.Errorf("badgerlog: raise the limit of descriptors: %w", err)
	case limit < minDescriptors:
		return 0, fmt.Errorf("%w: %d descriptors, at least %d are needed: raise the limit (ulimit -n)", ErrLimits, limit, minDescriptors)
	case limit < goodDescriptors:
		log.Warn("Few descriptors are allowed; raise the limit (ulimit -n).", "limit", limit, "recommended", goodDescriptors)
	}
	return limit, nil
}

func raiseDescriptors(s system) (uint64, error) {
	soft, hard, err := s.descriptorLimits()
	if err != nil || soft >= hard {
		return soft, err
	}
	limit := hard
	if s.setDescriptorLimit(hard, hard) != nil {
		limit = soft // Some systems refuse; the soft limit is judged as it is.
	}
	return limit, nil
}

// descriptorWatch counts the open descriptors and makes the engine fail before they
// run out.
type descriptorWatch struct {
	system system
	limit  uint64
	stop   *failStop
	open   atomic.Uint64
}

// check counts once.
func (w *descriptorWatch) check() {
	n, err := w.system.descriptors()
	if err != nil {
		_ = w.stop.trip("count descriptors: %w", err)
		return
	}
	w.open.Store(n)
	if n*100 >= w.limit*maxDescriptorsPercent {
		_ = w.stop.trip("%d of %d descriptors are in use: Badger would lose records when they run out", n, w.limit)
	}
}

// loop counts at each tick until quit is closed.
func (w *descriptorWatch) loop(interval time.Duration, quit <-chan struct{}) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			w.check()
		case <-quit:
			return
		}
	}
}
