package fusefs

import "slices"

// Disk is what a journal left on the disk, at one of its points: what was made
// durable, and what was not yet. Apply takes it from one point to the next.
//
// A sync of a file makes durable all that was written to it, its size, and the names
// that lead to it: so do ext4, XFS and btrfs. Other changes of a directory become
// durable when the directory is synced; what is left of them after a cut is a
// beginning. On a Strict disk a name needs a sync of its directory, as POSIX has it.
type Disk struct {
	Strict bool
	// SettleOperations is after how many operations a changed name becomes durable by
	// itself; 0: never.
	SettleOperations int

	files map[ID]*platter
	names names
	// count is the number of operations that were applied.
	count int
}

// platter is the part of a disk that belongs to a file.
type platter struct {
	durable *content
	// pending are the operations since the last sync.
	pending []*Operation
}

// NewDisk is an empty disk.
func NewDisk() *Disk { return &Disk{files: map[ID]*platter{}, names: newNames()} }

// Apply takes the disk past an operation.
func (d *Disk) Apply(o *Operation) {
	d.count++
	if d.SettleOperations > 0 {
		d.names.settle(func(c *change) bool { return c.number+d.SettleOperations <= d.count })
	}
	switch o.Kind {
	case Write, Truncate, Allocate:
		p := d.platter(o.File)
		p.pending = append(p.pending, o)
	case Create, Rename, Remove:
		d.names.add(o, d.count)
	case Sync:
		d.sync(o)
	case SyncDir:
		if o.Err == 0 {
			d.names.syncDir(o.File)
		}
	case Read, Note:
	}
}

// sync makes a file durable. A sync that fails without forgetting leaves everything as
// it was: un-synced.
func (d *Disk) sync(o *Operation) {
	p := d.platter(o.File)
	switch {
	case o.Forgot:
		p.pending = nil
	case o.Err == 0:
		for _, w := range p.pending {
			p.durable.apply(w)
		}
		p.pending = nil
	default:
		return
	}
	if !d.Strict {
		d.names.syncFile(o.File)
	}
}

func (d *Disk) platter(file ID) *platter {
	p := d.files[file]
	if p == nil {
		p = &platter{durable: newContent()}
		d.files[file] = p
	}
	return p
}

// Unsynced visits what is not durable: writes and sizes of files, and the names.
func (d *Disk) Unsynced(visit func(*Operation)) {
	for _, p := range d.files {
		for _, o := range p.pending {
			visit(o)
		}
	}
	for _, c := range d.names.pending {
		visit(c.operation)
	}
}

// apply does what a Write, Truncate or Allocate did.
func (c *content) apply(o *Operation) {
	if o.Kind == Write {
		if len(o.Data) > 0 {
			c.write(o.Data, o.Offset)
		}
		return
	}
	c.resize(o.Size)
}

// names are the entries of all directories.
type names struct {
	durable map[place]resident
	// pending are the changes that no sync covers, the oldest first.
	pending []change
	// parents are the directories in which files lie, as their users see it.
	parents map[ID]ID
}

// resident is what has a name: nothing when file is 0.
type resident struct {
	file  ID
	isDir bool
	// since is the number of the change that made it so.
	since int
}

// change is a Create, Rename or Remove, which were numbered with all operations.
type change struct {
	number    int
	operation *Operation
}

func newNames() names { return names{durable: map[place]resident{}, parents: map[ID]ID{}} }

func (n *names) add(o *Operation, number int) {
	n.pending = append(n.pending, change{number, o})
	if o.Kind != Remove {
		n.parents[o.File] = o.to.dir
	}
}

// syncDir makes the changes of a directory durable.
func (n *names) syncDir(dir ID) {
	n.settle(func(c *change) bool { return c.operation.from.dir == dir || c.operation.to.dir == dir })
}

// syncFile makes durable how a file is found.
func (n *names) syncFile(file ID) {
	var way []ID
	for at := file; at != 0 && at != rootID; at = n.parents[at] {
		way = append(way, at)
	}
	n.settle(func(c *change) bool { return slices.Contains(way, c.operation.File) })
}

// settle makes the chosen changes durable.
func (n *names) settle(chosen func(*change) bool) {
	n.pending = slices.DeleteFunc(n.pending, func(c change) bool {
		if !chosen(&c) {
			return false
		}
		c.apply(n.durable)
		return true
	})
}

// apply makes a change, unless a later one of the same place was made before.
func (c change) apply(all map[place]resident) {
	o := c.operation
	if there := all[o.from]; o.from.dir != 0 && there.since < c.number {
		all[o.from] = resident{since: c.number}
	}
	if o.to.dir != 0 && all[o.to].since < c.number {
		all[o.to] = resident{o.File, o.isDir, c.number}
	}
}
