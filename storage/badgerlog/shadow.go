package badgerlog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxCopiedBytes is up to what size a file of Badger's is copied into a shadow in any
// case: Badger deletes, and truncates first, what is empty.
const maxCopiedBytes = 1 << 20

// makeShadow makes a directory in which Badger finds the files of another one, and
// may do what it does as it opens: replay its logs into tables, cut off what is torn.
// What Badger writes to is copied; tables and older value logs, which it only reads as
// long as it compacts and collects nothing, are links.
func makeShadow(dir, scratch string) (shadow string, err error) {
	shadow, err = os.MkdirTemp(scratch, "headrace-inspect-")
	if err != nil {
		return "", fmt.Errorf("badgerlog: %w", err)
	}
	if err := fillShadow(dir, shadow); err != nil {
		return "", errors.Join(fmt.Errorf("badgerlog: copy the logs of %s to look at them: %w", dir, err), os.RemoveAll(shadow))
	}
	return shadow, nil
}

func fillShadow(dir, shadow string) error {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	newest := newestValueLog(entries)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			continue
		}
		from, to := filepath.Join(absolute, e.Name()), filepath.Join(shadow, e.Name())
		onlyRead := filepath.Ext(e.Name()) == ".sst" || filepath.Ext(e.Name()) == ".vlog" && e.Name() != newest
		if onlyRead && info.Size() > maxCopiedBytes {
			err = os.Symlink(from, to)
		} else {
			err = copySparse(to, from)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// newestValueLog is the name of the value log that is written to.
func newestValueLog(entries []os.DirEntry) string {
	newest := ""
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".vlog" {
			newest = laterLog(newest, e.Name())
		}
	}
	return newest
}

// storeFiles are what a store's directory holds beside Badger's.
var storeFiles = []string{
	formatName, ledgerName, lockName, ballastName, runningName, restoringName, asideName, badgerDirName, "lost+found",
}

// foreign says whether a name in a store's directory is not the store's.
func foreign(name string) bool {
	return !slices.Contains(storeFiles, name) && !strings.HasSuffix(name, partSuffix)
}
