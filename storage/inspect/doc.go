// Package inspect looks at a store and says what is wrong with it, without changing
// anything: it knows the records and their chains, not how an engine keeps them.
//
// Records walks everything that a store holds and gives a Report: counts, and a
// Finding for whatever does not fit, named by what an operator knows (topic,
// partition, offsets, subscription, batches) with what helps. It goes on after each
// finding, so that one damaged record does not hide another.
//
// Record checks a single record by itself; Chain checks that batch headers follow
// each other.
//
// Caveats: Records reads all message bodies, and holds a few words for each
// partition, cursor and commit segment in memory. What it looks at must not change
// meanwhile.
package inspect
