package storagetest

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/headrace/headrace/storage"
)

// direction is the way of a walk.
type direction bool

const (
	up   direction = true
	down direction = false
)

// walk gives the keys and values of a walk, as "key=value". from "" means nil.
func walk(b *bench, way direction, prefix, from string) []string {
	b.t.Helper()
	var all []string
	b.view(func(r storage.Reader) error {
		all = nil
		return walkReader(r, way, prefix, from, func(key, value string) bool {
			all = append(all, key+"="+value)
			return true
		})
	})
	return all
}

func walkReader(r storage.Reader, way direction, prefix, from string, fn func(key, value string) bool) error {
	var first []byte
	if from != "" {
		first = []byte(from)
	}
	walk := r.Ascend
	if way == down {
		walk = r.Descend
	}
	return walk([]byte(prefix), first, func(key []byte, v storage.Value) (more bool, err error) {
		err = v.Read(func(value []byte) error {
			more = fn(string(key), string(value))
			return nil
		})
		return more, err
	})
}

func ascendAndDescend(b *bench) {
	// Keys of two letters, some overwritten, some deleted, over several batches.
	for _, key := range []string{"aa", "ab", "ba", "bb", "bc", "bd", "ca", "b\xff", "b"} {
		b.commit(put(key, "old"+key))
	}
	b.commit(put("bb", "BB"), remove("bc"), put("ab", "AB"))
	for _, c := range []struct {
		way          direction
		prefix, from string
		want         string
	}{
		{up, "", "", "aa ab b ba bb bd b\xff ca"},
		{up, "b", "", "b ba bb bd b\xff"},
		{up, "b", "bb", "bb bd b\xff"},
		{up, "b", "bc", "bd b\xff"},
		{up, "b", "a", "b ba bb bd b\xff"},
		{up, "b", "c", ""},
		{up, "x", "", ""},
		{down, "", "", "ca b\xff bd bb ba b ab aa"},
		{down, "b", "", "b\xff bd bb ba b"},
		{down, "b", "bb", "bb ba b"},
		{down, "b", "bc", "bb ba b"},
		{down, "b", "bcx", "bb ba b"},
		{down, "b", "b", "b"},
		{down, "b", "z", "b\xff bd bb ba b"},
		{down, "b", "a", ""},
		{down, "x", "", ""},
		{down, "a", "", "ab aa"},
	} {
		var keys []string
		for _, kv := range walk(b, c.way, c.prefix, c.from) {
			key, value, _ := strings.Cut(kv, "=")
			if value != "old"+key && value != strings.ToUpper(key) {
				b.t.Errorf("%s = %s", key, value)
			}
			keys = append(keys, key)
		}
		if got := strings.Join(keys, " "); got != c.want {
			b.t.Errorf("up=%t prefix %q from %q: %q, expected %q", c.way, c.prefix, c.from, got, c.want)
		}
	}
}

// descendPassesDeletedKeys: what is deleted or overwritten, in whatever order of
// versions, is neither shown nor ends a walk.
func descendPassesDeletedKeys(b *bench) {
	for round := range 3 {
		var ops []storage.Op
		for i := range 100 {
			ops = append(ops, put(fmt.Sprintf("k%03d", i), strconv.Itoa(round)))
		}
		b.commit(ops...)
	}
	var ops []storage.Op
	for i := 20; i < 100; i++ {
		if i != 50 {
			ops = append(ops, remove(fmt.Sprintf("k%03d", i)))
		}
	}
	b.commit(ops...)
	got := walk(b, down, "k", "")
	if len(got) != 21 || got[0] != "k050=2" || got[1] != "k019=2" || got[20] != "k000=2" {
		b.t.Errorf("got %v", got)
	}
}

func walksStopWhenTold(b *bench) {
	b.commit(put("a", "1"), put("b", "2"), put("c", "3"))
	for way, want := range map[direction]string{up: "a b", down: "c b"} {
		var keys []string
		b.view(func(r storage.Reader) error {
			return walkReader(r, way, "", "", func(key, _ string) bool {
				keys = append(keys, key)
				return len(keys) < 2
			})
		})
		if got := strings.Join(keys, " "); got != want {
			b.t.Errorf("walked %q, expected %q", got, want)
		}
	}
}

// walksNest: a read may use the snapshot while it walks over it.
func walksNest(b *bench) {
	b.commit(put("a", "1"), put("b", "2"), put("c", "3"))
	var got []string
	b.view(func(r storage.Reader) error {
		return walkReader(r, up, "", "", func(key, _ string) bool {
			got = append(got, key+get(b.t, r, key))
			err := walkReader(r, down, "", key, func(below, value string) bool {
				got = append(got, below+value)
				return true
			})
			return err == nil
		})
	})
	if want := "a1,a1,b2,b2,a1,c3,c3,b2,a1"; strings.Join(got, ",") != want {
		b.t.Errorf("walked %v, expected %s", got, want)
	}
}

// behavesLikeTheModel runs random batches and reads against a sorted slice.
func behavesLikeTheModel(b *bench) {
	const seed = 42
	r := rand.New(rand.NewPCG(seed, seed))
	model := map[string]string{}
	key := func() string { return fmt.Sprintf("%c%02d", 'a'+r.IntN(3), r.IntN(40)) }
	for step := range 150 {
		ops := map[string]storage.Op{}
		for range 1 + r.IntN(20) {
			if k := key(); r.IntN(3) == 0 {
				ops[k] = remove(k)
			} else {
				ops[k] = put(k, strings.Repeat(strconv.Itoa(step), 1+r.IntN(3000)))
			}
		}
		var list []storage.Op
		for k, op := range ops {
			list = append(list, op)
			if op.Value == nil {
				delete(model, k)
			} else {
				model[k] = string(op.Value)
			}
		}
		b.commit(list...)
		if step%50 == 49 {
			b.reopen()
		}
		prefix, from := []string{"", "a", "b", "c"}[r.IntN(4)], []string{"", key()}[r.IntN(2)]
		for _, way := range []direction{up, down} {
			if got, want := walk(b, way, prefix, from), expected(model, way, prefix, from); !slices.Equal(got, want) {
				b.t.Fatalf("seed %d, step %d: up=%t prefix %q from %q: %d keys, expected %d",
					seed, step, way, prefix, from, len(got), len(want))
			}
		}
	}
}

// expected is what walk should give.
func expected(model map[string]string, way direction, prefix, from string) []string {
	var all []string
	for k, v := range model {
		if strings.HasPrefix(k, prefix) && (from == "" || k == from || (k > from) == bool(way)) {
			all = append(all, k+"="+v)
		}
	}
	slices.SortFunc(all, func(a, b string) int {
		if way == down {
			a, b = b, a
		}
		return cmp.Compare(a, b)
	})
	return all
}

// readersSeeWholeBatchesOnly: every batch writes the same value under all keys,
// while readers look.
func readersSeeWholeBatchesOnly(b *bench) {
	const keys, batches, readers = 20, 50, 3
	stop, done := make(chan struct{}), make(chan error)
	for range readers {
		go func() { done <- readUntil(b.engine, stop) }()
	}
	for i := range batches {
		var ops []storage.Op
		for k := range keys {
			ops = append(ops, put(fmt.Sprint("k", k), strconv.Itoa(i)))
		}
		b.commit(ops...)
	}
	close(stop)
	for range readers {
		if err := <-done; err != nil {
			b.t.Error(err)
		}
	}
}

func readUntil(e storage.Engine, stop <-chan struct{}) error {
	for {
		select {
		case <-stop:
			return nil
		default:
		}
		values := map[string]bool{}
		err := e.View(func(r storage.Reader) error {
			return walkReader(r, up, "k", "", func(_, value string) bool {
				values[value] = true
				return true
			})
		})
		if err != nil {
			return err
		}
		if len(values) > 1 {
			return errors.New("a snapshot holds parts of batches")
		}
	}
}
