package fusefs

import (
	"fmt"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// NotesName is a file in the root that is not listed: what is written to it, in one
// call, becomes a Note in the journal.
const NotesName = "notes"

// maxRequestBytes is the size of the largest read and write that the kernel asks for.
const maxRequestBytes = 128 << 10

// Mount is a file system that is mounted.
type Mount struct {
	server *fuse.Server
}

// Mount mounts the file system on an empty directory. That needs root.
//
// The process that serves the file system must not itself map its files, nor hold one
// open while it starts a process: a page fault stops the whole runtime, which then
// cannot answer it.
func (f *FS) Mount(dir string) (*Mount, error) {
	// Names and attributes are asked for each time, data only once: the kernel's pages
	// are the newest.
	never := time.Duration(0)
	server, err := fs.Mount(dir, &node{fs: f, inode: f.root}, &fs.Options{
		EntryTimeout: &never, AttrTimeout: &never, NullPermissions: true,
		RootStableAttr: &fs.StableAttr{Ino: uint64(rootID)},
		MountOptions: fuse.MountOptions{
			FsName: "headrace-faults", Name: "headrace", DirectMountStrict: true, DisableXAttrs: true,
			ExplicitDataCacheControl: true, DisableReadDirPlus: true, MaxWrite: maxRequestBytes,
			// Without this the kernel itself would decide when a write is told.
			DisabledCapabilities: fuse.CAP_WRITEBACK_CACHE,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("fusefs: mount: %w", err)
	}
	return &Mount{server}, nil
}

// Unmount must follow the end of every process that has files open.
func (m *Mount) Unmount() error {
	if err := m.server.Unmount(); err != nil {
		return fmt.Errorf("fusefs: unmount: %w", err)
	}
	return nil
}
