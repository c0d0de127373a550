package inspect

import (
	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

func (w *walk) readParked() {
	w.each(record.KindParked, func(_ storage.Reader, key, value []byte) error {
		k, err := record.ParseParkedKey(key)
		if err != nil {
			return err
		}
		x, err := record.DecodeParked(key, value)
		if err != nil {
			return err
		}
		c, err := w.owner(k.Subscription, k.Partition, k.Generation)
		if c != nil {
			w.report.ParkedKeys++
			c.parts++
			c.sum ^= record.ParkedHash(k.Hash, x.Version)
		}
		return err
	}, func(key []byte) Place {
		k, _ := record.ParseParkedKey(key) // A key that is none has no better name.
		return w.ofCursor(cursorID{k.Subscription, k.Partition})
	}, adviceSubscribe)
}
