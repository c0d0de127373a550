package badgerlog

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"slices"
	"sync/atomic"

	"github.com/headrace/headrace/storage"
)

// The commit ledger is a file of fixed size, written in place beside Badger, so
// that a batch whose commit returned is known by two logs that fail apart:
//
//	slot   epoch(8) number(8) hash(8) crc(4) zero(4)     crc over store id, epoch, number, hash
//	page   128 slots
//	file   32 pages
//
// The batch with number n has the slot n/32 mod 128 of page n mod 32: entries that
// follow each other lie in different pages, so that a torn write spares the
// entries just before it.
const (
	ledgerName      = "ledger"
	ledgerSlotBytes = 32
	ledgerPageBytes = 4 << 10
	ledgerPages     = 32
	ledgerPageSlots = ledgerPageBytes / ledgerSlotBytes
	ledgerBytes     = ledgerPages * ledgerPageBytes
	ledgerCRCBytes  = 24
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ledger writes the commit ledger. begin and close belong to the committer; a
// goroutine syncs.
type ledger struct {
	file  *os.File
	store StoreID
	stop  *failStop
	found []storage.LedgerEntry

	// kick has capacity 1: one sync at most is asked for at a time.
	kick chan struct{}
	// synced has capacity 1: the result of that sync.
	synced chan error
	// pending: a result will come. Committer only.
	pending bool
	writes  atomic.Uint64
}

// openLedger opens the ledger of a store. A missing one is made, unless the store
// has records already.
func openLedger(path string, store StoreID, hasRecords bool, stop *failStop) (*ledger, error) {
	_, err := os.Stat(path)
	switch {
	case err == nil:
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("badgerlog: %w", err)
	case hasRecords:
		return nil, fmt.Errorf("%w: the commit ledger %s is missing: restore it from a copy of the store", storage.ErrDataLoss, path)
	default:
		if err := writeWhole(path, make([]byte, ledgerBytes)); err != nil {
			return nil, err
		}
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("badgerlog: %w", err)
	}
	l := &ledger{file: file, store: store, stop: stop, kick: make(chan struct{}, 1), synced: make(chan error, 1)}
	if err := l.read(); err != nil {
		_ = file.Close()
		return nil, err
	}
	go l.syncLoop()
	return l, nil
}

// begin writes the entry of a batch that is about to be committed and starts its
// sync. It waits for the sync of the entry before.
func (l *ledger) begin(e storage.LedgerEntry) error {
	if err := l.wait(); err != nil {
		return err
	}
	var slot [ledgerSlotBytes]byte
	l.encode(&slot, e)
	if _, err := l.file.WriteAt(slot[:], ledgerOffset(e.Number)); err != nil {
		return fmt.Errorf("write the commit ledger: %w", err)
	}
	l.writes.Add(1)
	l.pending = true
	l.kick <- struct{}{}
	return nil
}

// wait waits until everything begun is synced.
func (l *ledger) wait() error {
	if !l.pending {
		return nil
	}
	l.pending = false
	return <-l.synced
}

func (l *ledger) close() error {
	err := l.wait()
	close(l.kick)
	for range l.synced { // The loop closes it when it has ended.
	}
	return errors.Join(err, l.file.Close())
}

// syncLoop syncs the file whenever it is kicked, until kick is closed.
func (l *ledger) syncLoop() {
	defer close(l.synced)
	for range l.kick {
		err := syncData(l.file)
		if err != nil {
			err = l.stop.trip("sync the commit ledger: %w", err)
		}
		l.synced <- err
	}
}

// read finds the entries in the file, oldest first. What is torn is no entry.
func (l *ledger) read() error {
	file := make([]byte, ledgerBytes+1)
	n, err := l.file.ReadAt(file, 0)
	if n != ledgerBytes {
		return fmt.Errorf("%w: the commit ledger %s gives %d bytes, not %d: restore it from a copy of the store: %w",
			storage.ErrDataLoss, l.file.Name(), n, ledgerBytes, err)
	}
	l.parse(file[:ledgerBytes])
	return nil
}

// parse finds the entries in a ledger's bytes, oldest first, and counts the slots
// that hold something else.
func (l *ledger) parse(file []byte) (torn int) {
	for at := 0; at < ledgerBytes; at += ledgerSlotBytes {
		slot := [ledgerSlotBytes]byte(file[at:])
		switch e, ok := l.decode(slot); {
		case ok && ledgerOffset(e.Number) == int64(at):
			l.found = append(l.found, e)
		case slot != [ledgerSlotBytes]byte{}:
			torn++
		}
	}
	slices.SortFunc(l.found, func(a, b storage.LedgerEntry) int {
		return cmp.Or(cmp.Compare(a.Epoch, b.Epoch), cmp.Compare(a.Number, b.Number))
	})
	return torn
}

// highestEpoch is the highest epoch that has an entry; 0 when there is none.
func (l *ledger) highestEpoch() uint64 {
	if len(l.found) == 0 {
		return 0
	}
	return l.found[len(l.found)-1].Epoch
}

func (l *ledger) encode(slot *[ledgerSlotBytes]byte, e storage.LedgerEntry) {
	binary.BigEndian.PutUint64(slot[0:], e.Epoch)
	binary.BigEndian.PutUint64(slot[8:], e.Number)
	binary.BigEndian.PutUint64(slot[16:], e.Hash)
	binary.BigEndian.PutUint32(slot[ledgerCRCBytes:], l.checksum(slot))
}

func (l *ledger) decode(slot [ledgerSlotBytes]byte) (e storage.LedgerEntry, ok bool) {
	e.Epoch = binary.BigEndian.Uint64(slot[0:])
	e.Number = binary.BigEndian.Uint64(slot[8:])
	e.Hash = binary.BigEndian.Uint64(slot[16:])
	return e, binary.BigEndian.Uint32(slot[ledgerCRCBytes:]) == l.checksum(&slot) && e.Number != 0
}

func (l *ledger) checksum(slot *[ledgerSlotBytes]byte) uint32 {
	return crc32.Update(crc32.Checksum(l.store[:], castagnoli), castagnoli, slot[:ledgerCRCBytes])
}

// ledgerOffset is where the entry of a batch stands, in bytes.
func ledgerOffset(number uint64) int64 {
	page, slot := number%ledgerPages, number/ledgerPages%ledgerPageSlots
	return int64(page*ledgerPageBytes + slot*ledgerSlotBytes)
}
