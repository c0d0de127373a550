package badgerlog

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/dgraph-io/badger/v4"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// View implements storage.Engine. It begins when the commits before it have ended.
func (e *Engine) View(fn func(storage.Reader) error) error {
	if !e.gate.enter() {
		return fmt.Errorf("%w: closed", storage.ErrUnavailable)
	}
	defer e.gate.leave()
	return e.readMapped(func() error {
		txn, err := e.snapshot()
		if err != nil {
			return err
		}
		defer txn.Discard()
		return fn(reader{txn, e.stop})
	})
}

// failedViewTimeout is how long a view waits for commits once the engine has failed:
// they may never end.
const failedViewTimeout = time.Second

// snapshot waits for the commits before it.
func (e *Engine) snapshot() (*badger.Txn, error) {
	// begun has capacity 1: perhaps nobody waits any more.
	begun := make(chan *badger.Txn, 1)
	go func() { begun <- e.db.NewTransaction(false) }()
	select {
	case txn := <-begun:
		return txn, nil
	case <-e.stop.failed:
	}
	select {
	case txn := <-begun:
		return txn, nil
	case <-time.After(failedViewTimeout):
		return nil, fmt.Errorf("%w: %w", storage.ErrUnavailable, e.stop.cause())
	}
}

// reader reads one snapshot.
type reader struct {
	txn  *badger.Txn
	stop *failStop
}

var _ storage.Reader = reader{}

// item looks a key up. Badger has no memtable, and crashes, when it could not make one.
func (r reader) item(key []byte) (item *badger.Item, err error) {
	defer func() { err = r.crashed(recover(), err) }()
	return r.txn.Get(key)
}

// iterator opens an iterator, where Badger crashes likewise.
func (r reader) iterator(o badger.IteratorOptions) (it *badger.Iterator, err error) {
	defer func() { err = r.crashed(recover(), err) }()
	return r.txn.NewIterator(o), nil
}

// crashed makes an error of a crash for which no damage is to blame; other panics go
// on.
func (r reader) crashed(crash any, err error) error {
	switch crash := crash.(type) {
	case nil:
		return err
	case fault:
		return fmt.Errorf("%w: %w", storage.ErrUnavailable, r.stop.trip("%w", errUnreadable))
	case runtime.Error:
		return fmt.Errorf("%w: %w", storage.ErrUnavailable, r.stop.trip("badger crashed at a read: %w", crash))
	default:
		panic(crash)
	}
}

// Get implements storage.Reader.
func (r reader) Get(key []byte, fn func([]byte) error) error {
	item, err := r.item(key)
	switch {
	case errors.Is(err, storage.ErrUnavailable):
		return err
	case err == nil && !isGone(item):
		return itemValue{item}.Read(fn)
	case err == nil, errors.Is(err, badger.ErrKeyNotFound):
		return storage.ErrNotFound
	default:
		return fmt.Errorf("%w: key %x: %w", storage.ErrDataLoss, key, err)
	}
}

// Ascend implements storage.Reader.
func (r reader) Ascend(prefix, from []byte, fn func([]byte, storage.Value) (bool, error)) error {
	it, err := r.iterator(badger.IteratorOptions{Prefix: prefix})
	if err != nil {
		return err
	}
	defer it.Close()
	if bytes.Compare(from, prefix) < 0 {
		from = prefix
	}
	for it.Seek(from); it.Valid(); it.Next() {
		item := it.Item()
		if item.Key()[0] == paddingKind {
			return nil
		}
		if isGone(item) {
			continue
		}
		more, err := fn(item.Key(), itemValue{item})
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// Descend implements storage.Reader.
//
// It reads all versions of keys and picks itself. Badger's own way back always
// looks for one key more than it was asked for, and would step over every deleted
// key before the one that was found: over all that was ever trimmed off a
// partition, when its first pointer is looked up.
func (r reader) Descend(prefix, from []byte, fn func([]byte, storage.Value) (bool, error)) error {
	it, err := r.iterator(badger.IteratorOptions{Prefix: prefix, Reverse: true, AllVersions: true})
	if err != nil {
		return err
	}
	defer it.Close()
	found := candidate{reader: r}
	for it.Seek(lastFrom(prefix, from)); it.Valid(); it.Next() {
		item := it.Item()
		if !found.is(item) {
			if more, err := found.show(fn); err != nil || !more {
				return err
			}
		}
		if err := found.take(item); err != nil {
			return err
		}
	}
	_, err = found.show(fn)
	return err
}

// lastFrom is where a walk back begins: at from, but behind no key of the prefix, and
// before padding.
func lastFrom(prefix, from []byte) []byte {
	if len(prefix) == 0 && (len(from) == 0 || from[0] == paddingKind) {
		return []byte{paddingKind}
	}
	last := make([]byte, len(prefix)+record.MaxKeyBytes+1)
	for i := copy(last, prefix); i < len(last); i++ {
		last[i] = 0xff
	}
	if from != nil && bytes.Compare(from, last) < 0 {
		return from
	}
	return last
}

// candidate is the key that a walk back stands at, as of the versions seen so far:
// they come oldest first, and the last one counts.
type candidate struct {
	reader     reader
	key, value []byte
	deleted    bool
	// apart: the value lies in the value log, and is read when asked for.
	apart bool
}

func (c *candidate) is(item *badger.Item) bool { return bytes.Equal(c.key, item.Key()) }

// take makes a version of an item the candidate.
func (c *candidate) take(item *badger.Item) error {
	c.key = append(c.key[:0], item.Key()...)
	c.deleted = item.IsDeletedOrExpired() || isGone(item)
	c.apart = !c.deleted && isApart(item)
	if c.deleted || c.apart {
		return nil
	}
	return item.Value(func(value []byte) error {
		c.value = append(c.value[:0], value...)
		return nil
	})
}

// maxSizeErrorBytes is by how much Badger's estimate of a value's size may be off.
const maxSizeErrorBytes = 32

// show hands the candidate to fn, unless there is none or it is deleted.
func (c *candidate) show(fn func([]byte, storage.Value) (bool, error)) (more bool, err error) {
	if len(c.key) == 0 || c.deleted {
		return true, nil
	}
	return fn(c.key, c)
}

// Read implements storage.Value.
func (c *candidate) Read(fn func([]byte) error) error {
	if c.apart {
		return c.reader.Get(c.key, fn)
	}
	return readValue(c.key, c.value, fn)
}

// itemValue reads a value under an iterator.
type itemValue struct{ item *badger.Item }

// Read implements storage.Value.
func (v itemValue) Read(fn func([]byte) error) error {
	inBadger := true
	defer func() {
		if inBadger {
			v.crashed(recover())
		}
	}()
	return v.item.Value(func(value []byte) error {
		inBadger = false
		return readValue(v.item.Key(), value, fn)
	})
}

// readValue hands a value to fn. Badger gives an empty value, and no error, for one
// that it could not read; no record has one.
func readValue(key, value []byte, fn func([]byte) error) error {
	if len(value) == 0 {
		return fmt.Errorf("%w: key %x: its value cannot be read", storage.ErrDataLoss, key)
	}
	return fn(value)
}
