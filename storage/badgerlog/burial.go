package badgerlog

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// goneMark is the user meta of an entry that says that its key is deleted. Its value is
// goneValue, which nobody reads: an empty one is what Badger gives for damage.
const goneMark = 1

var goneValue = []byte{goneMark}

// maxBurials bounds the keys that are deleted at once.
const maxBurials = 4096

// buried are the kinds of which a key is deleted by a mark when its value lies in the
// value log. Of all others values are short, but for segments: one that comes back is
// one to which nothing points, and the next opening deletes it.
var buried = []record.Kind{record.KindDeadLetter, record.KindDedupe}

// burials delete keys whose values lie in the value log, so that they stay deleted.
//
// A collection writes what it finds in a file once more, above everything else, and so
// it does with a version that a deletion has superseded, until a compaction has dropped
// that version. The compaction drops the deletion with it, and does not know of the other
// place: then what was deleted is back. So such a key is not deleted but overwritten:
//
//	value @5 (apart) ──► mark @9, value @5, value @5 again, by collections
//	                 ──► mark @9              compactions have dropped all older versions
//	                 ──► deletion @12         while nothing is collected
//
// A mark that stands alone may go: there is nothing that a collection could write again.
type burials struct {
	db func() *badger.DB
	// left: there may be marks. At an opening nobody knows.
	left atomic.Bool
	// compacted: a compaction has ended since the last look, so that marks may stand alone.
	compacted atomic.Bool
}

func newBurials(db func() *badger.DB) *burials {
	b := &burials{db: db}
	b.left.Store(true)
	b.compacted.Store(true)
	return b
}

// marks says whether a key is deleted by a mark: when its value lies apart, or did.
func (e *Engine) marks(txn *badger.Txn, key []byte) (marks bool, err error) {
	if !slices.Contains(buried, record.Kind(key[0])) {
		return false, nil
	}
	err = e.readMapped(func() (err error) {
		marks, err = reader{txn, e.stop}.isToBeMarked(key)
		return err
	})
	return marks, err
}

func (r reader) isToBeMarked(key []byte) (bool, error) {
	item, err := r.item(key)
	switch {
	case err == nil:
		return isGone(item) || isApart(item), nil
	case errors.Is(err, storage.ErrUnavailable):
		return false, err
	default: // Of what cannot be read nobody knows, and a mark is never wrong.
		return !errors.Is(err, badger.ErrKeyNotFound), nil
	}
}

func isGone(item *badger.Item) bool { return item.UserMeta() == goneMark }

// isApart says whether an item's value lies in the value log, or is about as large as if.
func isApart(item *badger.Item) bool {
	return item.ValueSize() >= record.InlineValueBytes-maxSizeErrorBytes
}

// finish deletes the keys whose marks stand alone. The collector's own: nothing may be
// collected meanwhile.
func (b *burials) finish() error {
	if !b.left.Load() || !b.compacted.Swap(false) {
		return nil
	}
	b.left.Store(false)
	for _, kind := range buried {
		alone, left, err := b.look([]byte{byte(kind)})
		if err == nil {
			err = b.remove(alone)
		}
		if err != nil {
			return err
		}
		if left {
			b.left.Store(true)
		}
	}
	return nil
}

// look finds the marks among the keys with a prefix: those that stand alone, and whether
// there are others.
func (b *burials) look(prefix []byte) (alone [][]byte, left bool, err error) {
	err = b.db().View(func(txn *badger.Txn) error {
		it := txn.NewIterator(badger.IteratorOptions{Prefix: prefix, AllVersions: true})
		defer it.Close()
		var key []byte
		marked := false
		for it.Seek(prefix); it.Valid(); it.Next() {
			item := it.Item()
			switch {
			case !bytes.Equal(item.Key(), key): // The newest version comes first.
				if len(alone) == maxBurials {
					left = true
					b.compacted.Store(true)
					return nil
				}
				key = append(key[:0], item.Key()...)
				if marked = isGone(item) && !item.IsDeletedOrExpired(); marked {
					alone = append(alone, bytes.Clone(key))
				}
			case marked:
				alone, marked, left = alone[:len(alone)-1], false, true
			}
		}
		return nil
	})
	return alone, left, err
}

func (b *burials) remove(keys [][]byte) error {
	return b.db().Update(func(txn *badger.Txn) error {
		for _, key := range keys {
			if err := txn.Delete(key); err != nil {
				return fmt.Errorf("key %x: %w", key, err)
			}
		}
		return nil
	})
}
