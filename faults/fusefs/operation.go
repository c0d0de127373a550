package fusefs

import (
	"path"
	"syscall"
	"time"
)

// Kind is what a call does.
type Kind string

// The kinds of operations. Reads are not in the journal: they change nothing.
const (
	Read     Kind = "read"
	Write    Kind = "write"
	Sync     Kind = "sync"
	SyncDir  Kind = "syncdir"
	Create   Kind = "create"
	Rename   Kind = "rename"
	Remove   Kind = "remove"
	Truncate Kind = "truncate"
	Allocate Kind = "allocate"
	// Note is a line that was written to the file of that name.
	Note Kind = "note"
)

// ID names a file or directory for ever; the root has 1.
type ID uint64

const rootID ID = 1

// place is a name in a directory.
type place struct {
	dir  ID
	name string
}

// Operation is one entry of the journal: what was done, or tried.
type Operation struct {
	Kind Kind
	// File is what it was done to, Path where that lay then.
	File ID
	Path string
	// Offset and Data are of a Write; Data is also the text of a Note.
	Offset int64
	Data   []byte
	// Size is the size after a Truncate or Allocate.
	Size int64
	// Err is what the caller was told when it failed. What a failed Write left
	// behind is in Data all the same.
	Err syscall.Errno
	// Forgot: a Sync lost what it should have made durable.
	Forgot bool

	// from and to are the places that a Create, Rename or Remove touched.
	from, to place
	isDir    bool
}

// Flushes says whether the operation is a point at which something becomes durable.
func (o *Operation) Flushes() bool { return o.Kind == Sync || o.Kind == SyncDir }

// Fault is what happens to a call.
type Fault struct {
	// Err is what the caller is told; 0: that all is well.
	Err syscall.Errno
	// KeepBytes of a failing write are written all the same: a torn write.
	KeepBytes int
	// Forget makes a sync lose what it should have made durable: later syncs, which
	// may succeed, do not bring it back, although readers see it.
	Forget bool
	// Delay is how long the call takes.
	Delay time.Duration
}

// Rule chooses the calls that meet a fault.
type Rule struct {
	// Kind is that of the calls.
	Kind Kind
	// File is a pattern, as path.Match has it, of the last part of the path.
	File string
	// After is how many of these calls pass before the first that fails, Times how
	// many fail; 0: all.
	After, Times int
	// Chance is the share of these calls that fail, between 0 and 1; 0: all.
	Chance float64
	Fault  Fault
}

// activeRule counts the calls that a rule chose.
type activeRule struct {
	Rule
	seen, hit int
}

// meets says whether a call meets the fault.
func (r *activeRule) meets(kind Kind, file string, chance func() float64) bool {
	if kind != r.Kind {
		return false
	}
	if ok, _ := path.Match(r.File, path.Base(file)); !ok {
		return false
	}
	r.seen++
	if r.seen <= r.After || r.Times > 0 && r.hit >= r.Times || r.Chance > 0 && chance() >= r.Chance {
		return false
	}
	r.hit++
	return true
}
