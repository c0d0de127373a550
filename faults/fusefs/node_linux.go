package fusefs

import (
	"context"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// capacityBytes is how large the disk says it is.
const capacityBytes = 16 << 30

// node answers the kernel's calls about one inode.
type node struct {
	fs.Inode
	fs    *FS
	inode *inode
}

var (
	_ fs.NodeLookuper  = (*node)(nil)
	_ fs.NodeGetattrer = (*node)(nil)
	_ fs.NodeSetattrer = (*node)(nil)
	_ fs.NodeCreater   = (*node)(nil)
	_ fs.NodeMkdirer   = (*node)(nil)
	_ fs.NodeOpener    = (*node)(nil)
	_ fs.NodeReader    = (*node)(nil)
	_ fs.NodeWriter    = (*node)(nil)
	_ fs.NodeFsyncer   = (*node)(nil)
	_ fs.NodeAllocater = (*node)(nil)
	_ fs.NodeUnlinker  = (*node)(nil)
	_ fs.NodeRmdirer   = (*node)(nil)
	_ fs.NodeRenamer   = (*node)(nil)
	_ fs.NodeReaddirer = (*node)(nil)
	_ fs.NodeStatfser  = (*node)(nil)
)

// child is the kernel's handle of an inode.
func (n *node) child(ctx context.Context, i *inode, out *fuse.EntryOut) *fs.Inode {
	n.fill(i, &out.Attr)
	return n.NewInode(ctx, &node{fs: n.fs, inode: i}, fs.StableAttr{Mode: modeOf(i.isDir()), Ino: uint64(i.id)})
}

func modeOf(isDir bool) uint32 {
	if isDir {
		return syscall.S_IFDIR
	}
	return syscall.S_IFREG
}

func (n *node) fill(i *inode, out *fuse.Attr) {
	size, room, changed := n.fs.stat(i)
	out.Size, out.Blocks, out.Blksize = uint64(size), uint64(room)/512, pageBytes
	out.Mode, out.Nlink, out.Ino = 0o600, 1, uint64(i.id)
	if i.isDir() {
		out.Mode, out.Nlink = 0o700, 2
	}
	out.SetTimes(&changed, &changed, &changed)
}

// Lookup implements fs.NodeLookuper.
func (n *node) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	if n.inode.id == rootID && name == NotesName {
		attr := fs.StableAttr{Mode: syscall.S_IFREG, Ino: ^uint64(0) >> 2}
		out.Mode, out.Nlink = 0o600, 1
		return n.NewInode(ctx, &notes{fs: n.fs}, attr), 0
	}
	i := n.fs.lookup(n.inode, name)
	if i == nil {
		return nil, syscall.ENOENT
	}
	return n.child(ctx, i, out), 0
}

// Getattr implements fs.NodeGetattrer.
func (n *node) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	n.fill(n.inode, &out.Attr)
	return 0
}

// Setattr implements fs.NodeSetattrer.
func (n *node) Setattr(_ context.Context, _ fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	if size, ok := in.GetSize(); ok {
		if errno := n.fs.truncate(n.inode, int64(size)); errno != 0 {
			return errno
		}
	}
	n.fill(n.inode, &out.Attr)
	return 0
}

// Create implements fs.NodeCreater.
func (n *node) Create(ctx context.Context, name string, _, _ uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	i, errno := n.fs.create(n.inode, name, false)
	if errno != 0 {
		return nil, nil, 0, errno
	}
	return n.child(ctx, i, out), nil, fuse.FOPEN_KEEP_CACHE, 0
}

// Mkdir implements fs.NodeMkdirer.
func (n *node) Mkdir(ctx context.Context, name string, _ uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	i, errno := n.fs.create(n.inode, name, true)
	if errno != 0 {
		return nil, errno
	}
	return n.child(ctx, i, out), 0
}

// Open implements fs.NodeOpener.
func (n *node) Open(_ context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	if flags&syscall.O_TRUNC != 0 {
		if errno := n.fs.truncate(n.inode, 0); errno != 0 {
			return nil, 0, errno
		}
	}
	return nil, fuse.FOPEN_KEEP_CACHE, 0
}

// Read implements fs.NodeReader.
func (n *node) Read(_ context.Context, _ fs.FileHandle, dst []byte, offset int64) (fuse.ReadResult, syscall.Errno) {
	size, errno := n.fs.read(n.inode, dst, offset)
	if errno != 0 {
		return nil, errno
	}
	return fuse.ReadResultData(dst[:size]), 0
}

// Write implements fs.NodeWriter.
func (n *node) Write(_ context.Context, _ fs.FileHandle, data []byte, offset int64) (uint32, syscall.Errno) {
	size, errno := n.fs.write(n.inode, data, offset)
	return uint32(size), errno
}

// Fsync implements fs.NodeFsyncer.
func (n *node) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno { return n.fs.sync(n.inode) }

// Allocate implements fs.NodeAllocater.
func (n *node) Allocate(_ context.Context, _ fs.FileHandle, offset, size uint64, mode uint32) syscall.Errno {
	if mode != 0 {
		return unix.EOPNOTSUPP
	}
	return n.fs.allocate(n.inode, int64(offset+size))
}

// Unlink implements fs.NodeUnlinker.
func (n *node) Unlink(_ context.Context, name string) syscall.Errno {
	return n.fs.remove(n.inode, name)
}

// Rmdir implements fs.NodeRmdirer.
func (n *node) Rmdir(_ context.Context, name string) syscall.Errno { return n.fs.remove(n.inode, name) }

// Rename implements fs.NodeRenamer.
func (n *node) Rename(_ context.Context, name string, newDir fs.InodeEmbedder, newName string, flags uint32) syscall.Errno {
	to, ok := newDir.(*node)
	if !ok || flags != 0 {
		return syscall.EINVAL
	}
	return n.fs.rename(n.inode, name, to.inode, newName)
}

// Readdir implements fs.NodeReaddirer.
func (n *node) Readdir(context.Context) (fs.DirStream, syscall.Errno) {
	var list []fuse.DirEntry
	for _, e := range n.fs.list(n.inode) {
		list = append(list, fuse.DirEntry{Name: e.name, Ino: uint64(e.id), Mode: modeOf(e.isDir)})
	}
	return fs.NewListDirStream(list), 0
}

// Statfs implements fs.NodeStatfser.
func (n *node) Statfs(_ context.Context, out *fuse.StatfsOut) syscall.Errno {
	free := uint64(max(0, capacityBytes-n.fs.held())) / pageBytes
	out.Bsize, out.Frsize, out.NameLen = pageBytes, pageBytes, 255
	out.Blocks, out.Bfree, out.Bavail = capacityBytes/pageBytes, free, free
	return 0
}

// notes is the file whose writes become notes.
type notes struct {
	fs.Inode
	fs *FS
}

var (
	_ fs.NodeOpener    = (*notes)(nil)
	_ fs.NodeWriter    = (*notes)(nil)
	_ fs.NodeGetattrer = (*notes)(nil)
	_ fs.NodeSetattrer = (*notes)(nil)
)

// Open implements fs.NodeOpener.
func (n *notes) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, fuse.FOPEN_DIRECT_IO, 0
}

// Write implements fs.NodeWriter.
func (n *notes) Write(_ context.Context, _ fs.FileHandle, data []byte, _ int64) (uint32, syscall.Errno) {
	n.fs.Note(data)
	return uint32(len(data)), 0
}

// Getattr implements fs.NodeGetattrer.
func (n *notes) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode, out.Nlink = 0o600, 1
	return 0
}

// Setattr implements fs.NodeSetattrer.
func (n *notes) Setattr(ctx context.Context, f fs.FileHandle, _ *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	return n.Getattr(ctx, f, out)
}
