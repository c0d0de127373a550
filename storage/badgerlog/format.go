package badgerlog

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/headrace/headrace/storage"
)

const (
	formatName = "FORMAT"
	// formatVersion is the one format that this code reads and writes. Format 1, whose
	// producers had a record for each batch, was never released.
	formatVersion = 2
	formatMagic   = "headrace store\n"

	maxFormatFileBytes = 4 << 10
)

// StoreID names a store for ever.
type StoreID [16]byte

// String gives the id in hex.
func (id StoreID) String() string { return hex.EncodeToString(id[:]) }

// format is what the format file says. The file is text, so that an operator can
// read it:
//
//	headrace store
//	format 2
//	store 00112233445566778899aabbccddeeff
//	shards 1
//	crc32c 89abcdef        of all that stands before it
type format struct {
	store  StoreID
	shards uint32
}

// openFormat reads the format file of a directory, or writes one into an empty
// directory. It touches nothing else.
func openFormat(dir string, shards uint32) (format, error) {
	file, err := os.ReadFile(filepath.Join(dir, formatName))
	if errors.Is(err, fs.ErrNotExist) {
		return createFormat(dir, shards)
	}
	if err != nil {
		return format{}, fmt.Errorf("badgerlog: %w", err)
	}
	f, err := parseFormat(file)
	switch {
	case err != nil:
		return format{}, fmt.Errorf("%w (%s)", err, filepath.Join(dir, formatName))
	case f.shards != shards:
		return format{}, fmt.Errorf("%w: %s holds a store of %d shards, not %d: the number is fixed when a store is created",
			storage.ErrFormat, dir, f.shards, shards)
	}
	return f, nil
}

func createFormat(dir string, shards uint32) (format, error) {
	if err := checkEmpty(dir); err != nil {
		return format{}, err
	}
	f := format{shards: shards}
	if _, err := rand.Read(f.store[:]); err != nil {
		return format{}, fmt.Errorf("badgerlog: store id: %w", err)
	}
	return f, writeWhole(filepath.Join(dir, formatName), f.encode())
}

// checkEmpty refuses a directory that holds anything that is not ours.
func checkEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("badgerlog: %w", err)
	}
	for _, e := range entries {
		switch e.Name() {
		case formatName + partSuffix, restoringName, "lost+found":
		default:
			return fmt.Errorf("%w: %s is not a store, and not empty (it holds %s): use another directory", storage.ErrFormat, dir, e.Name())
		}
	}
	return nil
}

func (f *format) encode() []byte {
	text := fmt.Appendf(nil, "%sformat %d\nstore %v\nshards %d\n", formatMagic, formatVersion, f.store, f.shards)
	return fmt.Appendf(text, "crc32c %08x\n", crc32.Checksum(text, castagnoli))
}

// parseFormat reads a format file. The version stands before everything that may
// change with it.
func parseFormat(file []byte) (format, error) {
	rest, ok := bytes.CutPrefix(file, []byte(formatMagic))
	if !ok || len(file) > maxFormatFileBytes {
		return format{}, fmt.Errorf("%w: not a format file of headrace", storage.ErrFormat)
	}
	var version uint32
	if _, err := fmt.Sscanf(string(rest), "format %d\n", &version); err != nil {
		return format{}, fmt.Errorf("%w: format file without a version", storage.ErrFormat)
	}
	if version != formatVersion {
		return format{}, otherFormat(version)
	}
	var f format
	var id string
	if _, err := fmt.Sscanf(string(rest), "format %d\nstore %s\nshards %d\n", &version, &id, &f.shards); err != nil {
		return format{}, damagedFormat()
	}
	if n, err := hex.Decode(f.store[:], []byte(id[:min(len(id), 2*len(f.store))])); err != nil || n != len(f.store) {
		return format{}, damagedFormat()
	}
	if !bytes.Equal(f.encode(), file) {
		return format{}, damagedFormat()
	}
	return f, nil
}

func otherFormat(version uint32) error {
	advice := "use a newer program"
	if version < formatVersion {
		advice = "it was written before the first release: start with an empty directory, or with the program that wrote it"
	}
	return fmt.Errorf("%w: the store has format %d, this program reads format %d: %s", storage.ErrFormat, version, formatVersion, advice)
}

func damagedFormat() error {
	return fmt.Errorf("%w: the format file is damaged: restore it from a copy of the store", storage.ErrDataLoss)
}

const partSuffix = ".part"

// writeWhole writes a file that is there whole or not at all, whatever happens.
func writeWhole(path string, content []byte) error {
	if err := writeSynced(path+partSuffix, content); err != nil {
		return fmt.Errorf("badgerlog: %w", err)
	}
	if err := os.Rename(path+partSuffix, path); err != nil {
		return fmt.Errorf("badgerlog: %w", err)
	}
	return syncDir(filepath.Dir(path))
}

func writeSynced(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("badgerlog: %w", err)
	}
	if err := errors.Join(dir.Sync(), dir.Close()); err != nil {
		return fmt.Errorf("badgerlog: sync %s: %w", strings.TrimSuffix(path, "/"), err)
	}
	return nil
}
