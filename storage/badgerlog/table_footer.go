package badgerlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/table"
	"github.com/dgraph-io/badger/v4/y"
	"google.golang.org/protobuf/proto"

	"github.com/headrace/headrace/storage"
)

// A table of Badger's ends with
//
//	index(n) n(4) checksum(m) m(4)
//
// and Badger ends the process, beyond any recover, when the sizes there make no
// sense, and panics in a goroutine of its own on what else it does not understand.
const (
	footerSizeBytes = 4
	// maxChecksumBytes is well above what an encoded checksum takes.
	maxChecksumBytes = 1 << 10
)

// checkBeforeBadger looks for what Badger would destroy, or end the process for, as it
// opens: without a manifest it deletes all tables.
func checkBeforeBadger(dir string) error {
	manifest := filepath.Join(dir, badger.ManifestFilename)
	if exists(manifest) {
		// Badger takes one that cannot be read for a damaged one.
		if _, err := os.ReadFile(manifest); err != nil {
			return fmt.Errorf("badgerlog: %w", err)
		}
		return checkFooters(dir)
	}
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err == nil && len(tables) > 0 {
		err = fmt.Errorf("%w: %s is missing, and there are %d tables", storage.ErrDataLoss, badger.ManifestFilename, len(tables))
	}
	return err
}

// checkFooters checks the ends of all tables that a directory's manifest names, before
// Badger sees them, and gives an error for each one that is damaged. A manifest that
// cannot be read is for Badger to judge.
func checkFooters(dir string) error {
	tables, err := tablesOf(dir)
	if err != nil {
		return nil //nolint:nilerr // Badger says what is wrong with it.
	}
	var damaged []error
	for _, path := range tables {
		if err := checkFooter(path); err != nil {
			damaged = append(damaged, fmt.Errorf("%w: table %s: %w", storage.ErrDataLoss, filepath.Base(path), missing(err)))
		}
	}
	return errors.Join(damaged...)
}

// tablesOf gives the tables that a manifest names. Others are what a crash left half
// made; Badger deletes them.
func tablesOf(dir string) ([]string, error) {
	f, err := os.Open(filepath.Join(dir, badger.ManifestFilename))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // It was only read.
	manifest, _, err := badger.ReplayManifestFile(f, 0, badger.DefaultOptions(dir).WithLogger(nil))
	if err != nil {
		return nil, err
	}
	var tables []string
	for id := range manifest.Tables {
		tables = append(tables, table.NewFilename(id, dir))
	}
	slices.Sort(tables)
	return tables, nil
}

// checkFooter checks the index of one table.
func checkFooter(path string) error {
	_, err := readIndex(path)
	return err
}

// readIndex reads the index of one table and checks it.
func readIndex(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // It was only read.
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	end := info.Size()
	encoded, end, err := readSized(f, end, maxChecksumBytes)
	if err != nil {
		return nil, err
	}
	index, _, err := readSized(f, end, end)
	if err != nil {
		return nil, err
	}
	var checksum pb.Checksum
	if err := proto.Unmarshal(encoded, &checksum); err != nil {
		return nil, errors.New("its checksum is none")
	}
	if len(index) == 0 {
		return nil, errors.New("it has no index")
	}
	if err := y.VerifyChecksum(index, &checksum); err != nil {
		return nil, fmt.Errorf("its index: %w", err)
	}
	return index, nil
}

// readSized reads what ends at an offset with its own size, and says where it
// begins.
func readSized(f *os.File, end, most int64) (content []byte, begin int64, err error) {
	var size [footerSizeBytes]byte
	at := end - footerSizeBytes
	if at < 0 {
		return nil, 0, errors.New("it is cut off")
	}
	if _, err := f.ReadAt(size[:], at); err != nil {
		return nil, 0, err
	}
	n := int64(binary.BigEndian.Uint32(size[:]))
	if n > at || n > most {
		return nil, 0, errors.New("its end makes no sense")
	}
	content = make([]byte, n)
	_, err = f.ReadAt(content, at-n)
	return content, at - n, err
}
