package corruption

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// Damage is what is done to a file.
type Damage string

// The damages.
const (
	FlippedBit Damage = "flipped bit"
	ZeroedPage Damage = "zeroed page"
	CutTail    Damage = "cut tail"
	Swapped    Damage = "swapped"
	Removed    Damage = "removed"
)

var damages = []Damage{FlippedBit, ZeroedPage, CutTail, Swapped, Removed}

const pageBytes = 4 << 10

// kind is a kind of file; newest and older ones are told apart.
type kind struct {
	name, pattern string
	// newest takes the last file of the pattern, else one of the others.
	newest bool
}

var kinds = []kind{
	{"older .mem", "badger/*.mem", false},
	{"newest .mem", "badger/*.mem", true},
	{"older .vlog", "badger/*.vlog", false},
	{"newest .vlog", "badger/*.vlog", true},
	{"older .sst", "badger/*.sst", false},
	{"newest .sst", "badger/*.sst", true},
	{"MANIFEST", "badger/MANIFEST", true},
	{"KEYREGISTRY", "badger/KEYREGISTRY", true},
	{"DISCARD", "badger/DISCARD", true},
	{"FORMAT", "FORMAT", true},
	{"ledger", "ledger", true},
	{"LOCK", "LOCK", true},
	{"ballast", "ballast", true},
	{"running", "running", true},
}

// files are those of a kind in a directory, and all of its pattern.
func (k kind) files(dir string) (of, all []string) {
	all, _ = filepath.Glob(filepath.Join(dir, k.pattern)) // The patterns are legal.
	slices.Sort(all)
	if len(all) == 0 {
		return nil, nil
	}
	if k.newest {
		return all[len(all)-1:], all
	}
	return all[:len(all)-1], all
}

// errNotPossible is returned when a file cannot be damaged like this.
var errNotPossible = errors.New("corruption: not possible here")

// inflict damages one file of a kind. What it chooses is random's.
func inflict(dir string, k kind, d Damage, random *rand.Rand) (file string, err error) {
	of, all := k.files(dir)
	if len(of) == 0 {
		return "", errNotPossible
	}
	file = of[random.IntN(len(of))]
	switch d {
	case Removed:
		return file, os.Remove(file)
	case Swapped:
		others := slices.DeleteFunc(slices.Clone(all), func(f string) bool { return f == file })
		if len(others) == 0 {
			return "", errNotPossible
		}
		return file, swap(file, others[random.IntN(len(others))])
	default:
		return file, rewrite(file, d, random)
	}
}

func swap(a, b string) error {
	return errors.Join(os.Rename(a, a+".x"), os.Rename(b, a), os.Rename(a+".x", b))
}

// rewrite changes what is written of a file.
func rewrite(file string, d Damage, random *rand.Rand) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	written := len(bytes.TrimRight(content, "\x00"))
	if written == 0 {
		return errNotPossible
	}
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	at := random.IntN(written)
	switch d {
	case FlippedBit:
		_, err = f.WriteAt([]byte{content[at] ^ 1<<random.IntN(8)}, int64(at))
	case ZeroedPage:
		at -= at % pageBytes
		_, err = f.WriteAt(make([]byte, min(pageBytes, len(content)-at)), int64(at))
	default:
		err = f.Truncate(int64(at))
	}
	return errors.Join(err, f.Close())
}
