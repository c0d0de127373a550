package badgerlog

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/dgraph-io/badger/v4"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/inspect"
)

// inspectStallTables keeps what is replayed from waiting for a compaction, of which
// there is none.
const inspectStallTables = 1 << 20

var _ inspect.Viewer = (*Inspection)(nil)

// Inspection is a look at a directory that changes nothing in it, also at one that
// does not open.
type Inspection struct {
	// Report has what is wrong with the files.
	Report inspect.Report
	// Store names the store, Ledger is what its commit ledger holds; zero when the
	// file cannot be read.
	Store  StoreID
	Ledger []storage.LedgerEntry

	dir     string
	lock    *dirLock
	shadow  string
	db      *badger.DB
	stop    *failStop
	closing sync.Once
}

// Inspect looks at the files of a store that no process has open. Badger opens a
// shadow of them, in a directory of its own under scratch (empty: the system's for
// temporary files), which takes the room of the write-ahead logs and of one value
// log, and is gone after Close. Errors: ErrLocked, ErrFormat for a directory that is
// no store, and others of the file system.
func Inspect(o Options, scratch string) (*Inspection, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	lock, err := lockDir(o.Dir)
	if err != nil {
		return nil, err
	}
	i := &Inspection{dir: o.Dir, lock: lock, stop: newFailStop(slog.New(slog.DiscardHandler))}
	if err := i.look(o, scratch); err != nil {
		return nil, errors.Join(err, i.Close())
	}
	return i, nil
}

func (i *Inspection) look(o Options, scratch string) error {
	if !exists(filepath.Join(i.dir, formatName)) && !exists(filepath.Join(i.dir, badgerDirName)) {
		return fmt.Errorf("%w: %s is not a store", storage.ErrFormat, i.dir)
	}
	i.lookAtNames()
	i.lookAtFormat(o.Shards)
	i.lookAtLedger()
	badgerDir := filepath.Join(i.dir, badgerDirName)
	if !exists(badgerDir) {
		i.damaged(badgerDirName, errors.New("the records are missing"))
		return nil
	}
	var err error
	if i.shadow, err = makeShadow(badgerDir, scratch); err != nil {
		return err
	}
	i.openShadow(o)
	return nil
}

// Records says whether the records can be looked at with View.
func (i *Inspection) Records() bool { return i.db != nil }

// View implements inspect.Viewer.
func (i *Inspection) View(fn func(storage.Reader) error) (err error) {
	if i.db == nil {
		return storage.ErrUnavailable
	}
	defer func() {
		if crash := recover(); crash != nil {
			// What the panic left locked stays locked.
			err = fmt.Errorf("%w: %w", storage.ErrDataLoss, i.stop.trip("badger crashed on its own files: %v", crash))
		}
	}()
	return i.db.View(func(txn *badger.Txn) error { return fn(reader{txn, i.stop}) })
}

// Close gives everything up. It is safe to call twice.
func (i *Inspection) Close() (err error) {
	i.closing.Do(func() {
		if i.db != nil {
			// Some damage leaves Badger with a lock that nobody gives back, and was told.
			if closeErr := closeInTime(i.db.Close, i.stop, nil); i.stop.cause() == nil {
				err = closeErr
			}
		}
		if i.shadow != "" {
			err = errors.Join(err, os.RemoveAll(i.shadow))
		}
		err = errors.Join(err, i.lock.unlock())
	})
	return err
}

func (i *Inspection) add(severity inspect.Severity, file, text, advice string) {
	i.Report.Add(inspect.Finding{Severity: severity, Place: inspect.Place{File: file}, Text: text, Advice: advice})
}

// damaged adds damage of a file for which the store does not open.
func (i *Inspection) damaged(file string, err error) {
	i.add(inspect.Damage, file, err.Error(), "the server refuses to start: keep a copy of the directory, then restore a backup")
}

// lookAtNames tells of files that nobody put there, and of those that a store makes
// again.
func (i *Inspection) lookAtNames() {
	entries, err := os.ReadDir(i.dir)
	if err != nil {
		i.damaged("", err)
		return
	}
	for _, e := range entries {
		if foreign(e.Name()) {
			i.add(inspect.Note, e.Name(), "not a part of the store", "")
		}
	}
	if exists(filepath.Join(i.dir, restoringName)) {
		i.damaged(restoringName, errors.New("the store was not restored to the end"))
	}
	if kept := treeBytes(filepath.Join(i.dir, asideName)); kept > 0 {
		i.add(inspect.Note, asideName, fmt.Sprintf("copies of the logs from after a stop that was not in order, %d MiB", kept>>20),
			"keep them as long as something is missing")
	}
	if !exists(filepath.Join(i.dir, ballastName)) {
		i.add(inspect.Note, ballastName, "there is no ballast to give up on a full disk", "a server that has room makes it")
	}
}

func (i *Inspection) lookAtFormat(shards uint32) {
	file, err := os.ReadFile(filepath.Join(i.dir, formatName))
	if err != nil {
		i.damaged(formatName, missing(err))
		return
	}
	f, err := parseFormat(file)
	switch {
	case err != nil:
		i.damaged(formatName, err)
	case f.shards != shards:
		i.damaged(formatName, fmt.Errorf("a store of %d shards, this program serves %d", f.shards, shards))
	}
	i.Store = f.store
}

// missing is a short text for a file that is not there.
func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("the file is missing")
	}
	return err
}

func (i *Inspection) lookAtLedger() {
	file, err := os.ReadFile(filepath.Join(i.dir, ledgerName))
	if err != nil {
		i.damaged(ledgerName, missing(err))
		return
	}
	if len(file) != ledgerBytes {
		i.damaged(ledgerName, fmt.Errorf("%d bytes, %d expected", len(file), ledgerBytes))
		return
	}
	if i.Store == (StoreID{}) {
		return // Whose entries they are is not known.
	}
	l := ledger{store: i.Store}
	torn := l.parse(file)
	i.Ledger = l.found
	if torn > 0 {
		i.add(inspect.Warning, ledgerName, fmt.Sprintf("%d entries cannot be read", torn),
			"nothing is lost by it; entries are written over as the store goes on")
	}
}

// openShadow opens the records, as far as that is possible.
func (i *Inspection) openShadow(o Options) {
	if err := checkBeforeBadger(i.shadow); err != nil {
		i.damaged(badgerDirName, err)
		return
	}
	options := o.badger(i.shadow, newBadgerLogger(i.stop.logger, i.stop))
	options.NumCompactors = 0
	options.NumLevelZeroTablesStall = inspectStallTables
	db, err := openAgain(options, realSystem(), i.stop.logger)
	if err != nil {
		i.damaged(badgerDirName, fmt.Errorf("cannot be opened: %w", firstLine(err)))
		return
	}
	i.db = db
	if err := errors.Join(db.VerifyChecksum(), i.stop.cause()); err != nil {
		i.damaged(badgerDirName, firstLine(err))
	}
}
