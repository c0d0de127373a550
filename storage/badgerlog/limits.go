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
// records: too few descriptors, or a limit of file sizes or of address space.
var ErrLimits = errors.New("badgerlog: the process's limits endanger the store")

// checkLimits raises the limit of descriptors as far as it goes, and refuses limits
// that Badger could run into.
func checkLimits(s system, log *slog.Logger) error {
	if err := checkUnlimited(s); err != nil {
		return err
	}
	limit, err := raiseDescriptors(s)
	switch {
	case err != nil:
		return fmt.Errorf("badgerlog: raise the limit of descriptors: %w", err)
	case limit < minDescriptors:
		return fmt.Errorf("%w: %d descriptors, at least %d are needed: raise the limit (ulimit -n)", ErrLimits, limit, minDescriptors)
	case limit < goodDescriptors:
		log.Warn("Few descriptors are allowed; raise the limit (ulimit -n).", "limit", limit, "recommended", goodDescriptors)
	}
	return nil
}

// checkUnlimited refuses limits that may be met whatever they are: a file that cannot
// grow or be mapped is one that Badger loses records over, or crashes.
func checkUnlimited(s system) error {
	for _, l := range []struct {
		limit func() (uint64, error)
		what  string
		lift  string
	}{
		{s.fileSizeLimit, "file sizes are limited", "ulimit -f unlimited"},
		{s.addressLimit, "address space is limited", "ulimit -v unlimited"},
	} {
		switch n, err := l.limit(); {
		case err != nil:
			return fmt.Errorf("badgerlog: read whether %s: %w", l.what, err)
		case n != noLimit:
			return fmt.Errorf("%w: %s to %d bytes: lift the limit (%s)", ErrLimits, l.what, n, l.lift)
		}
	}
	return nil
}

// raiseDescriptors raises the soft limit, and gives what it is then.
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

// limitWatch looks at the limits and counts the open descriptors, and makes the engine
// fail before Badger runs into them: somebody may lower them under a server that runs.
type limitWatch struct {
	system system
	stop   *failStop
	// limit is that of descriptors, open how many there are.
	limit, open atomic.Uint64
}

// check looks once.
func (w *limitWatch) check() {
	if err := checkUnlimited(w.system); err != nil {
		_ = w.stop.trip("%w", err)
		return
	}
	limit, _, err := w.system.descriptorLimits()
	if err != nil {
		_ = w.stop.trip("read the limit of descriptors: %w", err)
		return
	}
	n, err := w.system.descriptors()
	if err != nil {
		_ = w.stop.trip("count descriptors: %w", err)
		return
	}
	w.limit.Store(limit)
	w.open.Store(n)
	if n*100 >= limit*maxDescriptorsPercent {
		_ = w.stop.trip("%w: %d of %d descriptors are in use: Badger would lose records when they run out", ErrLimits, n, limit)
	}
}

// loop looks at each tick until quit is closed.
func (w *limitWatch) loop(interval time.Duration, quit <-chan struct{}) {
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
