// Package storage says what a store is to the rest of Headrace, whatever engine
// keeps it: the types that cross the seam, the typed errors, the codecs of
// records and keys, and the tail ring.
//
// A store is one shard: topics, their partitions' logs, and the delivery state of
// subscriptions. Everything changes through one committer in batches; a batch is
// atomic, conditional on the owner's epoch, and durable when its commit returns.
//
// Messages are kept as wire bytes: a Segment holds the encoded bytes of the field
// `messages` of a delivery Batch, so that a delivery is a byte-range copy.
//
// Caveats: memory handed across the seam has one owner at a time, and each type
// says who; a Segment is shared by reference count and never written to.
package storage
