package badgerlog

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/dgraph-io/badger/v4"

	"github.com/headrace/headrace/storage"
)

const badgerDirName = "badger"

// whatToDo is for the operator of a damaged store.
const whatToDo = "keep a copy of the directory, then restore the store"

// Open opens the store in a directory, or makes one. In this order, so that each
// step may rely on those before it: limits, lock, format file, room on disk (for
// which the ballast may be given up), copies aside of what a stop that was not in
// order left, ledger, Badger.
//
// Errors: ErrLocked, ErrFormat, ErrNoSpace, ErrDataLoss, ErrLimits, and others of
// the file system. Each says what to do.
func Open(o Options) (*Engine, error) { return open(o, realSystem()) }

func open(o Options, s system) (*Engine, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if err := checkLimits(s, o.Logger); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("badgerlog: %w", err)
	}
	lock, err := lockDir(o.Dir)
	if err != nil {
		return nil, err
	}
	e, err := openLocked(o, s, lock)
	if err != nil {
		return nil, errors.Join(err, lock.unlock())
	}
	e.start()
	return e, nil
}

// openLocked opens the store in a directory that is ours.
func openLocked(o Options, s system, lock *dirLock) (*Engine, error) {
	e := newEngine(o, s, lock)
	err := checkRestoring(&o)
	if err != nil {
		return nil, err
	}
	if e.format, err = openFormat(o.Dir, o.Shards); err != nil {
		return nil, err
	}
	badgerDir := filepath.Join(o.Dir, badgerDirName)
	if err := e.ballast.makeRoom(o.roomToOpenBytes(logBytes(badgerDir))); err != nil {
		return nil, err
	}
	stops, err := disorderlyStops(o.Dir)
	if err != nil {
		return nil, err
	}
	if stops == 0 {
		if err := checkOrderly(badgerDir); err != nil {
			return nil, err
		}
	}
	if err := e.aside.keep(stops); err != nil {
		return nil, err
	}
	if err := lock.sign(); err != nil {
		return nil, fmt.Errorf("badgerlog: %w", err)
	}
	if e.ledger, err = openLedger(filepath.Join(o.Dir, ledgerName), e.format.store, exists(badgerDir), e.stop); err != nil {
		return nil, err
	}
	if err := markRunning(o.Dir, stops); err != nil {
		return nil, errors.Join(err, e.ledger.close())
	}
	if e.db, err = e.openBadger(badgerDir, s); err != nil {
		return nil, errors.Join(err, e.ledger.close())
	}
	e.tally.opened(e.db.Tables)
	e.epoch = e.ledger.highestEpoch()
	return e, nil
}

func newEngine(o Options, s system, lock *dirLock) *Engine {
	stop := newFailStop(o.Logger)
	e := &Engine{
		options:   o,
		clock:     o.Clock,
		lock:      lock,
		logger:    newBadgerLogger(o.Logger, stop),
		stop:      stop,
		gate:      newGate(),
		space:     newSpaceWatch(&o, s),
		ballast:   newBallast(&o, s),
		aside:     newAside(&o, s),
		limits:    &limitWatch{system: s, stop: stop},
		counters:  &counters{},
		advice:    newAppendAdvice(filepath.Join(o.Dir, badgerDirName), s, o.Logger),
		quit:      make(chan struct{}),
		completed: make(chan error, 1),
		timer:     newTimer(),
		closed:    make(chan struct{}),
	}
	e.tally = newTableTally(&o, stop)
	e.room = &tableRoom{
		free: func() uint64 { return e.space.measure().free }, owed: e.tally.owes,
		memtable: uint64(o.MemTableBytes), logs: func() uint64 { return logBytes(filepath.Join(o.Dir, badgerDirName)) },
		stop: stop, log: o.Logger, quit: e.quit, hold: e.tally.hold,
	}
	e.rotation = newRotation(&o, e.space, stop)
	e.rotation.pad = func() error { return padding(e.db) }
	e.burials = newBurials(func() *badger.DB { return e.db })
	e.complete = func(err error) { e.completed <- err }
	e.collector = &collector{
		collect: func() error {
			return e.readMapped(func() error { return e.db.RunValueLogGC(o.collectRatio(e.space.measure().free)) })
		},
		holdBack:      o.GCHoldBack,
		enough:        uint64(o.GCDiscardRatio * float64(o.ValueLogFileBytes)),
		finish:        func() error { return e.readMapped(e.burials.finish) },
		short:         func() bool { return !e.space.space().AcceptsPublishes() },
		kick:          make(chan struct{}, 1),
		commitAverage: e.counters.commitAverage,
		log:           o.Logger,
		stop:          stop,
	}
	e.logger.events = &badgerEvents{
		rotated: e.rotation.rotated,
		added: func(compactor int, keys uint64) {
			e.room.await()
			e.tally.added(compactor, keys)
		},
		discarded: func(bytes uint64) {
			e.collector.discarded(bytes)
			e.tally.await()
		},
		compacted: func(compactor int) {
			e.tally.done(compactor)
			e.burials.compacted.Store(true)
		},
	}
	return e
}

// start starts the loops.
func (e *Engine) start() {
	e.limits.check()
	e.ballast.renew()
	e.loops.Go(func() { e.ballast.loop(ballastInterval, e.quit) })
	e.loops.Go(func() { e.limits.loop(e.options.DescriptorInterval, e.quit) })
	e.loops.Go(func() { e.collector.loop(e.options.GCInterval, e.quit) })
	e.loops.Go(func() { e.rotation.loop(shortInterval, e.quit) })
}

// openBadger opens Badger and believes it only when it logged no error.
func (e *Engine) openBadger(dir string, s system) (*badger.DB, error) {
	if err := checkBeforeBadger(dir); err != nil {
		return nil, fmt.Errorf("%w: %s", err, whatToDo)
	}
	if err := repairDiscards(dir, e.options.Logger); err != nil {
		return nil, err
	}
	db, err := openAgain(e.options.badger(dir, e.logger), s, e.options.Logger)
	if err != nil {
		return nil, fmt.Errorf("%w: %s cannot be opened: %w: %s", storage.ErrDataLoss, dir, err, whatToDo)
	}
	if err := e.checkTables(db); err != nil {
		return nil, fmt.Errorf("%w: %s: %w: %s", storage.ErrDataLoss, dir, errors.Join(err, db.Close()), whatToDo)
	}
	return db, nil
}

// maxHalfMade bounds the files that may be half made: each crash leaves one at most.
const maxHalfMade = 16

// openAgain opens Badger, once more for each file that is known to make it fail once,
// and without its registry where that is damaged.
func openAgain(options badger.Options, s system, log *slog.Logger) (*badger.DB, error) {
	db, err := tryBadger(options, s)
	if err != nil && damagedRegistry(err) {
		log.Warn("Badger's registry of encryption keys is damaged: it is made anew, for nothing is encrypted.", "error", err)
		if err := os.Remove(filepath.Join(options.Dir, badger.KeyRegistryFileName)); err != nil {
			return nil, err
		}
		db, err = tryBadger(options, s)
	}
	for n := 0; err != nil && failsOnce(err) && n < maxHalfMade; n++ {
		log.Warn("Badger left a file half made when it was killed; opening once more.", "error", err)
		db, err = tryBadger(options, s)
	}
	return db, err
}

// checkTables reads all of Badger's tables and checks their blocks, and whether
// Badger left one out.
func (e *Engine) checkTables(db *badger.DB) error {
	start := e.clock()
	if err := e.readMapped(db.VerifyChecksum); err != nil {
		return err
	}
	e.options.Logger.Info("Badger's tables are checked.", "tables", len(db.Tables()), "took", e.clock().Sub(start))
	return e.stop.cause()
}

// tryBadger opens Badger, which crashes on some damage.
func tryBadger(options badger.Options, s system) (db *badger.DB, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		crash := recover()
		switch {
		case isFault(crash):
			err = errUnreadable
		case crash != nil:
			err = fmt.Errorf("badger crashed on its own files: %v\n%s", crash, debug.Stack())
		}
	}()
	return s.openBadger(options)
}

// failsOnce says whether an error is that of a file that was created and not yet
// sized when the process was killed: the try that failed has sized it.
func failsOnce(err error) bool { return strings.Contains(err.Error(), "Create a new file") }

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// firstLine leaves out of an error what only its author understands.
func firstLine(err error) error {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(line)
}
