package fusefs

import "time"

// inode is a file or directory as its users see it now. The FS's lock guards it.
type inode struct {
	id ID
	// children is nil for a file, content for a directory.
	children map[string]*inode
	content  *content
	// allocated is the room that was asked for and may not be written yet.
	allocated int64
	// path is where it was put last.
	path    string
	removed bool
	changed time.Time
}

func (n *inode) isDir() bool { return n.children != nil }

// size is what stat tells.
func (n *inode) size() int64 {
	if n.isDir() {
		return 0
	}
	return n.content.size
}

// bytes is the room that it takes on the disk.
func (n *inode) bytes() int64 {
	if n.isDir() {
		return 0
	}
	return max(n.content.bytes(), n.allocated)
}
