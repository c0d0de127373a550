// Package shardlog is the shard: everything between the broker's view of a store
// and an Engine that keeps records.
//
// A Store has one committer, the only one that changes the shard. Publishes come
// to it through a PublishQueue for each stream, delivery state through a StateSlot
// for each subscription, everything else as changes. It gathers them into a batch,
// and a goroutine of its own commits the batch while the next one fills:
//
//	streams ─► queues ─┐ deficit round robin
//	loops ───► slots  ─┼─► open batch ─► seal ─► Engine.Commit ─► settle ─► rings, heads,
//	catalog, janitor ──┘                                                    wakes, results
//
// The janitor trims what is settled and old enough, removes what was deleted, and
// counts what commit segments still hold; all in small steps through the committer.
//
// Guarantees: offsets are dense per partition; nothing is visible before it is
// durable; publishes of a queue complete in order; a failed commit is final: what
// was in it is ErrUnknown, everything after it ErrUnavailable, and Failed closes.
//
// Caveats: a Store has one owner at a time, which its epoch enforces. Head, Tail,
// Watch and Stats never block; Read, Locate and Cursors may read the disk. Fields
// and functions marked "loop only" belong to the committer's goroutine.
package shardlog
