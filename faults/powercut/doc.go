// Package powercut takes the power from a store, again and again, and looks for
// what it forgot.
//
// The store lies on an ext4 image of its own. A child process loads it, as shardload
// has it, and says on its standard output what the store promised. At a random moment
// the file system is shut down without flushing its journal: what was not synced is
// gone, as after a power cut, and every later write and sync fails. The child is
// killed, the image mounted again, the store opened and read by another child, and what
// is there compared with the ledger. Only what was said before the cut counts.
//
// It needs Linux and root, for the mount. The page cache of the machine goes on
// living, so a disk that lies about its flushes is not simulated.
package powercut
