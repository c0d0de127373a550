package backup

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// partSuffix is of a file that is not whole yet.
const partSuffix = ".part"

// WriteFile makes a backup's file: what fill writes goes to a file beside it, is
// synced, read back and verified, and only then gets its name. There is no file after
// an error. Errors: fs.ErrExist when there is one already, fill's, and Verify's.
func WriteFile(path string, fill func(io.Writer) error) (c Contents, bytes int64, err error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return c, 0, errors.Join(&fs.PathError{Op: "backup", Path: path, Err: fs.ErrExist}, err)
	}
	part := path + partSuffix
	if err := writeSynced(part, fill); err != nil {
		_ = os.Remove(part) // It may not be there.
		return c, 0, err
	}
	if c, bytes, err = verifyFile(part); err != nil {
		return c, 0, errors.Join(fmt.Errorf("reading the backup back: %w", err), os.Remove(part))
	}
	if err := os.Rename(part, path); err != nil {
		return c, 0, err
	}
	return c, bytes, syncDir(filepath.Dir(path))
}

func writeSynced(path string, fill func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = fill(f)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func verifyFile(path string) (c Contents, bytes int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return c, 0, err
	}
	defer func() { _ = f.Close() }() // It was only read.
	if c, err = Verify(f); err != nil {
		return c, 0, err
	}
	bytes, err = f.Seek(0, io.SeekCurrent)
	return c, bytes, err
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
