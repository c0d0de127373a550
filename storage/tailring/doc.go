// Package tailring keeps the newest committed segments of every partition in
// memory, so that subscribers at the tail never read the disk.
//
// A Ring holds one partition's newest segments, gap-free, oldest first. The
// segments of one commit chunk share one buffer; a Block is such a chunk. Tails
// bounds the memory of all rings of a shard: per partition, and over all of them
// by blocks, oldest first.
//
//	Tails   oldest ─► Block ─► Block ─► Block newest
//	                   │  └──────┐ │
//	Ring of 7/0     [ 0..4 ]    [ 4..9 ]     a segment is a slice of its block
//	Ring of 9/3            [ 17..18 ]
//
// Guarantees: a segment found has a reference for the caller and stays valid
// until it is released, however far the ring has moved on.
//
// Caveats: Tails has one owner, the committer: it alone admits and evicts. Find
// may be called by anyone. What readers still hold after eviction is not counted.
package tailring
