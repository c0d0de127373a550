// Package fusefs is a file system that knows what was synced, and can fail.
//
// An FS lies in memory and is mounted with FUSE. It writes down every operation that
// changes it, in a journal: writes with their bytes, sizes, names, and the syncs
// between them. Disk walks such a journal and knows at each point what is durable and
// what is not; WriteImage puts into a directory what a power cut at that point may
// leave: all that was synced, and of the rest a part that Survival chooses, torn
// between sectors or pages when it says so.
//
//	process ── write, msync, fsync, rename ──► kernel ──► FS ──► journal
//	                                                               │ Apply, one by one
//	                  directory ◄── WriteImage ◄── Disk ◄──────────┘
//
// A Rule makes chosen calls fail: with an error, with a torn write, late, or as a sync
// that loses what it should have made durable and succeeds when it is tried again.
//
// What the kernel does with mapped files, as its tests show: a write to a page is seen
// here when the kernel writes the page back, at the latest before the sync that an
// msync becomes; a page that was not written back yet is not in the journal, and so
// never survives. A process may provoke it by opening and closing the file. A failing
// write or sync is what msync returns; a failing read of a mapped page is SIGBUS.
//
// It needs Linux and root, for the mount; Disk needs neither.
package fusefs
