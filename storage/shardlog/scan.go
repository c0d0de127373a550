package shardlog

import "github.com/headrace/headrace/storage"

// scanAtOnce bounds what one snapshot is used for in a scan: snapshots pin memory
// and files, so they are short.
const scanAtOnce = 1024

// scan calls fn for every key with a prefix from `from` on, in order, in several
// snapshots. What changes meanwhile may be seen or not.
func scan(engine storage.Engine, prefix, from []byte, fn func(key []byte, value storage.Value) error) error {
	for {
		next, err := scanSome(engine, prefix, from, fn)
		if err != nil || next == nil {
			return err
		}
		from = next
	}
}

// scanSome scans a part and gives the key to go on from; nil at the end.
func scanSome(engine storage.Engine, prefix, from []byte, fn func(key []byte, value storage.Value) error) (next []byte, err error) {
	n := 0
	err = engine.View(func(r storage.Reader) error {
		return r.Ascend(prefix, from, func(key []byte, value storage.Value) (bool, error) {
			if n == scanAtOnce {
				next = append(next, key...)
				return false, nil
			}
			n++
			return true, fn(key, value)
		})
	})
	return next, err
}
