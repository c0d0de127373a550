package fusefs

import (
	"bytes"
	"math/rand/v2"
	"path"
	"slices"
	"sync"
	"syscall"
	"time"
)

// FS is a file system in memory that writes down what is done to it. New makes one.
// It is safe for concurrent use.
type FS struct {
	mu      sync.Mutex
	root    *inode
	last    ID
	journal []Operation
	rules   []*activeRule
	random  *rand.Rand
}

// New makes an empty file system. The seed gives the calls that rules choose by
// chance.
func New(seed uint64) *FS {
	return &FS{
		root:   &inode{id: rootID, children: map[string]*inode{}, changed: time.Now()},
		last:   rootID,
		random: rand.New(rand.NewPCG(seed, 0)),
	}
}

// Journal is what was done up to now, in order. It is never changed.
func (f *FS) Journal() []Operation {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clip(f.journal)
}

// SetRules puts faults in place of those before.
func (f *FS) SetRules(rules ...Rule) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rules = nil
	for _, r := range rules {
		f.rules = append(f.rules, &activeRule{Rule: r})
	}
}

// Hits says how often each rule's fault was met.
func (f *FS) Hits() []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	hits := make([]int, len(f.rules))
	for i, r := range f.rules {
		hits[i] = r.hit
	}
	return hits
}

// Note writes a line into the journal.
func (f *FS) Note(text []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.append(Operation{Kind: Note, Data: bytes.Clone(text)})
}

func (f *FS) append(o Operation) { f.journal = append(f.journal, o) }

// meet finds the fault that a call meets, and waits as it says.
func (f *FS) meet(kind Kind, file string) Fault {
	fault := f.fault(kind, file)
	if fault.Delay > 0 {
		<-time.After(fault.Delay)
	}
	return fault
}

func (f *FS) fault(kind Kind, file string) Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.rules {
		if r.meets(kind, file, f.random.Float64) {
			return r.Fault
		}
	}
	return Fault{}
}

func (f *FS) read(n *inode, dst []byte, offset int64) (int, syscall.Errno) {
	if fault := f.meet(Read, f.pathOf(n)); fault.Err != 0 {
		return 0, fault.Err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return n.content.read(dst, offset), 0
}

// write keeps a copy of data.
func (f *FS) write(n *inode, data []byte, offset int64) (int, syscall.Errno) {
	fault := f.meet(Write, f.pathOf(n))
	if fault.Err != 0 {
		data = data[:min(len(data), fault.KeepBytes)]
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(data) > 0 {
		n.content.write(data, offset)
		n.changed = time.Now()
	}
	f.append(Operation{Kind: Write, File: n.id, Path: n.path, Offset: offset, Data: bytes.Clone(data), Err: fault.Err})
	return len(data), fault.Err
}

func (f *FS) sync(n *inode) syscall.Errno {
	kind := Sync
	if n.isDir() {
		kind = SyncDir
	}
	fault := f.meet(kind, f.pathOf(n))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.append(Operation{Kind: kind, File: n.id, Path: n.path, Err: fault.Err, Forgot: fault.Forget})
	return fault.Err
}

func (f *FS) truncate(n *inode, size int64) syscall.Errno {
	if fault := f.meet(Truncate, f.pathOf(n)); fault.Err != 0 {
		return fault.Err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	n.content.resize(size)
	n.allocated = min(n.allocated, size)
	n.changed = time.Now()
	f.append(Operation{Kind: Truncate, File: n.id, Path: n.path, Size: size})
	return 0
}

func (f *FS) allocate(n *inode, size int64) syscall.Errno {
	if fault := f.meet(Allocate, f.pathOf(n)); fault.Err != 0 {
		return fault.Err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	n.content.resize(max(n.content.size, size))
	n.allocated = max(n.allocated, size)
	f.append(Operation{Kind: Allocate, File: n.id, Path: n.path, Size: n.content.size})
	return 0
}

// create makes a file or directory in a directory.
func (f *FS) create(dir *inode, name string, isDir bool) (*inode, syscall.Errno) {
	file := path.Join(f.pathOf(dir), name)
	if fault := f.meet(Create, file); fault.Err != 0 {
		return nil, fault.Err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if dir.children[name] != nil {
		return nil, syscall.EEXIST
	}
	f.last++
	n := &inode{id: f.last, path: file, changed: time.Now()}
	if isDir {
		n.children = map[string]*inode{}
	} else {
		n.content = newContent()
	}
	dir.children[name], dir.changed = n, n.changed
	f.append(Operation{Kind: Create, File: n.id, Path: file, to: place{dir.id, name}, isDir: isDir})
	return n, 0
}

func (f *FS) lookup(dir *inode, name string) *inode {
	f.mu.Lock()
	defer f.mu.Unlock()
	return dir.children[name]
}

// remove takes a file, or an empty directory, out of a directory.
func (f *FS) remove(dir *inode, name string) syscall.Errno {
	if fault := f.meet(Remove, path.Join(f.pathOf(dir), name)); fault.Err != 0 {
		return fault.Err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	n := dir.children[name]
	switch {
	case n == nil:
		return syscall.ENOENT
	case len(n.children) > 0:
		return syscall.ENOTEMPTY
	}
	delete(dir.children, name)
	dir.changed, n.removed = time.Now(), true
	f.append(Operation{Kind: Remove, File: n.id, Path: n.path, from: place{dir.id, name}, isDir: n.isDir()})
	return 0
}

// rename puts a file in another place, and what was there away.
func (f *FS) rename(dir *inode, name string, newDir *inode, newName string) syscall.Errno {
	if fault := f.meet(Rename, path.Join(f.pathOf(dir), name)); fault.Err != 0 {
		return fault.Err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	n := dir.children[name]
	if n == nil {
		return syscall.ENOENT
	}
	if there := newDir.children[newName]; there != nil {
		there.removed = true
	}
	delete(dir.children, name)
	newDir.children[newName] = n
	n.path = path.Join(newDir.path, newName)
	dir.changed, newDir.changed = time.Now(), time.Now()
	f.append(Operation{
		Kind: Rename, File: n.id, Path: n.path, isDir: n.isDir(),
		from: place{dir.id, name}, to: place{newDir.id, newName},
	})
	return 0
}

func (f *FS) pathOf(n *inode) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return n.path
}

// stat is what is told of a file: its size, the room it takes, its last change.
func (f *FS) stat(n *inode) (size, room int64, changed time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return n.size(), n.bytes(), n.changed
}

// entry is a name in a directory.
type entry struct {
	name  string
	id    ID
	isDir bool
}

func (f *FS) list(dir *inode) []entry {
	f.mu.Lock()
	defer f.mu.Unlock()
	entries := make([]entry, 0, len(dir.children))
	for name, n := range dir.children {
		entries = append(entries, entry{name, n.id, n.isDir()})
	}
	return entries
}

// held is the room that all files take.
func (f *FS) held() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return heldBelow(f.root)
}

func heldBelow(n *inode) int64 {
	sum := n.bytes()
	for _, child := range n.children {
		sum += heldBelow(child)
	}
	return sum
}
