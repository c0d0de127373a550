package badgerlog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/headrace/headrace/storage"
)

// restoringName is the marker of a store that is being restored. It is the first file
// in the directory, durable before anything else is, and goes last: a directory that
// has it holds a part of a store, and is never opened.
const restoringName = "restoring"

// Restoration is a new store that is filled from outside before anybody opens it.
type Restoration struct {
	engine *Engine
	dir    string
}

// BeginRestoration makes a store in an empty directory, to be filled. It gets an id of
// its own: what happens to it from now on is not what happens to the store that it
// comes from. Errors: ErrFormat when there is anything in the directory, and Open's.
func BeginRestoration(o Options) (*Restoration, error) {
	o.restores = true
	engine, err := Open(o)
	if err != nil {
		return nil, err
	}
	return &Restoration{engine: engine, dir: o.Dir}, nil
}

// Import applies puts and deletes in one transaction; they are durable when it returns.
func (r *Restoration) Import(ops []storage.Op) error {
	e := r.engine
	b := &storage.Batch{Ops: ops}
	size, err := e.admit(b)
	if err != nil {
		return err
	}
	if err := e.write(b); err != nil {
		return e.stop.trip("import: %w", err)
	}
	e.space.wrote(uint64(size.all))
	return e.stop.cause()
}

// Adopt writes the entry of the last batch into the commit ledger.
func (r *Restoration) Adopt(last storage.LedgerEntry) error {
	return errors.Join(r.engine.ledger.begin(last), r.engine.ledger.wait())
}

// View shows what was imported.
func (r *Restoration) View(fn func(storage.Reader) error) error { return r.engine.View(fn) }

// Finish closes the store and lets it be opened.
func (r *Restoration) Finish() error {
	if err := r.engine.Close(); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(r.dir, restoringName)); err != nil {
		return fmt.Errorf("badgerlog: %w", err)
	}
	return syncDir(r.dir)
}

// Close gives the restoration up, unless it was finished: nothing will open the
// directory.
func (r *Restoration) Close() error { return r.engine.Close() }

// checkRestoring refuses a directory with half a store in it, and begins a
// restoration in an empty one.
func checkRestoring(o *Options) error {
	marker := filepath.Join(o.Dir, restoringName)
	switch {
	case exists(marker):
		return fmt.Errorf("%w: %s holds a store that was not restored to the end: restore into an empty directory",
			storage.ErrFormat, o.Dir)
	case !o.restores:
		return nil
	}
	if err := checkEmpty(o.Dir); err != nil {
		return err
	}
	return errors.Join(writeSynced(marker, []byte("a backup is being restored\n")), syncDir(o.Dir))
}
