package badgerlog

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/dgraph-io/badger/v4"

	"github.com/headrace/headrace/storage"
)

const (
	// badgerDiscards is where Badger counts what is dead in each value log file: a
	// number and a count of 8 bytes each, and no fewer than 65,536 of them.
	badgerDiscards   = "DISCARD"
	discardBytes     = 16
	minDiscardsBytes = 65_536 * discardBytes
)

// checkOrderly looks, after a stop that was in order, for what only damage explains:
// Badger would take it for what a crash left, and cut it off or delete it.
func checkOrderly(dir string) error {
	path := filepath.Join(dir, badger.ManifestFilename)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // There is no store yet, or checkBeforeBadger says what is wrong.
	}
	if err != nil {
		return fmt.Errorf("badgerlog: %w", err)
	}
	defer func() { _ = f.Close() }() // It was only read.
	_, end, err := badger.ReplayManifestFile(f, 0, badger.DefaultOptions(dir).WithLogger(nil))
	if err != nil {
		return nil // Badger says what is wrong with it.
	}
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("badgerlog: %w", err)
	}
	if info.Size() != end {
		return fmt.Errorf("%w: %s is damaged after %d of %d bytes: %s", storage.ErrDataLoss, path, end, info.Size(), whatToDo)
	}
	return checkNamed(dir)
}

// checkNamed refuses tables that the manifest does not name.
func checkNamed(dir string) error {
	unnamed, err := unnamedTables(dir)
	if err == nil && len(unnamed) > 0 {
		err = fmt.Errorf("%w: %s does not name %v, which a stop in order left: its end is missing: %s",
			storage.ErrDataLoss, filepath.Join(dir, badger.ManifestFilename), unnamed, whatToDo)
	}
	return err
}

// unnamedTables gives the tables that a directory's manifest does not name; none when it
// cannot be read.
func unnamedTables(dir string) (unnamed []string, err error) {
	named, err := tablesOf(dir)
	if err != nil {
		return nil, nil //nolint:nilerr // Badger, or checkBeforeBadger, says what is wrong with it.
	}
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil {
		return nil, fmt.Errorf("badgerlog: %w", err)
	}
	for _, path := range tables {
		if !slices.Contains(named, path) {
			unnamed = append(unnamed, filepath.Base(path))
		}
	}
	return unnamed, nil
}

// damagedRegistry says whether an error of Badger's Open is that of its registry of
// encryption keys. Nothing is encrypted, so that it holds nothing, and a new one does.
func damagedRegistry(err error) bool {
	return errors.Is(err, badger.ErrEncryptionKeyMismatch) || containsAny(err.Error(), []string{"key registry", "sanity text"})
}

// repairDiscards removes counts that are cut off. Badger would crash at a later
// compaction; without them it counts anew.
func repairDiscards(dir string, log *slog.Logger) error {
	path := filepath.Join(dir, badgerDiscards)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("badgerlog: %w", err)
	case info.Size() >= minDiscardsBytes && info.Size()%discardBytes == 0:
		return nil
	}
	log.Warn("Badger's counts of what is dead are damaged: they begin anew.", "file", path, "bytes", info.Size())
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("badgerlog: %w", err)
	}
	return nil
}
