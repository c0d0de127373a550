package shardlog

import (
	"cmp"
	"context"
	"slices"

	"github.com/headrace/headrace/storage"
	"github.com/headrace/headrace/storage/record"
)

// parkedBytes bounds a parked key's key and fixed fields.
const parkedBytes = 64

// parkedAtOnce bounds the parked keys that one call reads.
const parkedAtOnce = 1000

// parkedNeed bounds what a change of a key takes.
func parkedNeed(k *storage.KeyChange) need {
	return need{inline: parkedBytes + len(k.Key), keys: 1}
}

// storedParked is what is known of one stored parked key.
type storedParked struct {
	hash    uint32
	version uint64
}

// findParked gives where the parked key of a hash is, or belongs.
func (c *cursor) findParked(hash uint32) (i int, found bool) {
	return slices.BinarySearchFunc(c.parked, hash, func(x storedParked, hash uint32) int {
		return cmp.Compare(x.hash, hash)
	})
}

// countParked takes a parked key into the cursor's count and sum, or out of them.
func (c *cursor) countParked(x storedParked, sign int) {
	c.AckParts += uint32(sign)
	c.AckSum ^= record.ParkedHash(x.hash, x.version)
}

// keysAscend says whether no key occurs twice.
func keysAscend(keys []storage.KeyChange) bool {
	for i := 1; i < len(keys); i++ {
		if keys[i-1].Hash >= keys[i].Hash {
			return false
		}
	}
	return true
}

// changeKey parks a key or releases it. One that is so already stays as it is: since
// when, and which key was the first of its hash.
func (c *committer) changeKey(x *cursor, k *storage.KeyChange) {
	at, found := x.findParked(k.Hash)
	switch {
	case k.Parked == found:
	case found:
		x.countParked(x.parked[at], -1)
		x.parked = slices.Delete(x.parked, at, at+1)
		c.open.deleteParked(x.parkedKey(k.Hash))
	default:
		next := storedParked{hash: k.Hash, version: c.open.Number}
		x.countParked(next, 1)
		x.parked = slices.Insert(x.parked, at, next)
		c.open.putParked(x, k, &record.ParkedKey{Version: next.version, Since: k.Since, Key: k.Key})
	}
}

// parkedKey names a parked key of the cursor's generation.
func (c *cursor) parkedKey(hash uint32) record.ParkedKeyKey {
	return record.ParkedKeyKey{Subscription: c.subscription.ID, Partition: c.partition, Generation: c.Generation, Hash: hash}
}

func (b *batch) putParked(c *cursor, k *storage.KeyChange, p *record.ParkedKey) {
	start := len(b.mem)
	b.mem = record.AppendParkedKey(b.mem, c.parkedKey(k.Hash))
	split := len(b.mem)
	b.mem = record.AppendParked(b.mem, b.mem[start:split], p)
	b.put(start, split)
}

func (b *batch) deleteParked(k record.ParkedKeyKey) {
	start := len(b.mem)
	b.mem = record.AppendParkedKey(b.mem, k)
	b.remove(start)
}

// readParked reads all parked keys.
func (r *recovery) readParked() error {
	prefix := record.AppendPrefix(nil, record.KindParked)
	return scan(r.engine, prefix, nil, func(key []byte, value storage.Value) error {
		k, err := record.ParseParkedKey(key)
		if err != nil {
			return err
		}
		g := r.state(cursorID{k.Subscription, k.Partition}).generation(k.Generation)
		err = value.Read(func(value []byte) error {
			p, err := record.DecodeParked(key, value)
			if err == nil {
				g.parked = append(g.parked, storedParked{hash: k.Hash, version: p.Version})
			}
			return err
		})
		if err != nil {
			g.err = err
		}
		return nil
	})
}

// readParkedHashes reads the hashes of a cursor's parked keys.
func readParkedHashes(r storage.Reader, id storage.SubscriptionID, c *storage.Cursor) (hashes []uint32, err error) {
	prefix := record.AppendParkedPrefix(nil, id, c.Partition, c.Generation)
	err = r.Ascend(prefix, nil, func(key []byte, _ storage.Value) (bool, error) {
		k, err := record.ParseParkedKey(key)
		hashes = append(hashes, k.Hash)
		return true, err
	})
	return hashes, err
}

// ParkedKeys gives parked keys of a subscription from one on, in order of partition and
// hash: some, or none at the end. It waits for what was handed to the committer before.
// Errors: ErrNotFound, ErrDataLoss.
func (s *Store) ParkedKeys(ctx context.Context, id storage.SubscriptionID, from storage.ParkedKeyID) ([]storage.ParkedKey, error) {
	if _, err := s.topicOf(ctx, id); err != nil {
		return nil, err
	}
	all := parkedReader{id: id, from: from}
	err := s.engine.View(all.read)
	return all.keys, err
}

// parkedReader reads parked keys from one on.
type parkedReader struct {
	id   storage.SubscriptionID
	from storage.ParkedKeyID
	keys []storage.ParkedKey
	// known says that generation is the one of the cursor of at.
	known      bool
	at         uint16
	generation uint64
}

func (p *parkedReader) read(r storage.Reader) error {
	prefix := record.AppendParkedSubscriptionPrefix(nil, p.id)
	from := record.AppendParkedPrefix(nil, p.id, p.from.Partition, 0)
	return r.Ascend(prefix, from, func(key []byte, value storage.Value) (bool, error) {
		k, err := record.ParseParkedKey(key)
		if err != nil {
			return false, err
		}
		if err := p.cursorOf(r, k.Partition); err != nil {
			return false, err
		}
		at := storage.ParkedKeyID{Partition: k.Partition, Hash: k.Hash}
		if k.Generation != p.generation || at.Partition == p.from.Partition && at.Hash < p.from.Hash {
			return true, nil
		}
		err = value.Read(func(value []byte) error {
			x, err := record.DecodeParked(key, value)
			p.keys = append(p.keys, storage.ParkedKey{ParkedKeyID: at, Key: x.Key, Since: x.Since})
			return err
		})
		return len(p.keys) < parkedAtOnce, err
	})
}

// cursorOf reads the generation of a partition's cursor: what is of an earlier one
// waits for its deletion.
func (p *parkedReader) cursorOf(r storage.Reader, partition uint16) error {
	if p.known && p.at == partition {
		return nil
	}
	key := record.AppendCursorKey(nil, p.id, partition)
	return r.Get(key, func(value []byte) error {
		x, err := record.DecodeCursor(key, value)
		p.known, p.at, p.generation = true, partition, x.Generation
		return err
	})
}
