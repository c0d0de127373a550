// Package starved takes from a running server what it needs of its machine: room on
// the disk, descriptors, file size, memory, a clock that goes forward, and a disk whose
// calls do not fail.
//
// What is tested is the binary as an operator runs it, a process of its own on a
// directory of its own, and what its clients, its metrics and its log say. A witness
// beside it remembers each promise: a publish that was acknowledged is there at the
// end, byte by byte and at its offset; one that was refused is not; what was acked
// and confirmed does not come again.
//
// It needs Linux, and root where a file system of its own is filled.
package starved
