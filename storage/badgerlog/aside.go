package badgerlog

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/dgraph-io/badger/v4"

	"github.com/headrace/headrace/storage"
)

const (
	asideName = "aside"
	// asideFirst and asideLast hold what the first and the last of a row of stops
	// that were not in order left. An opening after an orderly stop ends the row.
	asideFirst = "first"
	asideLast  = "last"
	// asidePart is a copy that is being made, asideOld one that is being replaced.
	asidePart = "part"
	asideOld  = "old"
)

// aside copies what Badger may cut, before it is opened after a stop that was not in
// order: the write-ahead logs, the last value log file and the manifest. Badger ends
// each of them at the first record that it cannot read and throws the rest away, and
// with it the tables that the manifest does not name; the copies are the evidence of
// what that was.
//
// Copies are made beside those before and put in their place whole, and synced
// before Badger opens: a crash at any moment leaves either the copy or what it is
// of.
type aside struct {
	dir    string
	badger string
	low    uint64
	system system
	clock  storage.Clock
	log    *slog.Logger
	// took is how long the copy of this opening took; 0: none was made.
	took time.Duration
}

func newAside(o *Options, s system) *aside {
	return &aside{
		dir: filepath.Join(o.Dir, asideName), badger: filepath.Join(o.Dir, badgerDirName),
		low: o.lowMarkBytes(), system: s, clock: o.Clock, log: o.Logger,
	}
}

// keep makes the copy after some stops in a row that were not in order. It does
// without where the disk has no room for it.
func (a *aside) keep(stops int) error {
	files, err := a.files()
	if err != nil || stops == 0 || len(files) == 0 {
		return err
	}
	start := a.clock()
	err = a.replace(a.place(stops), files, stops == 1)
	switch {
	case errors.Is(err, storage.ErrNoSpace), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		a.log.Warn("The last stop was not in order, and Badger's logs are opened without a copy: the disk is too full.", "error", err)
		return a.remove(asidePart)
	case err != nil:
		return fmt.Errorf("badgerlog: copy Badger's logs aside: %w", err)
	}
	a.took = a.clock().Sub(start)
	a.log.Info("The last stop was not in order: Badger's logs were copied aside.",
		"files", len(files), "bytes", a.held(), "took", a.took, "to", filepath.Join(a.dir, a.place(stops)))
	return nil
}

func (a *aside) place(stops int) string {
	if stops == 1 {
		return asideFirst
	}
	return asideLast
}

// files are those that Badger may cut.
func (a *aside) files() ([]string, error) {
	entries, err := os.ReadDir(a.badger)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("badgerlog: %w", err)
	}
	var files []string
	lastLog := ""
	for _, e := range entries {
		switch filepath.Ext(e.Name()) {
		case ".mem":
			files = append(files, e.Name())
		case ".vlog":
			lastLog = laterLog(lastLog, e.Name())
		}
	}
	if lastLog != "" {
		files = append(files, lastLog)
	}
	unnamed, err := unnamedTables(a.badger)
	if err != nil {
		return nil, err
	}
	files = append(files, unnamed...)
	if len(files) > 0 && exists(filepath.Join(a.badger, badger.ManifestFilename)) {
		files = append(files, badger.ManifestFilename)
	}
	return files, nil
}

// replace puts a copy in the place of an older one. The first of a row replaces all
// that the row before left.
func (a *aside) replace(place string, files []string, first bool) error {
	replaced := []string{place}
	if first {
		replaced = []string{asideFirst, asideLast}
	}
	if err := a.remove(asidePart, asideOld); err != nil {
		return err
	}
	if err := a.makeRoom(files, replaced); err != nil {
		return err
	}
	if err := a.copyAll(files); err != nil {
		return err
	}
	if exists(filepath.Join(a.dir, place)) {
		if err := os.Rename(filepath.Join(a.dir, place), filepath.Join(a.dir, asideOld)); err != nil {
			return err
		}
	}
	if err := os.Rename(filepath.Join(a.dir, asidePart), filepath.Join(a.dir, place)); err != nil {
		return err
	}
	if err := errors.Join(syncDir(a.dir), syncDir(filepath.Dir(a.dir))); err != nil {
		return err
	}
	return a.remove(slices.DeleteFunc(append(replaced, asideOld), func(name string) bool { return name == place })...)
}

// makeRoom says whether a copy leaves the disk above its second mark. Where it does
// only without the one that it replaces, that one goes first.
func (a *aside) makeRoom(files, replaced []string) error {
	need, err := diskBytesOf(a.badger, files)
	if err != nil {
		return err
	}
	free, err := a.system.freeBytes(filepath.Dir(a.dir))
	if err != nil {
		return err
	}
	if free >= a.low+need {
		return nil
	}
	var gain uint64
	for _, name := range replaced {
		gain += treeBytes(filepath.Join(a.dir, name))
	}
	if gain == 0 || free+gain < a.low+need {
		return fmt.Errorf("%w: a copy takes %d MiB, %d MiB are free, %d MiB are kept", storage.ErrNoSpace, need>>20, free>>20, a.low>>20)
	}
	return a.remove(replaced...)
}

// copyAll makes the copy beside those that there are.
func (a *aside) copyAll(files []string) error {
	part := filepath.Join(a.dir, asidePart)
	if err := os.MkdirAll(part, 0o700); err != nil {
		return err
	}
	for _, name := range files {
		if err := keepFile(filepath.Join(part, name), filepath.Join(a.badger, name)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return syncDir(part)
}

// keepFile copies a file, or keeps a table: nobody writes to one, and Badger removes its
// name alone.
func keepFile(to, from string) error {
	if filepath.Ext(from) == ".sst" && os.Link(from, to) == nil {
		return nil
	}
	return copySparse(to, from)
}

func (a *aside) remove(names ...string) error {
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(a.dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// held is what all copies take on the disk.
func (a *aside) held() uint64 { return treeBytes(a.dir) }

// laterLog is the value log file of two with the higher number: Badger writes
// numbers with as many zeros in front as sort them.
func laterLog(a, b string) string {
	if len(b) > len(a) || len(b) == len(a) && b > a {
		return b
	}
	return a
}

// copySparse copies a file, synced, with the holes that it has.
func copySparse(to, from string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = target.Truncate(info.Size())
	if err == nil {
		err = copyData(target, source, info.Size())
	}
	if err == nil {
		err = target.Sync()
	}
	return errors.Join(err, target.Close())
}

// copyData copies what lies between a file's holes.
func copyData(target, source *os.File, size int64) error {
	for at := int64(0); at < size; {
		from, to, err := nextData(source, at, size)
		if err != nil || from >= to {
			return err
		}
		if _, err := source.Seek(from, io.SeekStart); err != nil {
			return err
		}
		if _, err := target.Seek(from, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.CopyN(target, source, to-from); err != nil {
			return err
		}
		at = to
	}
	return nil
}

// diskBytesOf is what some files of a directory take on the disk.
func diskBytesOf(dir string, files []string) (all uint64, err error) {
	for _, name := range files {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			return 0, err
		}
		all += diskBytes(info)
	}
	return all, nil
}

// treeBytes is what a directory's files take on the disk, those of its directories
// too. What vanishes meanwhile counts nothing.
func treeBytes(dir string) (all uint64) {
	_ = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // it counts nothing
		}
		if info, err := d.Info(); err == nil {
			all += diskBytes(info)
		}
		return nil
	})
	return all
}
