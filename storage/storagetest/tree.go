package storagetest

import (
	"bytes"

	"github.com/cespare/xxhash/v2"
)

// tree is an immutable ordered map: put and remove give another tree and share
// what did not change, so that a snapshot is a pointer. It is a treap whose
// priorities are the keys' hashes, which makes its shape a function of its keys.
type tree struct {
	key, value  []byte
	priority    uint64
	left, right *tree
}

func (t *tree) get(key []byte) ([]byte, bool) {
	for t != nil {
		switch c := bytes.Compare(key, t.key); {
		case c == 0:
			return t.value, true
		case c < 0:
			t = t.left
		default:
			t = t.right
		}
	}
	return nil, false
}

func (t *tree) put(key, value []byte) *tree {
	less, rest := t.split(key)
	_, more := rest.cutEqual(key)
	n := &tree{key: key, value: value, priority: xxhash.Sum64(key)}
	return merge(merge(less, n), more)
}

func (t *tree) remove(key []byte) *tree {
	less, rest := t.split(key)
	_, more := rest.cutEqual(key)
	return merge(less, more)
}

// split gives the keys below key, and the others.
func (t *tree) split(key []byte) (less, rest *tree) {
	if t == nil {
		return nil, nil
	}
	n := *t
	if bytes.Compare(t.key, key) < 0 {
		n.right, rest = t.right.split(key)
		return &n, rest
	}
	less, n.left = t.left.split(key)
	return less, &n
}

// cutEqual takes key off a tree that holds nothing below it.
func (t *tree) cutEqual(key []byte) (had bool, rest *tree) {
	switch {
	case t == nil:
		return false, nil
	case bytes.Equal(t.key, key):
		return true, merge(t.left, t.right)
	case t.left == nil:
		return false, t
	}
	n := *t
	had, n.left = t.left.cutEqual(key)
	return had, &n
}

// merge joins two trees; every key of a is below every key of b.
func merge(a, b *tree) *tree {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.priority >= b.priority:
		n := *a
		n.right = merge(a.right, b)
		return &n
	default:
		n := *b
		n.left = merge(a, b.left)
		return &n
	}
}

// ascend calls fn for each key >= from, in order, while it says so.
func (t *tree) ascend(from []byte, fn func(key, value []byte) bool) bool {
	if t == nil {
		return true
	}
	if bytes.Compare(t.key, from) < 0 {
		return t.right.ascend(from, fn)
	}
	return t.left.ascend(from, fn) && fn(t.key, t.value) && t.right.ascend(from, fn)
}

// descend calls fn for each key that is not above, in reverse order, while it says
// so. above must be true for all keys after the first for which it is.
func (t *tree) descend(above func(key []byte) bool, fn func(key, value []byte) bool) bool {
	if t == nil {
		return true
	}
	if above(t.key) {
		return t.left.descend(above, fn)
	}
	return t.right.descend(above, fn) && fn(t.key, t.value) && t.left.descend(above, fn)
}
